/* Windows functions for the command line. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include <shellapi.h>

static volatile LONG interrupted;

static char *to_utf8(const wchar_t *wide)
{
    const int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = n > 0 ? malloc((size_t)n) : NULL;
    if (text) {
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
    }
    return text;
}

/* main's arguments are in the system's code page. The converted ones live as long as the program. */
void cli_arguments(int *argc, char ***argv)
{
    int n = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &n);
    char **texts = wide ? calloc((size_t)n + 1, sizeof *texts) : NULL;
    bool complete = texts;
    for (int i = 0; texts && i < n; i++) {
        texts[i] = to_utf8(wide[i]);
        complete = complete && texts[i];
    }
    if (complete) {
        *argc = n;
        *argv = texts;
    }
    LocalFree(wide);
}

void cli_start(void)
{
    SetConsoleOutputCP(CP_UTF8);
}

/* Ctrl-C, Ctrl-Break, window closed, end of session; runs on its own thread. FALSE lets the system end the program. */
static BOOL WINAPI on_interrupt(DWORD kind)
{
    return InterlockedExchange(&interrupted, 1) == 0;
}

void cli_catch_interrupts(void)
{
    SetConsoleCtrlHandler(on_interrupt, TRUE);
}

bool cli_interrupted(bool writing)
{
    return interrupted;
}

void cli_end_interrupted(void)
{
}

/* Pipes and devices have names below \\.\; NUL and CON have no folder. */
bool cli_is_stream(const char *path)
{
    return strcmp(path, "-") == 0 || strncmp(path, "\\\\.\\", 4) == 0 || _stricmp(path, "nul") == 0 || _stricmp(path, "con") == 0;
}

size_t cli_width(FILE *out)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(_fileno(out)), &info)) {
        return 0;
    }
    return info.srWindow.Right >= info.srWindow.Left ? (size_t)(info.srWindow.Right - info.srWindow.Left) + 1 : 80;
}

void cli_make_binary(FILE *file)
{
    _setmode(_fileno(file), _O_BINARY);
}

double cli_seconds(void)
{
    return (double)GetTickCount64() / 1e3;
}

uint64_t cli_file_bytes(const char *path)
{
    wchar_t wide[MAX_PATH];
    WIN32_FILE_ATTRIBUTE_DATA info;
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) || !GetFileAttributesExW(wide, GetFileExInfoStandard, &info)) {
        return 0;
    }
    return (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
}

FILE *cli_open(const char *path)
{
    wchar_t wide[MAX_PATH];
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) ? _wfopen(wide, L"rb") : NULL;
}

bool cli_each_entry(const char *folder, void (*each)(const char *name, bool is_folder, void *user), void *user)
{
    wchar_t wide[MAX_PATH];
    WIN32_FIND_DATAW entry;
    const int n = MultiByteToWideChar(CP_UTF8, 0, folder, -1, wide, MAX_PATH - 2);
    if (n > 0) {
        memcpy(wide + n - 1, L"\\*", sizeof(L"\\*"));
    }
    HANDLE found = n > 0 ? FindFirstFileW(wide, &entry) : INVALID_HANDLE_VALUE;
    errno = n == 0 ? ENAMETOOLONG : GetLastError() == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
    for (bool more = found != INVALID_HANDLE_VALUE; more; more = FindNextFileW(found, &entry)) {
        const bool is_folder = entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
        char *name = to_utf8(entry.cFileName);
        if (name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0
            && !(is_folder && entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
            each(name, is_folder, user);
        }
        free(name);
    }
    return found != INVALID_HANDLE_VALUE && FindClose(found);
}

bool cli_make_folder(const char *path, bool *made)
{
    wchar_t wide[MAX_PATH];
    if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH)) {
        errno = ENAMETOOLONG;
        return false;
    }
    const DWORD attributes = GetFileAttributesW(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY) {
        return true;
    }
    *made = CreateDirectoryW(wide, NULL);
    if (!*made) {
        errno = GetLastError() == ERROR_ALREADY_EXISTS ? EEXIST : GetLastError() == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
    }
    return *made;
}

void cli_remove_folder(const char *path)
{
    wchar_t wide[MAX_PATH];
    if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH)) {
        RemoveDirectoryW(wide);
    }
}

int cli_compare_paths(const char *a, const char *b)
{
    return _stricmp(a, b);
}

void *cli_library_symbol(const char *library, const char *name)
{
    wchar_t wide[MAX_PATH];
    const char *path = library ? library : "onnxruntime.dll";
    HMODULE handle = MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH) ? LoadLibraryW(wide) : NULL;
    void *found = NULL;
    FARPROC function = handle ? GetProcAddress(handle, name) : NULL;
    memcpy(&found, &function, sizeof found);
    return found;
}

bool cli_is_separator(char c)
{
    return c == '/' || c == '\\' || c == ':';
}
