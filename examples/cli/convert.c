/* mx2onnx [convert] MODEL [PARAMS...] */
#include "cli/cli.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: mx2onnx [convert] MODEL [PARAMS...] [-o FILE] [options]\n"
    "\n"
    "Converts an MXNet model to ONNX. MODEL is a symbol file; its parameters are\n"
    "looked for beside it unless PARAMS (.params, .npz, .npy) are given. MODEL may\n"
    "also be a prefix, a folder or an archive (.tar.gz, .zip, .mar).\n"
    "\n"
    "  -o FILE             where to write; - is standard output\n"
    "                      (default: MODEL.onnx in this folder)\n"
    "  --input NAME=DIMS[:TYPE]\n"
    "                      shape and element type of an input: data=1x3x224x224,\n"
    "                      tokens=1x128:int32; NAME= may be left out where the\n"
    "                      model has one input\n"
    "  --dynamic NAME=DIMS the same with names for dims that may have any size:\n"
    "                      data=batch,3,224,224; one name promises one size,\n"
    "                      ? lets the converter find a name\n"
    "  --channels-last[=NAME]\n"
    "                      the input becomes NHWC for a net of NCHW; --input and\n"
    "                      --dynamic keep the order of the net\n"
    "  --reverse-channels[=NAME]\n"
    "                      the input is BGR for a net of RGB, or the other way\n"
    "  --mean NAME=M,M,M   (x - M) * S before the net, a value a channel or one for\n"
    "  --scale NAME=S,S,S  all; the input may then be uint8\n"
    "  --output NAME       use this as an output in place of the model's own, for\n"
    "                      instance flatten0_output; may be repeated\n"
    "  --rename OLD=NEW    call an input, output or parameter NEW in the ONNX\n"
    "                      file; may be repeated\n"
    "  --opset N           ONNX operator set to write, 12 to 28 (default: 17, which\n"
    "                      every current runtime reads)\n"
    "  --keep-unknown[=DOMAIN]\n"
    "                      write operators that are not known as nodes of a domain of\n"
    "                      their own (default: mxnet), for a runtime that has them\n"
    "  --float16[=inside]  write a float16 model of half the size; with inside its\n"
    "                      inputs and outputs keep their types\n"
    "  --keep-float32 NAME a node, or the nodes of an operator, that stay float32 in\n"
    "                      it, beside softmax, norms, boxes and what else the\n"
    "                      library keeps; may be repeated\n"
    "  --force-float16 NAME\n"
    "                      one that the library would keep, in float16 all the same\n"
    "  --external WHEN     weights in a side file FILE.data: auto (over 2 GiB, the\n"
    "                      default), never, always, or always:BYTES for arrays of\n"
    "                      at least BYTES\n"
    "  --initializers-as-inputs\n"
    "                      list parameters as graph inputs too, as old exporters did\n"
    "  --keep-batch-norm   leave BatchNorm behind convolutions as nodes, instead of in\n"
    "                      their weights\n"
    "  --seed N            seed of random operators, which then give the same values\n"
    "                      at every run (never MXNet's)\n"
    "  --fsync             flush to the disk before the file gets its name\n"
    "  --json              print the report as JSON on standard output, also after\n"
    "                      an error\n"
    "  -v, --verbose       print the report; twice: also what the library logs\n"
    "  -q, --quiet         print errors only\n"
    "\n"
    "Examples:\n"
    "  mx2onnx resnet50-symbol.json resnet50-0000.params --input data=1x3x224x224\n"
    "  mx2onnx resnet50-symbol.json --dynamic data=batch,3,224,224 -o any-batch.onnx\n"
    "  mx2onnx face-symbol.json --dynamic n,3,112,112 --rename fc1=embedding\n"
    "  mx2onnx vgg16-symbol.json --input 1x3x224x224:uint8 --channels-last\n"
    "      --mean 123.68,116.78,103.94 --scale 0.0171,0.0175,0.0174\n"
    "  mx2onnx vgg16-symbol.json --input 1x3x224x224 --output flatten0_output\n"
    "\n"
    "Exit status: 0 converted, 1 the conversion failed (FILE is as it was), 2 the\n"
    "command line is wrong.\n";

struct convert {
    struct cli_choices choices;
    const char *file; /* -o */
    bool json, quiet;
    int verbose;
};

/* ---- progress and interruption */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* The library then removes its temporary file. A signal that was ignored (nohup) stays ignored; a second one kills. */
static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

struct progress {
    bool shown;
    double start, last;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Quick exports show nothing; long ones ten lines a second over each other. */
static int32_t on_progress(uint64_t done, uint64_t total, void *user)
{
    struct progress *p = user;
    const double time = now();
    if (time - p->start > 0.5 && (time - p->last > 0.1 || done == total)) {
        char done_text[32], total_text[32];
        cli_format_bytes(done_text, done);
        cli_format_bytes(total_text, total);
        const double part = total ? (double)done / (double)total : 1;
        fprintf(stderr, "\rwriting %3.0f%%  %s of %s\033[K", part * 100, done_text, total_text);
        p->last = time;
        p->shown = true;
    }
    return interrupted ? 1 : 0;
}

static int32_t on_progress_silent(uint64_t done, uint64_t total, void *user)
{
    (void)done;
    (void)total;
    (void)user;
    return interrupted ? 1 : 0;
}

static void on_log(int32_t level, const char *message, void *user)
{
    (void)user;
    static const char *const words[] = {"error", "warning", "note", "debug"};
    fprintf(stderr, "%s: %s\n", level >= 0 && level <= 3 ? words[level] : "log", message);
}

static int32_t write_stdout(const void *data, size_t size, void *user)
{
    return fwrite(data, 1, size, user) == size ? 0 : 1;
}

/* ---- the conversion */

/* "models/resnet-50-symbol.json" -> "resnet-50.onnx", in the current folder. */
static char *default_file(const char *model)
{
    static const char *const endings[] = {"-symbol.json", ".json", ".tar.gz", ".tgz", ".tar", ".zip", ".mar", ".model"};
    size_t end = strlen(model);
    while (end > 1 && model[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && model[start - 1] != '/') {
        start--;
    }
    size_t length = end - start;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t n = strlen(endings[i]);
        if (length > n && memcmp(model + end - n, endings[i], n) == 0) {
            length -= n;
            break;
        }
    }
    char *file = malloc(length + sizeof(".onnx"));
    if (file) {
        memcpy(file, model + start, length);
        memcpy(file + length, ".onnx", sizeof(".onnx"));
    }
    return file;
}

static int32_t export(mx2onnx_model *m, const struct convert *o, const char *file)
{
    struct progress progress = {.start = now()};
    const bool show = !o->quiet && isatty(STDERR_FILENO);
    int32_t status = mx2onnx_set_progress(m, show ? on_progress : on_progress_silent, &progress);
    if (status == MX2ONNX_OK) {
        catch_signals();
        status = strcmp(file, "-") == 0 ? mx2onnx_export_callback(m, write_stdout, stdout)
                                        : mx2onnx_export_file(m, file);
    }
    if (status == MX2ONNX_OK && strcmp(file, "-") == 0 && fflush(stdout) != 0) {
        status = MX2ONNX_IO;
    }
    if (progress.shown) {
        fputs("\r\033[K", stderr);
    }
    return status;
}

static uint64_t file_bytes(const char *file, const char *ending)
{
    char *path = malloc(strlen(file) + strlen(ending) + 1);
    struct stat info;
    uint64_t bytes = 0;
    if (path) {
        sprintf(path, "%s%s", file, ending);
        bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    }
    free(path);
    return bytes;
}

/* One line on stdout, with more on request; the file itself may go there, then this goes to stderr.
 */
static void print_success(mx2onnx_model *m, const struct convert *o, const char *file)
{
    const bool to_stdout = strcmp(file, "-") == 0;
    FILE *out = to_stdout ? stderr : stdout;
    if (o->json) {
        const char *json = mx2onnx_report_json(m);
        fprintf(out, "%s\n", json ? json : "{}");
        return;
    }
    if (o->verbose) {
        const char *text = mx2onnx_report_text(m);
        fputs(text ? text : "", out);
    }
    if (!to_stdout) {
        char size[32];
        cli_format_bytes(size, file_bytes(file, ""));
        fprintf(out, "wrote %s (%s)\n", file, size);
    }
}

static int run(mx2onnx_model *m, const struct convert *o, char **paths, int n_paths)
{
    if (o->verbose > 1) {
        mx2onnx_set_log(m, on_log, NULL);
    }
    const int loaded = cli_load(m, paths, n_paths, &o->choices);
    if (loaded != CLI_OK) {
        return loaded;
    }
    char *file = o->file ? strdup(o->file) : default_file(paths[0]);
    if (!file) {
        return cli_fail(m, MX2ONNX_OUT_OF_MEMORY);
    }
    int result = CLI_OK;
    const int32_t status = export(m, o, file);
    if (status == MX2ONNX_OK) {
        if (!o->quiet) {
            if (!o->verbose) { /* else they are in the report */
                cli_print_diagnostics(stderr, "mx2onnx: ", m, MX2ONNX_WARNING);
            }
            print_success(m, o, file);
        }
    } else {
        result = cli_fail(m, status);
        if (interrupted) {
            fprintf(stderr, "mx2onnx: interrupted; %s is as it was\n", file);
        }
        if (o->json) {
            const char *json = mx2onnx_report_json(m);
            printf("%s\n", json ? json : "{}");
        }
    }
    free(file);
    return result;
}

/* CLI_OK to go on; *done where the command line asked for help only. */
static int parse(struct convert *o, int argc, char **argv, bool *done)
{
    static const struct option options[] = {
        CLI_CHOICE_OPTIONS,
        {"external", required_argument, NULL, CLI_OPT_EXTERNAL},
        {"initializers-as-inputs", no_argument, NULL, CLI_OPT_INITIALIZERS_AS_INPUTS},
        {"keep-batch-norm", no_argument, NULL, CLI_OPT_KEEP_BATCH_NORM},
        {"fsync", no_argument, NULL, CLI_OPT_FSYNC},
        {"seed", required_argument, NULL, CLI_OPT_SEED},
        {"json", no_argument, NULL, CLI_OPT_JSON},
        {"verbose", no_argument, NULL, 'v'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, CLI_OPT_VERSION},
        {NULL, 0, NULL, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "o:vqh", options, NULL)) != -1;) {
        switch (c) {
        case 'o':
            o->file = optarg;
            break;
        case 'v':
            o->verbose++;
            break;
        case 'q':
            o->quiet = true;
            break;
        case CLI_OPT_JSON:
            o->json = true;
            break;
        case 'h':
            fputs(help, stdout);
            *done = true;
            return CLI_OK;
        case CLI_OPT_VERSION:
            printf("mx2onnx %s\n", mx2onnx_version());
            *done = true;
            return CLI_OK;
        case '?':
            return cli_usage("see 'mx2onnx convert --help'");
        default:
            cli_choices_add(&o->choices, c, optarg);
        }
    }
    if (optind == argc) {
        return cli_usage(
            "which model? for example: mx2onnx net-symbol.json net-0000.params -o net.onnx");
    }
    if (o->file && strcmp(o->file, "-") == 0 && isatty(STDOUT_FILENO)) {
        return cli_usage("an ONNX file is not for a terminal; send standard output elsewhere");
    }
    return CLI_OK;
}

int cli_convert(int argc, char **argv)
{
    struct convert o = {0};
    mx2onnx_model *m = NULL;
    bool done = false;
    int result = CLI_FAILED;
    if (!cli_choices_new(&o.choices, argc) || mx2onnx_model_new(&m) != MX2ONNX_OK) {
        result = cli_fail(NULL, MX2ONNX_OUT_OF_MEMORY);
    } else {
        result = parse(&o, argc, argv, &done);
        if (result == CLI_OK && !done) {
            result = run(m, &o, argv + optind, argc - optind);
        }
    }
    mx2onnx_model_free(m);
    cli_choices_free(&o.choices);
    return result;
}
