/* Files on Windows: paths are UTF-8 here and UTF-16 there, a descriptor is the C library's, made from a handle. */
#include "base/io_os.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "base/alloc.h"

enum {
    MAX_CALL = 1 << 30, /* bytes of one call */
    SHORT_PATH = 240,   /* longer paths get the prefix that lifts the limit of 260, which ".tmp" names must meet too */
    MAX_WIDE = 32768,
};

static const char *text_of(DWORD error)
{
    static const struct {
        DWORD error;
        const char *text;
    } texts[] = {
        {ERROR_FILE_NOT_FOUND, "no such file or folder"},
        {ERROR_PATH_NOT_FOUND, "no such file or folder"},
        {ERROR_INVALID_NAME, "the name is not valid"},
        {ERROR_BAD_PATHNAME, "the name is not valid"},
        {ERROR_NO_UNICODE_TRANSLATION, "the name is not UTF-8"},
        {ERROR_FILENAME_EXCED_RANGE, "the name is too long"},
        {ERROR_DIRECTORY, "a part of the path is not a folder"},
        {ERROR_ACCESS_DENIED, "permission denied"},
        {ERROR_WRITE_PROTECT, "the medium is read-only"},
        {ERROR_SHARING_VIOLATION, "the file is in use"},
        {ERROR_LOCK_VIOLATION, "the file is in use"},
        {ERROR_USER_MAPPED_FILE, "the file is in use"},
        {ERROR_DISK_FULL, "no space left on the device"},
        {ERROR_HANDLE_DISK_FULL, "no space left on the device"},
        {ERROR_FILE_TOO_LARGE, "the file is larger than the system allows"},
        {ERROR_BROKEN_PIPE, "the reader closed the pipe"},
        {ERROR_NO_DATA, "the reader closed the pipe"},
        {ERROR_TOO_MANY_OPEN_FILES, "too many open files"},
        {ERROR_NOT_ENOUGH_MEMORY, "the system has no memory left"},
        {ERROR_NOT_READY, "the device is not ready"},
        {ERROR_CRC, "the device reports an error"},
        {ERROR_IO_DEVICE, "the device reports an error"},
        {ERROR_NOT_SAME_DEVICE, "source and target are on different file systems"},
        {ERROR_FILE_EXISTS, "a file of that name exists"},
        {ERROR_ALREADY_EXISTS, "a file of that name exists"},
        {ERROR_INVALID_FUNCTION, "the file system cannot do that"},
        {ERROR_NOT_SUPPORTED, "the file system cannot do that"},
        {ERROR_TOO_MANY_LINKS, "the file already has as many hard links as its file system allows"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].error == error) {
            return texts[i].text;
        }
    }
    return "the system reports an error";
}

static int status_of(DWORD error)
{
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND ? MX_NOT_FOUND
           : error == ERROR_NOT_ENOUGH_MEMORY                             ? MX_OUT_OF_MEMORY
                                                                          : MX_IO;
}

/* ---- names */

/* A path in Windows' form. Only a long one is on the heap. */
struct wide {
    wchar_t *text;
    wchar_t room[SHORT_PATH], *heap;
};

/* The absolute form of a long path: no other form may be long. */
static bool lift_limit(struct wide *w)
{
    const wchar_t *path = w->heap;
    const bool share = path[0] == L'\\' && path[1] == L'\\';
    w->text = w->heap;
    if (share && (path[2] == L'?' || path[2] == L'.')) {
        return true;
    }
    const wchar_t *prefix = share ? L"\\\\?\\UNC" : L"\\\\?\\";
    const size_t n = wcslen(prefix);
    wchar_t *whole = mx_calloc(MAX_WIDE + 8, sizeof *whole);
    const DWORD length = whole ? GetFullPathNameW(path, MAX_WIDE, whole + 8, NULL) : 0;
    if (length == 0 || length >= MAX_WIDE) {
        mx_free(whole);
        SetLastError(whole ? ERROR_FILENAME_EXCED_RANGE : ERROR_NOT_ENOUGH_MEMORY);
        return false;
    }
    const wchar_t *rest = whole + 8 + share; /* for a share, the prefix replaces the first backslash */
    memmove(whole + n, rest, (wcslen(rest) + 1) * sizeof *rest);
    memcpy(whole, prefix, n * sizeof *prefix);
    mx_free(w->heap);
    w->text = w->heap = whole;
    return true;
}

static void drop_wide(struct wide *w)
{
    const DWORD error = GetLastError();
    mx_free(w->heap);
    w->heap = NULL;
    SetLastError(error);
}

/* Appends `end` to the path. If false, the last error gives the reason and there is nothing to free. */
static bool widen(struct wide *w, const char *path, const wchar_t *end)
{
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    const size_t size = (size_t)n + wcslen(end);
    w->heap = NULL;
    w->text = w->room;
    if (n <= 0 || size > MAX_WIDE) {
        SetLastError(n <= 0 ? ERROR_NO_UNICODE_TRANSLATION : ERROR_FILENAME_EXCED_RANGE);
        return false;
    }
    if (size > SHORT_PATH) {
        w->text = w->heap = mx_calloc(size, sizeof *w->heap);
        if (!w->heap) {
            SetLastError(ERROR_NOT_ENOUGH_MEMORY);
            return false;
        }
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, w->text, n);
    wcscat(w->text, end);
    if (w->heap && !lift_limit(w)) {
        drop_wide(w);
        return false;
    }
    return true;
}

/* Freed with mx_free; NULL when memory runs out. */
static char *to_utf8(const wchar_t *wide)
{
    const int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = n > 0 ? mx_calloc((size_t)n, 1) : NULL;
    if (text) {
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
    }
    return text;
}

/* ---- handles */

enum { SHARE_ALL = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

static HANDLE open_handle(const char *path, DWORD access, DWORD how, DWORD flags)
{
    struct wide wide;
    if (!widen(&wide, path, L"")) {
        return INVALID_HANDLE_VALUE;
    }
    const HANDLE handle = CreateFileW(wide.text, access, SHARE_ALL, NULL, how, flags, NULL);
    drop_wide(&wide);
    return handle;
}

/* -1, with the last error set, if the C library has no descriptor left. */
static int descriptor_of(HANDLE handle, int flags)
{
    if (handle == INVALID_HANDLE_VALUE) {
        return -1;
    }
    const int fd = _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
    if (fd < 0) {
        CloseHandle(handle);
        SetLastError(ERROR_TOO_MANY_OPEN_FILES);
    }
    return fd;
}

static enum mx_os_file kind_of(HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &info)) {
        return MX_OS_SPECIAL;
    }
    return info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? MX_OS_FOLDER : MX_OS_REGULAR;
}

/* ---- reading */

int mx_os_open_read(const char *path, int *fd, uint64_t *size, const char **reason)
{
    /* With this flag a folder opens as well, and can be distinguished from a file without permission. */
    const HANDLE handle = open_handle(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (handle == INVALID_HANDLE_VALUE) {
        const DWORD error = GetLastError();
        *reason = text_of(error);
        return status_of(error);
    }
    const enum mx_os_file kind = kind_of(handle);
    if (kind != MX_OS_REGULAR) {
        *reason = kind == MX_OS_FOLDER ? "it is a folder" : "it is not a regular file";
        CloseHandle(handle);
        return MX_IO;
    }
    struct mx_file_id id;
    const int opened = descriptor_of(handle, _O_RDONLY);
    if (opened < 0 || mx_os_id(opened, &id) != MX_OK) {
        *reason = text_of(GetLastError());
        if (opened >= 0) {
            _close(opened);
        }
        return MX_IO;
    }
    *fd = opened;
    *size = id.size;
    return MX_OK;
}

ptrdiff_t mx_os_read(int fd, uint64_t offset, void *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const uint64_t at = offset + done;
        OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
        DWORD n = 0;
        if (!ReadFile(handle_of(fd), (char *)out + done, (DWORD)(size - done < MAX_CALL ? size - done : MAX_CALL), &n, &where)
            && GetLastError() != ERROR_HANDLE_EOF) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        done += n;
    }
    return (ptrdiff_t)done;
}

void mx_os_close(int fd)
{
    _close(fd);
}

/* ---- which file */

static int take_id(HANDLE handle, struct mx_file_id *id)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(handle, &info)) {
        return MX_IO;
    }
    const uint64_t changed = (uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 | info.ftLastWriteTime.dwLowDateTime;
    *id = (struct mx_file_id){
        .device = info.dwVolumeSerialNumber,
        .number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
        .size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
        .seconds = (int64_t)(changed / 10000000),
        .nanoseconds = (int64_t)(changed % 10000000) * 100,
        .names = info.nNumberOfLinks,
    };
    return MX_OK;
}

int mx_os_id(int fd, struct mx_file_id *id)
{
    return take_id(handle_of(fd), id);
}

int mx_os_id_of(const char *path, struct mx_file_id *id)
{
    const HANDLE handle = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (handle == INVALID_HANDLE_VALUE) {
        return MX_IO;
    }
    const int status = take_id(handle, id);
    CloseHandle(handle);
    return status;
}

bool mx_os_is_separator(char c)
{
    return c == '/' || c == '\\' || c == ':';
}

/* ---- mapping */

const void *mx_os_map(int fd, uint64_t offset, size_t size, void **map, size_t *map_size)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    const size_t before = (size_t)(offset % info.dwAllocationGranularity);
    const uint64_t start = offset - before;
    const HANDLE mapping = CreateFileMappingW(handle_of(fd), NULL, PAGE_READONLY, 0, 0, NULL);
    if (!mapping) {
        return NULL;
    }
    void *view = MapViewOfFile(mapping, FILE_MAP_READ, (DWORD)(start >> 32), (DWORD)start, size + before);
    CloseHandle(mapping); /* the view keeps it */
    if (!view) {
        return NULL;
    }
    *map = view;
    *map_size = size + before;
    return (const char *)view + before;
}

void mx_os_unmap(void *map, size_t map_size)
{
    UnmapViewOfFile(map);
}

/* ---- writing */

enum mx_os_file mx_os_look(const char *path, unsigned *mode)
{
    *mode = 0;
    const HANDLE handle = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (handle == INVALID_HANDLE_VALUE) {
        return MX_OS_NOTHING;
    }
    const enum mx_os_file kind = kind_of(handle);
    CloseHandle(handle);
    return kind;
}

bool mx_os_is_link(const char *path)
{
    struct wide wide;
    DWORD attributes = INVALID_FILE_ATTRIBUTES;
    if (widen(&wide, path, L"")) {
        attributes = GetFileAttributesW(wide.text);
        drop_wide(&wide);
    }
    return attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

int mx_os_follow(const char *path, char **target)
{
    *target = NULL;
    const HANDLE handle = mx_os_is_link(path) ? open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS) : INVALID_HANDLE_VALUE;
    if (handle == INVALID_HANDLE_VALUE) {
        return MX_OK;
    }
    wchar_t *wide = mx_calloc(MAX_WIDE, sizeof *wide);
    const DWORD n = wide ? GetFinalPathNameByHandleW(handle, wide, MAX_WIDE, FILE_NAME_NORMALIZED) : 0;
    *target = n > 0 && n < MAX_WIDE ? to_utf8(wide) : NULL;
    CloseHandle(handle);
    mx_free(wide);
    return wide ? MX_OK : MX_OUT_OF_MEMORY;
}

/* The path of a folder, twice, each with room for a name. */
struct mx_os_folder {
    HANDLE handle; /* while it is open, the folder cannot be renamed or removed */
    size_t length;
    char *second;
    char text[];
};

static const char *in_folder(struct mx_os_folder *f, const char *name)
{
    strcpy(f->text + f->length, name);
    return f->text;
}

static const char *second_in_folder(struct mx_os_folder *f, const char *name)
{
    strcpy(f->second + f->length, name);
    return f->second;
}

int mx_os_create_temporary(const char **reason)
{
    enum { TRIES = 10000 };
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH];
    HANDLE handle = INVALID_HANDLE_VALUE;
    const DWORD n = GetTempPathW(MAX_PATH + 1, folder);
    bool taken = n > 0 && n <= MAX_PATH;
    for (UINT i = 1; i <= TRIES && taken; i++) { /* with a number of ours only the name is made: the file must be a new one */
        taken = false;
        if (GetTempFileNameW(folder, L"mx2", i, name)) {
            handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE | DELETE, SHARE_ALL, NULL, CREATE_NEW,
                                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
            taken = handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS;
        }
    }
    const int fd = descriptor_of(handle, _O_RDWR);
    if (fd < 0) {
        *reason = text_of(GetLastError());
    }
    return fd;
}

int mx_os_open_special(const char *path, const char **reason)
{
    const int fd = descriptor_of(open_handle(path, GENERIC_WRITE, OPEN_EXISTING, 0), _O_WRONLY);
    if (fd < 0) {
        *reason = text_of(GetLastError());
    }
    return fd;
}

static bool write_all(HANDLE handle, const void *data, size_t size, const char **reason)
{
    const char *at = data;
    while (size > 0) {
        DWORD n = 0;
        if (!WriteFile(handle, at, (DWORD)(size < MAX_CALL ? size : MAX_CALL), &n, NULL)) {
            *reason = text_of(GetLastError());
            return false;
        }
        if (n == 0) {
            *reason = "the device takes no more bytes";
            return false;
        }
        at += n;
        size -= n;
    }
    return true;
}

bool mx_os_write(int fd, uint64_t at, struct mx_span first, struct mx_span second, const char **reason)
{
    return write_all(handle_of(fd), first.data, first.size, reason) && write_all(handle_of(fd), second.data, second.size, reason);
}

void mx_os_expect(int fd, uint64_t size)
{
    (void)fd, (void)size;
}

bool mx_os_finish(int fd, bool sync, const char **reason)
{
    DWORD error = 0;
    if (sync && !FlushFileBuffers(handle_of(fd))) {
        /* A pipe or a console cannot be flushed. */
        error = GetLastError();
        error = error == ERROR_INVALID_HANDLE || error == ERROR_INVALID_FUNCTION ? 0 : error;
    }
    if (_close(fd) != 0 && error == 0) {
        error = ERROR_IO_DEVICE;
    }
    if (error) {
        *reason = text_of(error);
    }
    return error == 0;
}

typedef BOOL two_paths_fn(const wchar_t *from, const wchar_t *to, DWORD flags);

static bool with_two_paths(two_paths_fn *fn, const char *from, const char *to, DWORD flags, const char **reason)
{
    struct wide source, target;
    bool done = false;
    if (widen(&source, from, L"")) {
        if (widen(&target, to, L"")) {
            done = fn(source.text, target.text, flags);
            drop_wide(&target);
        }
        drop_wide(&source);
    }
    if (!done) {
        *reason = text_of(GetLastError());
    }
    return done;
}

static BOOL move(const wchar_t *from, const wchar_t *to, DWORD flags)
{
    return MoveFileExW(from, to, flags);
}

static BOOL add_name(const wchar_t *from, const wchar_t *to, DWORD flags)
{
    return CreateHardLinkW(to, from, NULL);
}

bool mx_os_link(const char *from, const char *name, const char **reason)
{
    return with_two_paths(add_name, from, name, 0, reason);
}

/* ---- the folder of a file */

struct mx_os_folder *mx_os_open_folder(const char *path, const char **name, int *status, const char **reason)
{
    const size_t length = (size_t)(mx_path_base(path) - path), room = strlen(path) + MX_OS_NAME;
    struct mx_os_folder *f = mx_calloc(1, sizeof *f + 2 * room);
    *status = MX_OUT_OF_MEMORY;
    *reason = "out of memory";
    if (!f) {
        return NULL;
    }
    f->second = f->text + room;
    f->length = length;
    memcpy(f->text, path, length);
    memcpy(f->second, path, length);
    /* Without FILE_SHARE_DELETE, for which it must be opened to read. */
    struct wide wide;
    f->handle = INVALID_HANDLE_VALUE;
    if (widen(&wide, in_folder(f, "."), L"")) {
        f->handle = CreateFileW(wide.text, FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
        drop_wide(&wide);
    }
    if (f->handle == INVALID_HANDLE_VALUE && GetLastError() != ERROR_ACCESS_DENIED && GetLastError() != ERROR_SHARING_VIOLATION) {
        *status = status_of(GetLastError());
        *reason = text_of(GetLastError());
        mx_free(f);
        return NULL;
    }
    *status = MX_OK; /* files can be created even where the folder may not be listed */
    *name = path + length;
    return f;
}

void mx_os_close_folder(struct mx_os_folder *f)
{
    if (f && f->handle != INVALID_HANDLE_VALUE) {
        CloseHandle(f->handle);
    }
    mx_free(f);
}

unsigned long mx_os_process(void)
{
    return GetCurrentProcessId();
}

int mx_os_create_in(struct mx_os_folder *f, const char *name, unsigned mode, int *status, const char **reason)
{
    const HANDLE handle = open_handle(in_folder(f, name), GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    const int fd = descriptor_of(handle, _O_RDWR);
    if (fd < 0) {
        const DWORD error = GetLastError();
        *status = status_of(error);
        *reason = text_of(error);
        return error == ERROR_FILE_EXISTS ? MX_OS_EXISTS : -1;
    }
    return fd;
}

enum mx_os_file mx_os_look_in(struct mx_os_folder *f, const char *name)
{
    struct wide wide;
    DWORD attributes = INVALID_FILE_ATTRIBUTES;
    if (widen(&wide, in_folder(f, name), L"")) {
        attributes = GetFileAttributesW(wide.text);
        drop_wide(&wide);
    }
    return attributes == INVALID_FILE_ATTRIBUTES ? MX_OS_NOTHING : attributes & FILE_ATTRIBUTE_DIRECTORY ? MX_OS_FOLDER : MX_OS_REGULAR;
}

bool mx_os_rename_in(struct mx_os_folder *f, const char *from, const char *to, bool sync, const char **reason)
{
    const DWORD flags = MOVEFILE_REPLACE_EXISTING | (sync ? MOVEFILE_WRITE_THROUGH : 0u);
    return with_two_paths(move, in_folder(f, from), second_in_folder(f, to), flags, reason);
}

bool mx_os_link_in(struct mx_os_folder *f, const char *from, const char *to)
{
    const char *reason;
    return with_two_paths(add_name, in_folder(f, from), second_in_folder(f, to), 0, &reason);
}

bool mx_os_remove_in(struct mx_os_folder *f, const char *name)
{
    struct wide wide;
    bool done = false;
    if (widen(&wide, in_folder(f, name), L"")) {
        done = DeleteFileW(wide.text);
        drop_wide(&wide);
    }
    return done;
}

/* ---- folders */

int mx_os_list(const char *path, int (*add)(const char *name, void *user), void *user)
{
    struct wide pattern;
    WIN32_FIND_DATAW found;
    if (!widen(&pattern, path[0] ? path : ".", L"\\*")) {
        return status_of(GetLastError());
    }
    const HANDLE search = FindFirstFileW(pattern.text, &found);
    drop_wide(&pattern);
    if (search == INVALID_HANDLE_VALUE) {
        return MX_IO;
    }
    int status = MX_OK;
    do {
        char *name = to_utf8(found.cFileName);
        status = name ? add(name, user) : MX_OUT_OF_MEMORY;
        mx_free(name);
    } while (status == MX_OK && FindNextFileW(search, &found));
    FindClose(search);
    return status;
}

/* ---- libraries */

void *mx_os_open_library(const char *name)
{
    /* Never from the current folder. */
    return LoadLibraryExA(name, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
}

bool mx_os_find_function(void *library, const char *name, void *function, size_t size)
{
    const FARPROC found = GetProcAddress(library, name);
    memcpy(function, &found, size);
    return found;
}

void mx_os_close_library(void *library)
{
    FreeLibrary(library);
}
