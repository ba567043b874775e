/* Input and output of bytes. A source is a file or memory that is read by position and never loaded whole; a sink is the destination of
 * an export. */
#ifndef MX_BASE_IO_H
#define MX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

/* The part after the last separator: the name of a file in messages and for side files. */
const char *mx_path_base(const char *path);
/* True for a file name, in UTF-8, that does not lead to another folder on any system. */
bool mx_name_is_plain(const char *name);

/* Identifies an open file, whatever path it was reached by; once it is closed, another file may get its number. Where files have no
 * numbers, size and time identify it. */
struct mx_file_id {
    uint64_t device, number, size;
    int64_t seconds, nanoseconds;
    uint64_t names; /* number of hard links; does not identify the file */
};

bool mx_file_is(const struct mx_file_id *a, const struct mx_file_id *b);

/* ---- source */

struct mx_source;

/* Errors: NOT_FOUND (no such file), IO, OUT_OF_MEMORY. A file stays open until the source is closed. Folders and special
 * files are refused with IO. *reason, if not NULL, is set to a static or system text on an error. */
int mx_source_open_file(struct mx_source **out, const char *path, const char **reason) MX_MUST_USE;
/* Borrows the memory, or owns it (freed with mx_free on close). */
int mx_source_open_memory(struct mx_source **out, const void *data, size_t size, bool owned) MX_MUST_USE;
/* Takes an open file of `size` bytes, which is closed with the source; on an error it is not closed. */
int mx_source_open_fd(struct mx_source **out, int fd, uint64_t size) MX_MUST_USE;
/* A source of `size` bytes provided by `read`. */
int mx_source_open_callback(struct mx_source **out, uint64_t size, mx2onnx_read_fn read, void *user) MX_MUST_USE;
/* release(user) is called when the source is closed. */
void mx_source_on_close(struct mx_source *s, mx2onnx_release_fn release, void *user);
/* A copy of the bytes [offset, offset + size) in memory. IO if they are not there. */
int mx_source_copy(struct mx_source **out, struct mx_source *from, uint64_t offset, uint64_t size) MX_MUST_USE;
void mx_source_close(struct mx_source *s); /* NULL is allowed */

uint64_t mx_source_size(const struct mx_source *s);
/* The path with which it was opened; NULL if it is not a whole file. */
const char *mx_source_path(const struct mx_source *s);
/* Sets *id; false for memory. */
bool mx_source_id(const struct mx_source *s, struct mx_file_id *id);
/* Reduces the source to its bytes [offset, offset + size): a file inside an archive. False if the range is not inside the source. */
bool mx_source_narrow(struct mx_source *s, uint64_t offset, uint64_t size) MX_MUST_USE;
/* Reads exactly size bytes at offset; IO if they are not there or the file cannot be read (also if it has shrunk). */
int mx_source_read(struct mx_source *s, uint64_t offset, void *out, size_t size) MX_MUST_USE;

/* Access to [offset, offset + size) without a copy: memory itself, or a mapped window of the file that stays valid until the next call
 * or close. At most MX_WINDOW bytes. */
enum { MX_WINDOW = 8 << 20 };
int mx_source_window(struct mx_source *s, uint64_t offset, size_t size, const void **out) MX_MUST_USE;
#define MX_FILE_CHANGED ": the parameter file was changed, shortened or removed"
/* After a read failed, the end of its message: ": the read callback returned an error", or "" if none reads it. */
const char *mx_source_why(const struct mx_source *s);
/* Reports that the values of this parameter cannot be read, and why; the advice is for a file. MX_IO. */
int mx_source_unread(const struct mx_source *s, struct mx_diags *diags, const char *param, const char *advice) MX_MUST_USE;
/* True if it is memory, where a window stays valid as long as the memory does. */
bool mx_source_in_memory(const struct mx_source *s);

/* ---- spool */

/* Collects data that arrive in pieces, to be read as a source when complete. Up to MX_SPOOL_MEMORY bytes stay in memory; more go to the
 * system's folder for temporary files, into a nameless file that disappears with its source. Where there are no files, all stays in
 * memory. */
enum { MX_SPOOL_MEMORY = 4 << 20 };
struct mx_spool;

int mx_spool_open(struct mx_spool **out) MX_MUST_USE;
/* OUT_OF_MEMORY, or IO with *reason; after a failure a spool can only be closed. */
int mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason) MX_MUST_USE;
uint64_t mx_spool_size(const struct mx_spool *s);
/* Turns the written data into a source; after this the spool can only be closed. */
int mx_spool_take(struct mx_spool *s, struct mx_source **out) MX_MUST_USE;
void mx_spool_close(struct mx_spool *s); /* NULL is allowed */

/* ---- sink */

/* What exists at the path of a sink, symbolic links followed. */
enum mx_target { MX_TARGET_NEW, MX_TARGET_FILE, MX_TARGET_DEVICE };
enum mx_target mx_target_look(const char *path, struct mx_file_id *id); /* *id is set for a file only */

struct mx_sink;

/* Writes to a temporary file next to `path`; commit renames it, abort removes it. The caller keeps `path` until the sink is closed. */
int mx_sink_open_file(struct mx_sink **out, const char *path, bool fsync, const char **reason) MX_MUST_USE;
/* A growing buffer; mx_sink_take_memory hands it over after a commit. */
int mx_sink_open_memory(struct mx_sink **out) MX_MUST_USE;
int mx_sink_open_callback(struct mx_sink **out, mx2onnx_write_fn fn, void *user) MX_MUST_USE;

/* Announces the total number of bytes: a memory sink then need not grow, which costs time and twice the memory; a file gets its blocks
 * at once. OUT_OF_MEMORY. */
int mx_sink_expect(struct mx_sink *s, uint64_t size) MX_MUST_USE;

/* Appends. Small writes are gathered in a 1 MiB buffer. Errors stick: IO, with mx_sink_reason saying why. */
int mx_sink_write(struct mx_sink *s, const void *data, size_t size) MX_MUST_USE;
/* Appends a range of a source in the fastest possible way. */
int mx_sink_copy(struct mx_sink *s, struct mx_source *from, uint64_t offset, uint64_t size) MX_MUST_USE;
/* Reports that the sink cannot be written, and why; returns the status. */
int mx_sink_fail(const struct mx_sink *s, int status, struct mx_diags *diags);
uint64_t mx_sink_written(const struct mx_sink *s);
/* Why the sink failed; "" if it did not. */
const char *mx_sink_reason(const struct mx_sink *s);
/* A source of what was written so far to a new file or to memory. Close it before anything else is done with the sink. */
int mx_sink_read_back(struct mx_sink *s, struct mx_source **out) MX_MUST_USE;

/* Flushes everything and closes the file under its temporary name: the last point at which the data can fail. */
int mx_sink_finish(struct mx_sink *s) MX_MUST_USE;
/* Finishes and renames into place a model and the side file that belongs to it (or NULL): both, or neither. The one that failed has a
 * reason. */
int mx_sink_commit(struct mx_sink *s, struct mx_sink *side) MX_MUST_USE;
/* After commit: the name, in the target's folder, of the old file, if it could not be removed or, with *needed set, could not be put back;
 * otherwise NULL. */
const char *mx_sink_left(const struct mx_sink *s, bool *needed);
/* After commit of a memory sink: the buffer, freed with mx_free by the caller. */
void mx_sink_take_memory(struct mx_sink *s, void **data, size_t *size);
/* Frees the sink; unless it was committed, nothing remains on disk. NULL is allowed. */
void mx_sink_close(struct mx_sink *s);

#endif
