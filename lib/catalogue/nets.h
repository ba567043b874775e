/* The catalogue's file (nets.zip) as the build puts it into the library; without it the size is 0. */
#ifndef MX_CATALOGUE_NETS_H
#define MX_CATALOGUE_NETS_H

#include <stddef.h>

extern const unsigned char mx_catalogue_file[];
extern const size_t mx_catalogue_file_size;

#endif
