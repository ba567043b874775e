/* Bytes in and bytes out. A source is a file or memory that is read by position and never loaded whole; a sink is
 * where an export goes. */
#ifndef MX_BASE_IO_H
#define MX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

/* After the last separator: how messages and side files name a file. */
const char *mx_path_base(const char *path);
/* Is it the name of a file, in UTF-8, that on no system leads to another folder? */
bool mx_name_is_plain(const char *name);

/* Which file it is, whatever path leads to it. Size and time tell it from a later file that got the number of one that
 * was deleted. */
struct mx_file_id {
    uint64_t device, number, size;
    int64_t seconds, nanoseconds;
    uint64_t names; /* how many it has; does not tell files apart */
};

bool mx_file_is(const struct mx_file_id *a, const struct mx_file_id *b);

/* ---- source */

struct mx_source;

/* Errors: NOT_FOUND (no such file), IO, OUT_OF_MEMORY. A file stays open until the source is closed. Folders and special
 * files are refused with IO. *reason, if not NULL, is set to a static or system text on an error. */
int mx_source_open_file(struct mx_source **out, const char *path, const char **reason) MX_MUST_USE;
/* Borrows the memory, or owns it (freed with mx_free on close). */
int mx_source_open_memory(struct mx_source **out, const void *data, size_t size, bool owned) MX_MUST_USE;
/* An open file of `size` bytes, which is closed with the source; on an error it is not. */
int mx_source_open_fd(struct mx_source **out, int fd, uint64_t size) MX_MUST_USE;
/* What `read` gives of `size` bytes. */
int mx_source_open_callback(struct mx_source **out, uint64_t size, mx2onnx_read_fn read, void *user) MX_MUST_USE;
/* From now on closing it ends in release(user). */
void mx_source_on_close(struct mx_source *s, mx2onnx_release_fn release, void *user);
/* The bytes [offset, offset + size) in memory of their own. IO when they are not there. */
int mx_source_copy(struct mx_source **out, struct mx_source *from, uint64_t offset, uint64_t size) MX_MUST_USE;
void mx_source_close(struct mx_source *s); /* NULL is allowed */

uint64_t mx_source_size(const struct mx_source *s);
/* As it was opened; NULL for what is no whole file. */
const char *mx_source_path(const struct mx_source *s);
/* False for memory. */
bool mx_source_id(const struct mx_source *s, struct mx_file_id *id);
/* From now on the source is what was [offset, offset + size) of it: a file inside an archive. False if that is not inside. */
bool mx_source_narrow(struct mx_source *s, uint64_t offset, uint64_t size) MX_MUST_USE;
/* Reads exactly size bytes at offset; IO when they are not there or the file cannot be read (also when it shrank). */
int mx_source_read(struct mx_source *s, uint64_t offset, void *out, size_t size) MX_MUST_USE;

/* A look at [offset, offset + size) without a copy: memory itself, or a mapped window of the file that stays valid
 * until the next call or close. At most MX_WINDOW bytes. */
enum { MX_WINDOW = 8 << 20 };
int mx_source_window(struct mx_source *s, uint64_t offset, size_t size, const void **out) MX_MUST_USE;
/* Is it memory, so that a window stays valid as long as the memory does? */
bool mx_source_in_memory(const struct mx_source *s);

/* ---- spool */

/* What comes piece by piece, to be read as a source when it is all there. Up to MX_SPOOL_MEMORY it stays in memory; what is
 * longer goes to the system's folder for temporary files, into a file without a name that is gone with its source. Where there
 * are no files, it stays in memory. */
enum { MX_SPOOL_MEMORY = 4 << 20 };
struct mx_spool;

int mx_spool_open(struct mx_spool **out) MX_MUST_USE;
/* OUT_OF_MEMORY, or IO with *reason; a spool that failed can only be closed. */
int mx_spool_write(struct mx_spool *s, const void *data, size_t size, const char **reason) MX_MUST_USE;
uint64_t mx_spool_size(const struct mx_spool *s);
/* What was written becomes a source of its own; the spool can only be closed then. */
int mx_spool_take(struct mx_spool *s, struct mx_source **out) MX_MUST_USE;
void mx_spool_close(struct mx_spool *s); /* NULL is allowed */

/* ---- sink */

/* What stands at a path where a sink would write, symbolic links followed. */
enum mx_target { MX_TARGET_NEW, MX_TARGET_FILE, MX_TARGET_DEVICE };
enum mx_target mx_target_look(const char *path, struct mx_file_id *id); /* *id of a file only */

struct mx_sink;

/* Writes to a temporary file beside `path`; commit gives it the name, abort removes it. The caller keeps `path`, until
 * the sink is closed. */
int mx_sink_open_file(struct mx_sink **out, const char *path, bool fsync, const char **reason) MX_MUST_USE;
/* A growing buffer; mx_sink_take_memory hands it over after a commit. */
int mx_sink_open_memory(struct mx_sink **out) MX_MUST_USE;
int mx_sink_open_callback(struct mx_sink **out, mx2onnx_write_fn fn, void *user) MX_MUST_USE;

/* So many bytes will come in all: a memory sink then takes them without growing, which costs time and twice the memory; a
 * file gets its blocks at once. OUT_OF_MEMORY. */
int mx_sink_expect(struct mx_sink *s, uint64_t size) MX_MUST_USE;

/* Appends. Small writes are gathered in a 1 MiB buffer. Errors stick: IO, with mx_sink_reason saying why. */
int mx_sink_write(struct mx_sink *s, const void *data, size_t size) MX_MUST_USE;
/* Appends a range of a source by the fastest way there is. */
int mx_sink_copy(struct mx_sink *s, struct mx_source *from, uint64_t offset, uint64_t size) MX_MUST_USE;
/* Says that the sink cannot be written, and why; returns the status. */
int mx_sink_fail(const struct mx_sink *s, int status, struct mx_diags *diags);
uint64_t mx_sink_written(const struct mx_sink *s);
const char *mx_sink_reason(const struct mx_sink *s);

/* Flushes everything and closes the file under its temporary name: the last point at which the data can fail. */
int mx_sink_finish(struct mx_sink *s) MX_MUST_USE;
/* After finish: renames into place (of several files the model goes last). */
int mx_sink_commit(struct mx_sink *s) MX_MUST_USE;
/* After commit of a memory sink: the buffer, freed with mx_free by the caller. */
void mx_sink_take_memory(struct mx_sink *s, void **data, size_t *size);
/* Frees the sink; without a commit before, nothing remains of it on the disk. NULL is allowed. */
void mx_sink_close(struct mx_sink *s);

#endif
