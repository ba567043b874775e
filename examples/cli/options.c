#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { WRITES = CLI_CONVERT | CLI_MANY, MODEL = WRITES | CLI_INSPECT };

const struct cli_option cli_options[] = {
    {NULL, 'o', CLI_ARGUMENT, "FILE", "FILES", 'o', CLI_CONVERT,
     "write to FILE; - is standard output (default: MODEL.onnx in the current folder)"},
    {NULL, 'o', CLI_ARGUMENT, "FOLDER", "FILES", 'o', CLI_MANY, "write to FOLDER; it is created if needed"},
    {"graph", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_GRAPH, CLI_INSPECT,
     "print the ONNX graph that would be written, with the type and shape of every value; as JSON with --json"},
    {"passes", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_PASSES, CLI_INSPECT,
     "print the ONNX graph after each pass (for debugging the converter)"},
    {"symbol", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_SYMBOL, CLI_INSPECT,
     "print the MXNet graph after shape inference, even if inference fails; as JSON with --json"},
    {"input", 0, CLI_ARGUMENT, "NAME=DIMS[:TYPE]", NULL, CLI_OPT_INPUT, MODEL | CLI_REPEATED,
     "set the shape and element type of an input: data=1x3x224x224, tokens=1x128:int32. NAME=:TYPE sets the type alone. NAME= may be "
     "omitted if the model has one input"},
    {"dynamic", 0, CLI_ARGUMENT, "NAME=DIMS", NULL, CLI_OPT_DYNAMIC, MODEL | CLI_REPEATED,
     "like --input, but a name in place of a number makes that dimension dynamic: data=batch,3,224,224. One name means one size at "
     "run time. ? leaves the name to mx2onnx"},
    {"channels-last", 0, CLI_ARGUMENT_OR_NONE, "NAME", NULL, CLI_OPT_CHANNELS_LAST, MODEL | CLI_REPEATED,
     "make the input NHWC although the model computes in NCHW; --input and --dynamic still use NCHW"},
    {"reverse-channels", 0, CLI_ARGUMENT_OR_NONE, "NAME", NULL, CLI_OPT_REVERSE_CHANNELS, MODEL | CLI_REPEATED,
     "reverse the order of the channels: the input is BGR for an RGB model, or RGB for a BGR model"},
    {"mean", 0, CLI_ARGUMENT, "NAME=M,M,M", NULL, CLI_OPT_MEAN, MODEL | CLI_REPEATED,
     "compute (x - M) * S before the model; one value for each channel, or one for all. The input may then be uint8"},
    {"scale", 0, CLI_ARGUMENT, "NAME=S,S,S", NULL, CLI_OPT_SCALE, MODEL | CLI_REPEATED, "set the factor S of --mean (default: 1)"},
    {"output", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_OUTPUT, MODEL | CLI_REPEATED,
     "make NAME an output instead of the model's own outputs, for example flatten0_output; may be repeated"},
    {"set", 0, CLI_ARGUMENT, "NAME=VALUE", NULL, CLI_OPT_SET, MODEL | CLI_REPEATED,
     "replace an input by a constant whose elements are all VALUE: --set init_c=0. Its shape must be in numbers; set it with --input "
     "if needed; may be repeated"},
    {"rename", 0, CLI_ARGUMENT, "OLD=NEW", NULL, CLI_OPT_RENAME, MODEL | CLI_REPEATED,
     "rename an input, output or parameter to NEW in the ONNX file; may be repeated"},
    {"metadata", 0, CLI_ARGUMENT, "KEY=VALUE", NULL, CLI_OPT_METADATA, WRITES | CLI_REPEATED,
     "add an entry to the ONNX model's metadata_props; may be repeated with another KEY"},
    {"prefix", 0, CLI_ARGUMENT, "PREFIX", NULL, CLI_OPT_PREFIX, MODEL,
     "ignore PREFIX when parameter names are matched: with --prefix resnet_, conv0_weight in the parameter file is resnet_conv0_weight "
     "of the symbol, and the reverse"},
    {"structural-names", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_STRUCTURAL_NAMES, MODEL,
     "match the names of Gluon's save_parameters (features.0.weight) to the symbol's by kind, shape and order; "
     "an ambiguous match is an error"},
    {"net", 0, CLI_ARGUMENT, "NAME", "$(mx2onnx nets 2>/dev/null | sed -n \"s/  .*//p\")", CLI_OPT_NET, MODEL,
     "without a symbol file: use the published model NAME ('mx2onnx nets' lists them). Without --net, the model is identified by its "
     "parameters"},
    {"classes", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_CLASSES, MODEL,
     "without a symbol file: consider only models with N classes (default: read from the parameters)"},
    {"crop", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_CROP, MODEL,
     "without a symbol file: the segmentation model is for images of N x N (default: as published, mostly 480)"},
    {"segments", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_SEGMENTS, MODEL, "without a symbol file: the video model has N segments (default: 1)"},
    {"published", 0, CLI_ARGUMENT, "WHAT", "shapes normalization", CLI_OPT_PUBLISHED, MODEL | CLI_REPEATED,
     "use what was published with the model for its inputs: shapes, or normalization (mean and scale, for RGB images of 0 to 255); "
     "may be repeated"},
    {"catalogue", 0, CLI_ARGUMENT, "FILE", "FILES", CLI_OPT_CATALOGUE, MODEL | CLI_NETS,
     "read the catalogue of published models from FILE instead of the built-in one"},
    {"opset", 0, CLI_ARGUMENT, "N", "auto 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28", CLI_OPT_OPSET, MODEL,
     "write this ONNX operator set, 11 to 28 (default: auto, which is 17, or the oldest above it that the model needs). ONNX Runtime "
     "reads up to 26"},
    {"custom", 0, CLI_ARGUMENT, "FILE.py", "FILES", CLI_OPT_CUSTOM, MODEL | CLI_REPEATED,
     "run the handlers of unknown operators in this Python file (@mx2onnx.custom_operator); needs the program of the Python package; "
     "may be repeated"},
    {"keep-unknown", 0, CLI_ARGUMENT_OR_NONE, "DOMAIN", NULL, CLI_OPT_KEEP_UNKNOWN, MODEL,
     "write unknown operators as nodes of DOMAIN (default: mxnet), which the runtime must implement. If such a node's shape is needed, set "
     "it by the node's name: --input NODE=DIMS"},
    {"float16", 0, CLI_ARGUMENT_OR_NONE, "all|inside", "all inside", CLI_OPT_FLOAT16, MODEL,
     "write a float16 model of half the size; with inside, its inputs and outputs keep their types. Without, outputs of softmax or "
     "norms are float32"},
    {"keep-float32", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_KEEP_FLOAT32, MODEL | CLI_REPEATED,
     "with --float16: keep this node, or all nodes of this MXNet operator, in float32. Softmax, norms and boxes stay float32 anyway; "
     "may be repeated"},
    {"force-float16", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_FORCE_FLOAT16, MODEL | CLI_REPEATED,
     "with --float16: convert this node or operator to float16 even if it would stay float32; may be repeated"},
    {"external", 0, CLI_ARGUMENT, "WHEN", "auto never always in-place link", CLI_OPT_EXTERNAL, WRITES,
     "store the weights: auto (default: in FILE.data above 2 GiB), never, always, in-place (in the parameter file) or link (hard-linked); "
     "the last three with :BYTES for arrays from BYTES on"},
    {"full-checksum", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FULL_CHECKSUM, WRITES,
     "with --external: record the checksum of whole weight files, not of 256 samples; slower, but 'mx2onnx check' then finds any change"},
    {"initializers-as-inputs", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_INITIALIZERS_AS_INPUTS, WRITES,
     "list the parameters as graph inputs too, as old exporters did"},
    {"keep-batch-norm", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_KEEP_BATCH_NORM, WRITES,
     "keep BatchNorm after a convolution as a node instead of folding it into the weights"},
    {"fold-input-scale", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FOLD_INPUT_SCALE, WRITES,
     "merge a factor of an input into the first convolution. By default it stays a node, by which programs such as InsightFace's package "
     "see that the model normalises images itself"},
    {"node-metadata", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_NODE_METADATA, WRITES,
     "add the name and operator of the MXNet node to the metadata of each ONNX node; needs a runtime that reads IR version 10"},
    {"for", 0, CLI_ARGUMENT, "PROGRAM", "onnxruntime openvino opencv4 opencv5 tract tensorrt ncnn", CLI_OPT_FOR, MODEL,
     "write operators, and by default an opset, that PROGRAM reads correctly: onnxruntime, openvino, opencv4 (before 5), opencv5, tract, "
     "tensorrt or ncnn"},
    {"trust-indices", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_TRUST_INDICES, WRITES,
     "write Embedding and take without a Clip; all indices must be inside their tables"},
    {"seed", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_SEED, WRITES,
     "set the seed of random operators, so that every run gives the same values (never MXNet's)"},
    {"no-limits", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_NO_LIMITS, MODEL,
     "use as much memory, and write as many nodes and bytes, as the model needs: only for a file that you trust"},
    {"fsync", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FSYNC, WRITES, "flush the file to the disk before it is renamed"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_CONVERT,
     "print the report as JSON on standard output (with -o - on standard error), even if the conversion fails"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_INSPECT | CLI_OPS | CLI_NETS, "print everything as JSON"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_VERIFY | CLI_CHECK | CLI_MANY,
     "print the result as JSON, also of what fails"},
    {"status", 0, CLI_ARGUMENT, "STATUS", "full partial differs random training-only no", CLI_OPT_STATUS, CLI_OPS,
     "list operators of this status only: full, partial (some nodes are refused), differs (in some results), random, 'training only' or "
     "no"},
    {"group", 0, CLI_ARGUMENT, "GROUP", "attention control image linalg nn numpy quantize random rnn sequence tensor vision", CLI_OPT_GROUP,
     CLI_OPS, "list operators of this folder of ops/ only: nn, tensor, numpy, vision and others"},
    {"markdown", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_MARKDOWN, CLI_OPS, "print a table in Markdown"},
    {"data", 0, CLI_ARGUMENT, "FILE.npz", "FILES", CLI_OPT_DATA, CLI_VERIFY,
     "read recorded arrays: input:NAME and output:NAME, with MXNet's names. If inner nodes were recorded too, the first that differs is "
     "named"},
    {"tolerance", 0, CLI_ARGUMENT, "X", NULL, CLI_OPT_TOLERANCE, CLI_VERIFY,
     "accept differences up to this share of the largest number of an output (default: 1e-4, or 2e-2 for a file that computes in float16)"},
    {"runtime", 0, CLI_ARGUMENT, "LIBRARY", "FILES", CLI_OPT_RUNTIME, CLI_VERIFY,
     "load ONNX Runtime from this file: libonnxruntime.so, onnxruntime.dll, libonnxruntime.dylib (default: the onnxruntime package of the "
     "active Python environment, $VIRTUAL_ENV or conda's $CONDA_PREFIX, or what the system finds)"},
    {"recorder", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_RECORDER, CLI_VERIFY,
     "print the Python script that records an MXNet model's inputs and results for --data"},
    {"verbose", 'v', CLI_NO_ARGUMENT, NULL, NULL, 'v', CLI_CONVERT | CLI_INSPECT,
     "list every note; given twice, also the log of the library, which has the notes where they were found"},
    {"quiet", 'q', CLI_NO_ARGUMENT, NULL, NULL, 'q', WRITES, "print errors only, and the report with --json"},
    {"version", 'V', CLI_NO_ARGUMENT, NULL, NULL, 'V', CLI_CONVERT, "print the version"},
    {"help", 'h', CLI_NO_ARGUMENT, NULL, NULL, 'h', MODEL | CLI_OPS | CLI_VERIFY | CLI_NETS | CLI_CHECK, "print this"},
};
const size_t cli_n_options = sizeof(cli_options) / sizeof(cli_options[0]);

const struct cli_command cli_commands[] = {
    {"convert", CLI_CONVERT, "convert a model", "[convert] MODEL [PARAMS...] [-o FILE] [options]",
     "Converts an MXNet model to ONNX. MODEL is a symbol file; its parameters are searched for next to it unless PARAMS (.params, .npz, "
     ".npy) are given. MODEL may also be a prefix, a folder or an archive (" CLI_ARCHIVES "). For models that MXNet, GluonCV or "
     "GluonNLP published, the parameter file alone is enough.",
     "  mx2onnx resnet50-symbol.json resnet50-0000.params --input data=1x3x224x224\n"
     "  mx2onnx resnet50-symbol.json --dynamic data=batch,3,224,224 -o any-batch.onnx\n"
     "  mx2onnx face-symbol.json --dynamic n,3,112,112 --rename fc1=embedding\n"
     "  mx2onnx vgg16-symbol.json --input 1x3x224x224:uint8 --channels-last \\\n"
     "      --mean 123.68,116.78,103.94 --scale 0.0171,0.0175,0.0174\n"
     "  mx2onnx vgg16-symbol.json --input 1x3x224x224 --output flatten0_output\n"
     "  mx2onnx ssd_512_mobilenet1.0_voc.params --dynamic batch,3,512,512 -o ssd.onnx\n",
     cli_convert},
    {"many", CLI_MANY, "convert many models", "many FOLDER|@LIST|- -o FOLDER [options]",
     "Converts all models in a folder and its subfolders with the same options: each *-symbol.json with the parameters next to it, and "
     "each archive (" CLI_ARCHIVES "). @LIST is a file with one path of a model on each line. - reads such lines from standard "
     "input. The folders of the models are kept: a/b/net-symbol.json becomes FOLDER/a/b/net.onnx. A model that fails does not stop the "
     "others; the failures are listed at the end. Links to folders are not followed.",
     "  mx2onnx many models -o converted\n"
     "  mx2onnx many models -o converted --dynamic n,3,224,224 --json > report.json\n"
     "  find models -name '*.params' | mx2onnx many - -o converted -q\n",
     cli_many},
    {"inspect", CLI_INSPECT, "show what a model contains", "inspect MODEL [PARAMS...] [options]",
     "Shows what a model holds, without converting it: inputs, outputs, parameters, how often each operator is used and what cannot be "
     "converted.",
     "  mx2onnx inspect resnet50-symbol.json\n"
     "  mx2onnx inspect resnet50-symbol.json --dynamic batch,3,224,224 --graph | less\n"
     "  mx2onnx inspect net-symbol.json --json | jq .operators\n"
     "  mx2onnx inspect net-symbol.json --json --graph | jq -r '.nodes[].op'\n",
     cli_inspect},
    {"ops", CLI_OPS, "list the operators, and how far they are converted", "ops [NAME...] [options]",
     "Lists the MXNet operators that can be converted, and the best known of those that cannot. With NAME it shows what is known of one: "
     "other names, the first opset, which nodes are refused, and where results may differ from MXNet's. It fails if NAME is not converted.",
     "  mx2onnx ops                 all of them\n"
     "  mx2onnx ops Pooling         one, with what is refused and what differs\n"
     "  mx2onnx ops --status partial --group vision\n"
     "  mx2onnx ops --json | jq -r '.operators[] | select(.status != \"no\").name'\n",
     cli_ops},
    {"verify", CLI_VERIFY, "compare with results of MXNet", "verify MODEL.onnx --data FILE.npz [options]",
     "Runs MODEL.onnx in ONNX Runtime and compares its outputs with outputs recorded from MXNet. --recorder prints the script that "
     "records them; run it where MXNet 1.x is installed.",
     "  mx2onnx verify --recorder > record.py\n"
     "  mx2onnx verify net.onnx --data recorded.npz\n"
     "  mx2onnx verify net.onnx --data recorded.npz --tolerance 1e-3 \\\n"
     "      --runtime /opt/onnxruntime/lib/libonnxruntime.so\n",
     cli_verify},
    {"check", CLI_CHECK, "check the weight files of an ONNX model", "check MODEL.onnx... [options]",
     "Checks the weight files that an ONNX model refers to: each must be next to the model, long enough, and match the size and checksum "
     "in the model. The checksum is that of 256 samples, or of every byte if --full-checksum was given.",
     "  mx2onnx net-symbol.json --input 1x3x224x224 --external in-place\n"
     "  mx2onnx check net.onnx\n",
     cli_check},
    {"nets", CLI_NETS, "list the models that need no symbol file", "nets [PATTERN] [options]",
     "Lists the published models that need no symbol file, with their published sizes, inputs and source. PATTERN is part of a name, "
     "in any case, with or without - and _; * in it matches anything.",
     "  mx2onnx nets                all of them\n"
     "  mx2onnx nets ssd            detectors of one kind\n"
     "  mx2onnx nets 'resnet50*v1'\n",
     cli_nets},
};
const size_t cli_n_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);

/* What an exit status says of a command, or of all. */
static const struct {
    int status;
    unsigned commands;
    const char *text;
} exits[] = {
    {CLI_OK, 0, "success"},
    {CLI_OK, CLI_INSPECT, "the model was read, even if it cannot be converted as it is"},
    {CLI_OK, CLI_VERIFY, "all outputs agree"},
    {CLI_OK, CLI_CHECK, "all files are there and unchanged"},
    {CLI_OK, CLI_MANY, "all models were converted"},
    {CLI_FAILED, 0, "failure"},
    {CLI_FAILED, CLI_CONVERT, "FILE is unchanged, also after a signal"},
    {CLI_FAILED, CLI_INSPECT, "a file cannot be read, or the graph cannot be made"},
    {CLI_FAILED, CLI_VERIFY, "an output differs or cannot be compared"},
    {CLI_FAILED, CLI_CHECK, "a file is missing, too short or changed"},
    {CLI_FAILED, CLI_MANY, "a model was not converted, or there is none"},
    {CLI_FAILED, CLI_OPS | CLI_NETS, "a name is unknown or not converted"},
    {CLI_USAGE, 0, "the command line is wrong"},
};

bool cli_exit_text(int status, unsigned command, char *text, size_t size)
{
    bool any = false;
    for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
        const size_t used = any ? strlen(text) : 0;
        const unsigned commands = exits[i].commands;
        if (exits[i].status != status || (commands && command && !(commands & command))) {
            continue;
        }
        any = true;
        snprintf(text + used, size - used, "%s", !commands ? "" : command ? ": " : "; ");
        for (size_t k = 0, n = 0; k < cli_n_commands && commands && !command; k++) {
            const size_t length = strlen(text);
            if (cli_commands[k].bit & commands) {
                snprintf(text + length, size - length, "%s%s", n++ ? ", " : "", cli_commands[k].name);
            }
        }
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", commands && !command ? ": " : "", exits[i].text);
    }
    return any;
}

/* ---- what goes together */

/* An option that has no effect without another one, or with it. `value` and `other_value` are lists of words: the value is
 * one of them, or begins with one and a colon; NULL for any value. */
static const struct rule {
    unsigned commands;
    int option;
    const char *value;
    enum { NEEDS, EXCLUDES } kind;
    int other;
    const char *other_value;
    const char *why;
} rules[] = {
    {CLI_CONVERT, 'q', NULL, EXCLUDES, 'v', NULL, "one prints less, the other more"},
    {MODEL, CLI_OPT_KEEP_FLOAT32, NULL, NEEDS, CLI_OPT_FLOAT16, NULL, "without it, no node becomes float16"},
    {MODEL, CLI_OPT_FORCE_FLOAT16, NULL, NEEDS, CLI_OPT_FLOAT16, NULL, "without it, no node becomes float16"},
    {MODEL, CLI_OPT_PUBLISHED, "normalization", EXCLUDES, CLI_OPT_MEAN, NULL, "both set the mean"},
    {MODEL, CLI_OPT_PUBLISHED, "normalization", EXCLUDES, CLI_OPT_SCALE, NULL, "both set the scale"},
    {WRITES, CLI_OPT_FULL_CHECKSUM, NULL, NEEDS, CLI_OPT_EXTERNAL, NULL,
     "the checksum is that of a weight file, and --external auto writes one if the model exceeds 2 GiB"},
    {WRITES, CLI_OPT_FULL_CHECKSUM, NULL, EXCLUDES, CLI_OPT_EXTERNAL, "never", "no side file is written"},
    {CLI_CONVERT, CLI_OPT_FULL_CHECKSUM, NULL, EXCLUDES, 'o', "-", "standard output has no file to check"},
    {CLI_CONVERT, CLI_OPT_EXTERNAL, "always in-place link", EXCLUDES, 'o', "-", "standard output cannot have a side file"},
    {CLI_CONVERT, CLI_OPT_FSYNC, NULL, EXCLUDES, 'o', "-", "standard output cannot be flushed to a disk"},
    {WRITES, CLI_OPT_KEEP_BATCH_NORM, NULL, EXCLUDES, CLI_OPT_INITIALIZERS_AS_INPUTS, NULL,
     "BatchNorm is not folded if parameters are inputs"},
    {WRITES, CLI_OPT_FOLD_INPUT_SCALE, NULL, EXCLUDES, CLI_OPT_KEEP_BATCH_NORM, NULL, "--keep-batch-norm leaves all weights unchanged"},
    {WRITES, CLI_OPT_FOLD_INPUT_SCALE, NULL, EXCLUDES, CLI_OPT_INITIALIZERS_AS_INPUTS, NULL, "parameters that are inputs stay unchanged"},
    {CLI_INSPECT, CLI_OPT_GRAPH, NULL, EXCLUDES, CLI_OPT_PASSES, NULL, "only one of them can be printed"},
    {CLI_INSPECT, CLI_OPT_GRAPH, NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "only one of them can be printed"},
    {CLI_INSPECT, CLI_OPT_PASSES, NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "only one of them can be printed"},
    {CLI_INSPECT, CLI_OPT_PASSES, NULL, EXCLUDES, CLI_OPT_JSON, NULL, "only one of them can be printed"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_GRAPH, NULL, "a printed graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_PASSES, NULL, "a printed graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "a printed graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_JSON, NULL, "JSON contains every note"},
    {CLI_OPS, CLI_OPT_JSON, NULL, EXCLUDES, CLI_OPT_MARKDOWN, NULL, "only one of them can be printed"},
};

enum { MOST_GIVEN = 1000 }; /* further options are not checked */

/* The options of the command line so far. */
static struct given {
    const struct cli_option *option;
    const char *value; /* NULL without one */
} given[MOST_GIVEN];
static size_t n_given;

enum { LONGEST_NAME = 200 };

static void spell(const struct cli_option *o, const char *value, char *text, size_t size)
{
    const char letter[] = {o->letter, 0};
    const char *between = !value ? "" : o->has == CLI_ARGUMENT_OR_NONE ? "=" : " ";
    snprintf(text, size, "%s%s%s%s", o->letter ? "-" : "--", o->letter ? letter : o->name, between, value ? value : "");
}

static const char *spelled(const struct given *g, char text[LONGEST_NAME])
{
    spell(g->option, g->value, text, LONGEST_NAME);
    return text;
}

void cli_spell_option(int id, const char *value, char *text, size_t size)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].id == id) {
            spell(&cli_options[i], value, text, size);
            return;
        }
    }
}

static bool has_value(const struct given *g, const char *words)
{
    for (const char *word = words; word && *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (g->value && strcspn(g->value, ":") == length && strncmp(g->value, word, length) == 0) {
            return true;
        }
        word += length;
    }
    return !words;
}

static const struct given *find_given(int option, const char *words)
{
    for (size_t i = 0; i < n_given; i++) {
        if (given[i].option->id == option && has_value(&given[i], words)) {
            return &given[i];
        }
    }
    return NULL;
}

static const struct cli_option *option_of(unsigned command, int id)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].id == id && cli_options[i].commands & command) {
            return &cli_options[i];
        }
    }
    return NULL;
}

/* Remembers an option; CLI_USAGE if its value replaces another one's. */
static int add_given(unsigned command, int id, const char *value)
{
    char one[LONGEST_NAME], two[LONGEST_NAME];
    const struct given now = {option_of(command, id), value}, *before = find_given(id, NULL);
    if (now.option && before && now.option->has != CLI_NO_ARGUMENT && !(now.option->commands & CLI_REPEATED)) {
        return cli_usage("'%s' and '%s' are the same option" CLI_HELP "omit one of them", spelled(before, one), spelled(&now, two));
    }
    if (now.option && id == 'o' && value[0] == '=' && value[1]) {
        return cli_usage("'-o%s' names a file that begins with =" CLI_HELP "write it as -o %s", value, value + 1);
    }
    if (now.option && n_given < MOST_GIVEN) {
        given[n_given++] = now;
    }
    return CLI_OK;
}

/* CLI_USAGE if an option is without effect. */
static int check_given(unsigned command)
{
    char one[LONGEST_NAME], two[LONGEST_NAME];
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct rule *r = &rules[i];
        const struct given *a = r->commands & command ? find_given(r->option, r->value) : NULL;
        const struct given *b = find_given(r->other, r->other_value), other = {option_of(command, r->other), NULL};
        if (a && !b && r->kind == NEEDS) {
            return cli_usage("'%s' needs '%s': %s" CLI_HELP "give both", spelled(a, one), spelled(&other, two), r->why);
        }
        if (a && b && r->kind == EXCLUDES) {
            return cli_usage("'%s' and '%s' exclude each other: %s" CLI_HELP "omit one of them", spelled(a, one), spelled(b, two), r->why);
        }
    }
    return CLI_OK;
}

/* ---- the parser */

enum { MAX_OPTIONS = 64 };

static unsigned suggesting; /* the command whose options may be suggested */

static const char *option_name(size_t i)
{
    return cli_options[i].commands & suggesting ? cli_options[i].name : NULL;
}

static bool is_option_of(unsigned command, const char *name)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].commands & command && cli_options[i].name && strcmp(cli_options[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the command convert, and has it the options that an advice names? */
static bool may_advise(unsigned command, const char *advice)
{
    for (const char *p = advice; (p = strstr(p, "--")); p += 2) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strspn(p + 2, "abcdefghijklmnopqrstuvwxyz0123456789-"), p + 2);
        if (!is_option_of(command, name)) {
            return false;
        }
    }
    return command & MODEL && (!strstr(advice, " -o ") || option_of(command, 'o'));
}

/* Options of other converters, and what to write here. */
static const char *peer_advice(unsigned command, const char *text)
{
    static const struct {
        const char *names, *advice;
    } peers[] = {
        {"fp16 half float16-inside to_fp16", "for a model of half the size use --float16, or --float16=inside"},
        {"input_shape input-shape input_shapes input-shapes in-shape in_shapes shape inputs",
         "to set a shape use --input data=1x3x224x224"},
        {"batch batch-size batch_size", "for any batch size use --dynamic data=batch,3,224,224, for a batch of 8 --input data=8x3x224x224"},
        {"dynamic-batch dynamic_batch dynamic_axes dynamic-axes", "for any batch size use --dynamic data=batch,3,224,224"},
        {"backend", "to write for a program use --for PROGRAM"},
        {"simplify sim optimize", "it is not needed: constants are folded and nodes are merged by default"},
        {"out out-file output_file output-file output_path output-path onnx_file", "to set the output use -o FILE"},
        {"opset_version opset-version opset_import target-opset target_opset", "to set the opset use --opset N"},
        {"model model-path model_path input-model input_model s sym symbol symbol-file symbol_file",
         "give the model without an option: mx2onnx net-symbol.json"},
        {"i", "give the model without an option: mx2onnx net-symbol.json; to set a shape use --input data=1x3x224x224"},
        {"p params params-file params_file weights", "give parameter files after the symbol file: mx2onnx net-symbol.json net-0000.params"},
        {"epoch load-epoch load_epoch", "to choose an epoch give its parameter file: mx2onnx net-symbol.json net-0003.params"},
        {"output_names output-names output_name outputs", "to choose outputs use --output NAME for each"},
        {"data_type data-type dtype", "for a model of half the size use --float16, for bytes as input --input data=1x3x224x224:uint8"},
        {"mean_values mean-values", "to subtract a mean use --mean 123.7,116.3,103.5"},
        {"scale_values scale-values", "use --scale S, by which inputs are multiplied: 1 divided by the number that OpenVINO divides by"},
        {"nhwc to-nhwc layout", "for inputs with channels last use --channels-last"},
        {"std", "use --mean M and --scale S, where S is 1 divided by the standard deviation: the model gets (x - M) * S"},
        {"int8 quantize", "quantise the model after the conversion, for example with ONNX Runtime's tools"},
    };
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        for (const char *word = peers[i].names; *word && length > 0; word += strcspn(word, " "), word += *word == ' ') {
            if (strcspn(word, " ") == length && strncmp(word, name, length) == 0) {
                return may_advise(command, peers[i].advice) ? peers[i].advice : NULL;
            }
        }
    }
    return NULL;
}

enum { LIST = 100 };

/* The commands that have an option: "convert, inspect". */
static const char *commands_of(const char *name, char list[LIST])
{
    list[0] = 0;
    for (size_t i = 0; i < cli_n_commands; i++) {
        if (is_option_of(cli_commands[i].bit, name)) {
            const size_t used = strlen(list);
            snprintf(list + used, LIST - used, "%s%s", used ? ", " : "", cli_commands[i].name);
        }
    }
    return list;
}

/* By its name or letter, with dashes. */
static const struct cli_option *find_option(unsigned command, const char *text)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        const bool same =
            strncmp(text, "--", 2) == 0 ? o->name && strcmp(o->name, text + 2) == 0 : text[0] == '-' && text[1] == o->letter && !text[2];
        if (o->commands & command && same) {
            return o;
        }
    }
    return NULL;
}

/* An option with dashes that the command does not have. */
static void fail_unknown(unsigned command, const char *name)
{
    const char *near[CLI_NEAR], *advice = peer_advice(command, name);
    char commands[LIST];
    suggesting = command;
    if (advice) {
        cli_usage("'--%s' is not an option" CLI_HELP "%s", name, advice);
    } else if (commands_of(name, commands)[0]) {
        cli_usage("the option '--%s' is not one of this command" CLI_HELP "use it with %s", name, commands);
    } else if (cli_nearest(name, cli_n_options, option_name, near) > 0) {
        cli_usage("'--%s' is not an option" CLI_HELP "did you mean --%s?", name, near[0]);
    } else {
        cli_usage("'--%s' is not an option", name);
    }
}

static int fail_option(unsigned command, const char *text, int missing)
{
    char name[100] = "";
    if (strncmp(text, "--", 2) == 0) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    }
    const struct cli_option *o = missing ? find_option(command, text) : NULL;
    if (o) {
        cli_usage("the option '%s' needs a value" CLI_HELP "write it as %s %s", text, text, o->argument);
    } else if (missing) { /* it is abbreviated */
        cli_usage("the option '%s' needs a value", text);
    } else if (is_option_of(command, name)) {
        cli_usage("the option '--%s' takes no value, but '%s' has one" CLI_HELP "use --%s", name, text, name);
    } else if (name[0]) {
        fail_unknown(command, name);
    } else if (command == CLI_INSPECT && strcmp(text, "-o") == 0) {
        cli_usage("'-o' is not an option of inspect, which does not write a file" CLI_HELP "'mx2onnx MODEL -o FILE' converts");
    } else {
        const char *advice = peer_advice(command, text + 1);
        cli_usage(advice ? "'%s' is not an option" CLI_HELP "%s" : "'%s' is not an option", text, advice);
    }
    return '?';
}

/* "-dynamic" or "-output=net.onnx", which getopt reads as letters; NULL if there is none. */
static const char *with_one_dash(unsigned command, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char name[64];
        if (argv[i][0] == '-' && argv[i][1] && argv[i][1] != '-' && argv[i][2]) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i] + 1, "="), argv[i] + 1);
            if (is_option_of(command, name)) {
                return argv[i];
            }
        }
    }
    return NULL;
}

/* "--out", which getopt reads as an abbreviation of --output. */
static bool has_out(int argc, char **argv)
{
    bool has = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        has = has || strcmp(argv[i], "--out") == 0 || strncmp(argv[i], "--out=", 6) == 0;
    }
    return has;
}

/* A number or an open size, which is not a file. */
static bool is_size(const char *word)
{
    return *word && strspn(word, "0123456789.?-") == strlen(word) && strcmp(word, "-") != 0 && strspn(word, "./") < strlen(word)
           && cli_file_bytes(word) == 0;
}

/* "--input 1 3 224 224": the last words are taken for files. */
static int check_blanks(unsigned command, int argc, char **argv)
{
    for (int i = 1; i + 2 < argc && strcmp(argv[i], "--") != 0; i++) {
        const struct cli_option *o = strncmp(argv[i], "--", 2) == 0 ? find_option(command, argv[i]) : NULL;
        const bool shape = o && (o->id == CLI_OPT_INPUT || o->id == CLI_OPT_DYNAMIC);
        const char *value = strchr(argv[i + 1], '=') ? strchr(argv[i + 1], '=') + 1 : argv[i + 1];
        const bool whole = strchr(value, ',') || (strchr("0123456789?", *value) && strchr(value, 'x'));
        char words[CLI_MESSAGE], word[CLI_WORD];
        if (whole || (!shape && !(o && (o->id == CLI_OPT_MEAN || o->id == CLI_OPT_SCALE))) || !is_size(argv[i + 2])) {
            continue;
        }
        snprintf(words, sizeof words, "%s", argv[i + 1]);
        const bool named = o->id == CLI_OPT_INPUT && value == argv[i + 1] && !is_size(value);
        for (int k = i + 2; k < argc && is_size(argv[k]); k++) {
            const char *between = named && k == i + 2 ? "=" : o->id == CLI_OPT_INPUT ? "x" : ",";
            const size_t used = strlen(words);
            snprintf(words + used, sizeof words - used, "%s%s", between, argv[k]);
        }
        return cli_usage("'%s %s %s' has blanks between its numbers" CLI_HELP "write them as one word: --%s %s", argv[i], argv[i + 1],
                         argv[i + 2], o->name, cli_word(word, "%s", words));
    }
    return CLI_OK;
}

int cli_next_option(unsigned command, int argc, char **argv)
{
    for (size_t i = 0; i < cli_n_commands; i++) {
        if (cli_commands[i].bit == command) {
            cli_usage_is_of(cli_commands[i].name);
        }
    }
    struct option rows[MAX_OPTIONS] = {{0}};
    char letters[2 * MAX_OPTIONS + 2] = ":", *letter = letters + 1;
    size_t n = 0;
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        if (!(o->commands & command)) {
            continue;
        }
        if (o->name && n + 1 < MAX_OPTIONS) {
            const int has = o->has == CLI_NO_ARGUMENT ? no_argument : o->has == CLI_ARGUMENT ? required_argument : optional_argument;
            rows[n++] = (struct option){o->name, has, NULL, o->id};
        }
        if (o->letter) {
            *letter++ = o->letter;
            *letter = ':';
            letter += o->has == CLI_ARGUMENT;
        }
    }
    if (option_of(command, CLI_OPT_FOR)) { /* its name in the Python package */
        rows[n++] = (struct option){"target", required_argument, NULL, CLI_OPT_FOR};
    }
    *letter = 0;
    opterr = 0;
    const int at = optind;
    const char *wrong = at == 1 ? with_one_dash(command, argc, argv) : NULL;
    if (wrong) {
        cli_usage("the option '%s' has one dash" CLI_HELP "write it with two: -%s", wrong, wrong);
        return '?';
    }
    if (at == 1 && has_out(argc, argv)) {
        fail_unknown(command, "out");
        return '?';
    }
    if (at == 1 && check_blanks(command, argc, argv) != CLI_OK) {
        return '?';
    }
    const int c = getopt_long(argc, argv, letters, rows, NULL);
    if (c == '?' || c == ':') {
        return fail_option(command, argv[optind > at ? optind - 1 : at], c == ':');
    }
    return (c == -1 ? find_given('h', NULL) ? CLI_OK : check_given(command) : add_given(command, c, optarg)) == CLI_OK ? c : '?';
}

/* ---- help */

enum { WIDTH = 79, INDENT = 22 };

static void wrap(FILE *out, const char *text, size_t indent, size_t at)
{
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (at > indent && at + 1 + length > WIDTH) {
            fputc('\n', out);
            at = 0;
        }
        if (at == 0) {
            fprintf(out, "%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, length, out);
        at += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct cli_option *o)
{
    char text[100];
    const char *argument = o->argument ? o->argument : "";
    if (!o->name) {
        snprintf(text, sizeof text, "-%c %s", o->letter, argument);
    } else {
        const char before[] = {'-', o->letter, ',', ' ', 0};
        snprintf(text, sizeof text, "%s--%s%s%s%s", o->letter ? before : "", o->name,
                 o->has == CLI_ARGUMENT           ? " "
                 : o->has == CLI_ARGUMENT_OR_NONE ? "[="
                                                  : "",
                 argument, o->has == CLI_ARGUMENT_OR_NONE ? "]" : "");
    }
    const size_t length = strlen(text);
    fprintf(out, "  %s", text);
    if (length + 4 > INDENT) {
        fputc('\n', out);
        wrap(out, o->help, INDENT, 0);
    } else {
        fprintf(out, "%*s", (int)(INDENT - 2 - length), "");
        wrap(out, o->help, INDENT, INDENT);
    }
}

static void print_exits(FILE *out, unsigned command)
{
    enum { STATUS = 5 };
    char text[CLI_MESSAGE];
    fputs("Exit status:\n", out);
    for (int i = 0; cli_exit_text(i, command, text, sizeof text); i++) {
        fprintf(out, "  %d  ", i);
        wrap(out, text, STATUS, STATUS);
    }
}

void cli_print_help(FILE *out, unsigned command)
{
    for (size_t i = 0; i < cli_n_commands; i++) {
        const struct cli_command *c = &cli_commands[i];
        if (c->bit != command) {
            continue;
        }
        fprintf(out, "Usage: mx2onnx %s\n\n", c->usage);
        wrap(out, c->text, 0, 0);
        fputc('\n', out);
        for (size_t k = 0; k < cli_n_options; k++) {
            if (cli_options[k].commands & command) {
                print_option(out, &cli_options[k]);
            }
        }
        fprintf(out, "\nExamples:\n%s\n", c->examples);
        print_exits(out, command);
    }
}

void cli_print_overview(FILE *out)
{
    fputs("mx2onnx: MXNet models to ONNX, without MXNet\n"
          "\n"
          "  mx2onnx MODEL-symbol.json [PARAMS] [-o FILE]  convert a model\n"
          "  mx2onnx many FOLDER -o FOLDER                 convert all models in it\n"
          "  mx2onnx inspect MODEL-symbol.json             show what a model contains\n"
          "  mx2onnx ops [NAME]                            is my operator converted?\n"
          "  mx2onnx verify MODEL.onnx --data FILE.npz     compare with results of MXNet\n"
          "  mx2onnx check MODEL.onnx                      check its weight files\n"
          "  mx2onnx nets [PATTERN]                        models that need no symbol file\n"
          "\n"
          "First steps:\n"
          "  1. mx2onnx inspect net-symbol.json\n"
          "     shows the names of the inputs, say data\n"
          "  2. mx2onnx net-symbol.json --dynamic data=batch,3,224,224\n"
          "     writes net.onnx, for any batch size\n"
          "\n"
          "Details and examples: mx2onnx convert --help, mx2onnx inspect --help,\n"
          "and --help after many, ops, verify, check and nets.\n"
          "Version: mx2onnx --version. Completion: mx2onnx --completion bash, zsh or fish.\n"
          "\n",
          out);
    print_exits(out, 0);
}
