/* Writes JSON into a text, value by value. Commas and colons come by themselves; a key precedes each value of an object. Errors stick in
 * the text (base/str.h). Texts must be UTF-8. */
#ifndef MX_BASE_JSON_OUT_H
#define MX_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* The version of the schemas in lib/schema. */
enum { MX_JSON_SCHEMA = 1 };

struct mx_json {
    struct mx_str *out;
    bool indented; /* each value on its own line */
    int depth;     /* of open objects and lists */
    bool follows;  /* another value precedes in the same list or object */
    bool has_key;  /* the next value belongs to a key */
};

/* '{' or '[' and their ends. */
void mx_json_open(struct mx_json *j, char bracket);
void mx_json_close(struct mx_json *j, char bracket);
void mx_json_key(struct mx_json *j, const char *key);

void mx_json_null(struct mx_json *j);
void mx_json_int(struct mx_json *j, int64_t value);
/* With a decimal point or an exponent; "nan", "inf" and "-inf", which JSON does not have, are texts. */
void mx_json_double(struct mx_json *j, double value);
void mx_json_text(struct mx_json *j, const char *text);

/* A key and its value, or the bracket that opens it. */
void mx_json_put_open(struct mx_json *j, const char *key, char bracket);
void mx_json_put_bool(struct mx_json *j, const char *key, bool value);
void mx_json_put_int(struct mx_json *j, const char *key, int64_t value);
void mx_json_put_text(struct mx_json *j, const char *key, const char *text);

#endif
