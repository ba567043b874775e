/* The Python script that records what MXNet computes. */
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

extern const char cli_recorder[];

#endif
