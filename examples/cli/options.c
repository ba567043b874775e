#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { WRITES = CLI_CONVERT | CLI_MANY, MODEL = WRITES | CLI_INSPECT };

const struct cli_option cli_options[] = {
    {NULL, 'o', CLI_ARGUMENT, "FILE", "FILES", 'o', CLI_CONVERT,
     "where to write; - is standard output (default: MODEL.onnx in this folder)"},
    {NULL, 'o', CLI_ARGUMENT, "FOLDER", "FILES", 'o', CLI_MANY, "the folder to write to, which is made if needed"},
    {"graph", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_GRAPH, CLI_INSPECT,
     "print the ONNX graph that would be written, with types and dims of every value; with --json as JSON"},
    {"passes", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_PASSES, CLI_INSPECT,
     "print the ONNX graph after each pass over it, for those who work on the converter"},
    {"symbol", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_SYMBOL, CLI_INSPECT,
     "print the MXNet graph after inference; with --json as JSON, also where inference fails"},
    {"input", 0, CLI_ARGUMENT, "NAME=DIMS[:TYPE]", NULL, CLI_OPT_INPUT, MODEL | CLI_REPEATED,
     "shape and element type of an input: data=1x3x224x224, tokens=1x128:int32; NAME= may be left out where the model has "
     "one input"},
    {"dynamic", 0, CLI_ARGUMENT, "NAME=DIMS", NULL, CLI_OPT_DYNAMIC, MODEL | CLI_REPEATED,
     "the same with names for dims that may have any size: data=batch,3,224,224. Dims with the same name must have the same size; ? "
     "means any size, named by the converter."},
    {"channels-last", 0, CLI_ARGUMENT_OR_NONE, "NAME", NULL, CLI_OPT_CHANNELS_LAST, MODEL | CLI_REPEATED,
     "the input becomes NHWC for a net of NCHW; --input and --dynamic keep the order of the net"},
    {"reverse-channels", 0, CLI_ARGUMENT_OR_NONE, "NAME", NULL, CLI_OPT_REVERSE_CHANNELS, MODEL | CLI_REPEATED,
     "the input is BGR for a net of RGB, or the other way"},
    {"mean", 0, CLI_ARGUMENT, "NAME=M,M,M", NULL, CLI_OPT_MEAN, MODEL | CLI_REPEATED,
     "(x - M) * S before the net, a value a channel or one for all; the input may then be uint8"},
    {"scale", 0, CLI_ARGUMENT, "NAME=S,S,S", NULL, CLI_OPT_SCALE, MODEL | CLI_REPEATED, "the S of --mean"},
    {"output", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_OUTPUT, MODEL | CLI_REPEATED,
     "use this as an output in place of the model's own, for instance flatten0_output; may be repeated"},
    {"set", 0, CLI_ARGUMENT, "NAME=VALUE", NULL, CLI_OPT_SET, MODEL | CLI_REPEATED,
     "an input becomes a constant, all of whose elements are VALUE, for instance --set init_c=0; give its shape with --input where "
     "the model leaves it open; may be repeated"},
    {"rename", 0, CLI_ARGUMENT, "OLD=NEW", NULL, CLI_OPT_RENAME, MODEL | CLI_REPEATED,
     "call an input, output or parameter NEW in the ONNX file; may be repeated"},
    {"metadata", 0, CLI_ARGUMENT, "KEY=VALUE", NULL, CLI_OPT_METADATA, WRITES | CLI_REPEATED,
     "an entry of the ONNX model's metadata_props; may be repeated, with another KEY"},
    {"prefix", 0, CLI_ARGUMENT, "PREFIX", NULL, CLI_OPT_PREFIX, MODEL,
     "names in the symbol and in the parameter file are the same if they are without PREFIX: resnet_conv0_weight and "
     "conv0_weight with --prefix resnet_"},
    {"structural-names", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_STRUCTURAL_NAMES, MODEL,
     "match the names of Gluon's save_parameters (features.0.weight) to the symbol's by kind, shape and order; what is ambiguous is an "
     "error"},
    {"net", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_NET, MODEL,
     "the parameters are those of this published net, which 'mx2onnx nets' lists, and there is no symbol file. "
     "Without --net the program identifies the net from its parameters."},
    {"classes", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_CLASSES, MODEL,
     "of parameters without a symbol: their net has N classes (default: as many as their shapes say)"},
    {"crop", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_CROP, MODEL,
     "the same for a net of segmentation: it was made for images of N by N (default: as published, mostly 480)"},
    {"segments", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_SEGMENTS, MODEL, "the same for a net of videos: N segments (default: 1)"},
    {"published", 0, CLI_ARGUMENT, "WHAT", "shapes normalization", CLI_OPT_PUBLISHED, MODEL | CLI_REPEATED,
     "take what was published with the net for its inputs: shapes, or normalization (mean and scale, for images of 0 to 255 in "
     "the order RGB); may be repeated"},
    {"catalogue", 0, CLI_ARGUMENT, "FILE", "FILES", CLI_OPT_CATALOGUE, MODEL | CLI_NETS,
     "a catalogue of published nets in place of the one in the program"},
    {"opset", 0, CLI_ARGUMENT, "N", "auto 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28", CLI_OPT_OPSET, MODEL,
     "ONNX operator set to write, 11 to 28 (default: auto, which is 17, or the oldest above it that the model needs)"},
    {"custom", 0, CLI_ARGUMENT, "FILE.py", "FILES", CLI_OPT_CUSTOM, MODEL | CLI_REPEATED,
     "a Python file with handlers of operators that the library does not know (@mx2onnx.custom_operator), which the program of the "
     "Python package runs; may be repeated"},
    {"keep-unknown", 0, CLI_ARGUMENT_OR_NONE, "DOMAIN", NULL, CLI_OPT_KEEP_UNKNOWN, MODEL,
     "write operators that are not known as nodes of a domain of their own (default: mxnet), for a runtime that has them"},
    {"float16", 0, CLI_ARGUMENT_OR_NONE, "inside", "all inside", CLI_OPT_FLOAT16, MODEL,
     "write a float16 model of half the size; with inside its inputs and outputs keep their types"},
    {"keep-float32", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_KEEP_FLOAT32, MODEL | CLI_REPEATED,
     "a node, or the nodes of an operator, that stay float32 in it, in addition to softmax, norms, boxes and what else the library "
     "keeps; may be repeated"},
    {"force-float16", 0, CLI_ARGUMENT, "NAME", NULL, CLI_OPT_FORCE_FLOAT16, MODEL | CLI_REPEATED,
     "convert this node or operator to float16 even where the library would keep float32"},
    {"external", 0, CLI_ARGUMENT, "WHEN", "auto never always in-place link", CLI_OPT_EXTERNAL, WRITES,
     "weights in a side file FILE.data: auto (over 2 GiB, the default), never, always, or always:BYTES for arrays of at "
     "least BYTES; in-place: weights that need no change stay in the parameter file, which must lie in FILE's folder and belongs to "
     "the model from then on (with --keep-batch-norm a convolutional net copies nothing); link: the same, and a parameter file that "
     "is elsewhere gets a hard link there, which ONNX Runtime reads and onnx.load refuses"},
    {"full-checksum", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FULL_CHECKSUM, WRITES,
     "with --external: the checksums for 'mx2onnx check' are of whole files, which are read for them, not of samples"},
    {"initializers-as-inputs", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_INITIALIZERS_AS_INPUTS, WRITES,
     "list parameters as graph inputs too, as old exporters did"},
    {"keep-batch-norm", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_KEEP_BATCH_NORM, WRITES,
     "leave BatchNorm after convolutions as nodes, instead of in their weights"},
    {"fold-input-scale", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FOLD_INPUT_SCALE, WRITES,
     "merge a factor of an input into the first convolution; otherwise it stays a node, by which programs (InsightFace's package) see that "
     "the net normalises images itself"},
    {"node-metadata", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_NODE_METADATA, WRITES,
     "write into each node's metadata the MXNet node that it comes from, and its operator; the model needs a runtime that reads IR "
     "version 10"},
    {"for", 0, CLI_ARGUMENT, "PROGRAM", "onnxruntime openvino opencv4 opencv5 tract tensorrt ncnn", CLI_OPT_FOR, MODEL,
     "write what this program reads where it does not read all of ONNX: onnxruntime, openvino, opencv4 (before 5), opencv5, tract, "
     "tensorrt, ncnn"},
    {"trust-indices", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_TRUST_INDICES, WRITES,
     "indices are inside their tables: Embedding and take without a Clip"},
    {"seed", 0, CLI_ARGUMENT, "N", NULL, CLI_OPT_SEED, WRITES,
     "seed of random operators, which then give the same values at every run (never MXNet's)"},
    {"fsync", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_FSYNC, WRITES, "flush to the disk before the file gets its name"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_CONVERT,
     "print the report as JSON on standard output (with -o - on standard error), also after an error"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_INSPECT | CLI_OPS | CLI_NETS, "print everything as JSON"},
    {"json", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_JSON, CLI_VERIFY | CLI_CHECK | CLI_MANY,
     "print the result as JSON, also after an error"},
    {"markdown", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_MARKDOWN, CLI_OPS, "print a table in Markdown"},
    {"data", 0, CLI_ARGUMENT, "FILE.npz", "FILES", CLI_OPT_DATA, CLI_VERIFY,
     "arrays input:NAME and output:NAME with MXNet's names, as MXNet computed them; with those of inner nodes the first that "
     "differs is found"},
    {"tolerance", 0, CLI_ARGUMENT, "X", NULL, CLI_OPT_TOLERANCE, CLI_VERIFY,
     "the greatest difference that passes, as a share of the greatest number of an output (default: 1e-4)"},
    {"runtime", 0, CLI_ARGUMENT, "LIBRARY", "FILES", CLI_OPT_RUNTIME, CLI_VERIFY,
     "ONNX Runtime's library, where the system does not find it: libonnxruntime.so, onnxruntime.dll, libonnxruntime.dylib"},
    {"verbose", 'v', CLI_NO_ARGUMENT, NULL, NULL, 'v', CLI_CONVERT | CLI_INSPECT, "list every note; twice: also what the library logs"},
    {"quiet", 'q', CLI_NO_ARGUMENT, NULL, NULL, 'q', WRITES, "print errors only, and the report if --json asks for it"},
    {"version", 0, CLI_NO_ARGUMENT, NULL, NULL, CLI_OPT_VERSION, CLI_CONVERT, "print the version"},
    {"help", 'h', CLI_NO_ARGUMENT, NULL, NULL, 'h', MODEL | CLI_OPS | CLI_VERIFY | CLI_NETS | CLI_CHECK, "print this"},
};
const size_t cli_n_options = sizeof(cli_options) / sizeof(cli_options[0]);

const struct cli_command cli_commands[] = {
    {"convert", CLI_CONVERT, "convert a model", "[convert] MODEL [PARAMS...] [-o FILE] [options]",
     "Converts an MXNet model to ONNX. MODEL is a symbol file; its parameters are looked for next to it unless PARAMS "
     "(.params, .npz, .npy) are given. MODEL may also be a prefix, a folder or an archive (.tar.gz, .zip, .mar), or parameters "
     "alone, as save_parameters writes them, of a net that MXNet, GluonCV or GluonNLP publish.",
     "  mx2onnx resnet50-symbol.json resnet50-0000.params --input data=1x3x224x224\n"
     "  mx2onnx resnet50-symbol.json --dynamic data=batch,3,224,224 -o any-batch.onnx\n"
     "  mx2onnx face-symbol.json --dynamic n,3,112,112 --rename fc1=embedding\n"
     "  mx2onnx vgg16-symbol.json --input 1x3x224x224:uint8 --channels-last \\\n"
     "      --mean 123.68,116.78,103.94 --scale 0.0171,0.0175,0.0174\n"
     "  mx2onnx vgg16-symbol.json --input 1x3x224x224 --output flatten0_output\n"
     "  mx2onnx ssd_512_mobilenet1.0_custom.params --dynamic batch,3,512,512 -o ssd.onnx\n",
     cli_convert},
    {"many", CLI_MANY, "convert many models", "many FOLDER|@LIST|- -o FOLDER [options]",
     "Converts all models in a folder and in the folders below it, with the same options: each *-symbol.json, with the parameters next "
     "to it, and each archive (.zip, .mar, .tar.gz, .tgz). @LIST is a file with the path of a model on each line, and - reads such lines "
     "from standard input. The folders of the models are kept: a/b/net-symbol.json becomes FOLDER/a/b/net.onnx. A model that fails "
     "does not stop the others; the failures are listed at the end. Links to folders are not followed.",
     "  mx2onnx many models -o converted\n"
     "  mx2onnx many models -o converted --dynamic batch,3,224,224 --json > report.json\n"
     "  find models -name '*.params' | mx2onnx many - -o converted -q\n",
     cli_many},
    {"inspect", CLI_INSPECT, "look into a model", "inspect MODEL [PARAMS...] [options]",
     "Shows what a model holds, without converting it: inputs, outputs, parameters, how often each operator is used and "
     "what cannot be converted.",
     "  mx2onnx inspect resnet50-symbol.json\n"
     "  mx2onnx inspect resnet50-symbol.json --dynamic batch,3,224,224 --graph | less\n"
     "  mx2onnx inspect net-symbol.json --json | jq .operators\n"
     "  mx2onnx inspect net-symbol.json --json --graph | jq -r '.nodes[].op'\n",
     cli_inspect},
    {"ops", CLI_OPS, "what can be converted", "ops [NAME...] [options]",
     "Lists the MXNet operators that can be converted, or what is known of some: other names, the first ONNX operator set, "
     "limits.",
     "  mx2onnx ops                 all of them\n"
     "  mx2onnx ops Pooling         one, with its limits\n"
     "  mx2onnx ops --json | jq -r '.[].name'\n",
     cli_ops},
    {"verify", CLI_VERIFY, "compare with what MXNet computed", "verify MODEL.onnx --data FILE.npz [options]",
     "Runs an ONNX file in ONNX Runtime, which is loaded for it, and compares its outputs with those that MXNet computed. "
     "The lines that record them where MXNet is are in examples/guides/do/verify.md and in Python's help(mx2onnx.verify).",
     "  mx2onnx verify net.onnx --data recorded.npz\n"
     "  mx2onnx verify net.onnx --data recorded.npz --tolerance 1e-3 \\\n"
     "      --runtime /opt/onnxruntime/lib/libonnxruntime.so\n",
     cli_verify},
    {"check", CLI_CHECK, "are the files of an ONNX model there?", "check MODEL.onnx... [options]",
     "Checks that the weight files exist, are long enough and match the size and checksum in the model (256 samples, or every byte "
     "with --full-checksum).",
     "  mx2onnx net-symbol.json --input 1x3x224x224 --external in-place --keep-batch-norm\n"
     "  mx2onnx check net.onnx\n",
     cli_check},
    {"nets", CLI_NETS, "whose parameters are converted without a symbol", "nets [PATTERN] [options]",
     "Lists the published nets that the program knows, with their sizes as published, the inputs that they were published for, "
     "and where they come from. PATTERN is a part of a name; * in it is anything.",
     "  mx2onnx nets                all of them\n"
     "  mx2onnx nets ssd            detectors of one kind\n"
     "  mx2onnx nets 'resnet50*v1'\n",
     cli_nets},
};
const size_t cli_n_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);

const struct cli_exit cli_exits[] = {
    {CLI_OK, "the work is done; verify: all outputs agree; check: all files are there and unchanged; many: all models are converted"},
    {CLI_FAILED, "the work failed; convert: FILE is as it was, also after a signal; verify: an output differs or cannot be compared; "
                 "check: a file is missing, too short or another one; many: a model is not converted, or "
                 "there is none; ops, nets: a name is not known"},
    {CLI_USAGE, "the command line is wrong"},
};
const size_t cli_n_exits = sizeof(cli_exits) / sizeof(cli_exits[0]);

/* ---- what goes together */

/* An option that has no effect without another one, or with it. `value` and `other_value` are lists of words, one of which the value
 * is or begins with, up to a colon; NULL for any value. */
static const struct rule {
    unsigned commands;
    int option;
    const char *value;
    enum { NEEDS, EXCLUDES } kind;
    int other;
    const char *other_value;
    const char *why;
} rules[] = {
    {CLI_CONVERT, 'q', NULL, EXCLUDES, 'v', NULL, "the one prints less, the other more"},
    {MODEL, CLI_OPT_KEEP_FLOAT32, NULL, NEEDS, CLI_OPT_FLOAT16, NULL, "without it no node becomes float16"},
    {MODEL, CLI_OPT_FORCE_FLOAT16, NULL, NEEDS, CLI_OPT_FLOAT16, NULL, "without it no node becomes float16"},
    {MODEL, CLI_OPT_PUBLISHED, "normalization", EXCLUDES, CLI_OPT_MEAN, NULL, "both set the mean"},
    {MODEL, CLI_OPT_PUBLISHED, "normalization", EXCLUDES, CLI_OPT_SCALE, NULL, "both set the scale"},
    {WRITES, CLI_OPT_FULL_CHECKSUM, NULL, NEEDS, CLI_OPT_EXTERNAL, NULL,
     "the checksums are of files with weights; with --external auto there is one if the model exceeds 2 GiB"},
    {WRITES, CLI_OPT_FULL_CHECKSUM, NULL, EXCLUDES, CLI_OPT_EXTERNAL, "never", "no side file is written"},
    {CLI_CONVERT, CLI_OPT_FULL_CHECKSUM, NULL, EXCLUDES, 'o', "-", "standard output has no file to check"},
    {CLI_CONVERT, CLI_OPT_EXTERNAL, "always in-place link", EXCLUDES, 'o', "-", "standard output has no file next to it"},
    {CLI_CONVERT, CLI_OPT_FSYNC, NULL, EXCLUDES, 'o', "-", "standard output is not flushed to a disk"},
    {WRITES, CLI_OPT_KEEP_BATCH_NORM, NULL, EXCLUDES, CLI_OPT_INITIALIZERS_AS_INPUTS, NULL, "with parameters as inputs BatchNorm stays"},
    {WRITES, CLI_OPT_FOLD_INPUT_SCALE, NULL, EXCLUDES, CLI_OPT_KEEP_BATCH_NORM, NULL, "with it all weights stay as they are"},
    {WRITES, CLI_OPT_FOLD_INPUT_SCALE, NULL, EXCLUDES, CLI_OPT_INITIALIZERS_AS_INPUTS, NULL, "parameters that are inputs stay as they are"},
    {CLI_INSPECT, CLI_OPT_GRAPH, NULL, EXCLUDES, CLI_OPT_PASSES, NULL, "a run prints one of them"},
    {CLI_INSPECT, CLI_OPT_GRAPH, NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "a run prints one of them"},
    {CLI_INSPECT, CLI_OPT_PASSES, NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "a run prints one of them"},
    {CLI_INSPECT, CLI_OPT_PASSES, NULL, EXCLUDES, CLI_OPT_JSON, NULL, "a run prints one of them"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_GRAPH, NULL, "the graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_PASSES, NULL, "the graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_SYMBOL, NULL, "the graph has no notes"},
    {CLI_INSPECT, 'v', NULL, EXCLUDES, CLI_OPT_JSON, NULL, "JSON has every note"},
    {CLI_OPS, CLI_OPT_JSON, NULL, EXCLUDES, CLI_OPT_MARKDOWN, NULL, "a run prints one of them"},
};

enum { MOST_GIVEN = 1000 }; /* further options are not checked */

/* The options of the command line so far. */
static struct given {
    const struct cli_option *option;
    const char *value; /* NULL without one */
} given[MOST_GIVEN];
static size_t n_given;

enum { LONGEST_NAME = 200 };

/* "-q", "--opset 17", "--float16=inside" */
static const char *spelled(const struct given *g, char text[LONGEST_NAME])
{
    const struct cli_option *o = g->option;
    const char letter[] = {o->letter, 0};
    const char *between = !g->value ? "" : o->has == CLI_ARGUMENT_OR_NONE ? "=" : " ";
    snprintf(text, LONGEST_NAME, "%s%s%s%s", o->letter ? "-" : "--", o->letter ? letter : o->name, between, g->value ? g->value : "");
    return text;
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
        return cli_usage("'%s' and '%s' are the same option: leave out one of them", spelled(before, one), spelled(&now, two));
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
            return cli_usage("'%s' needs %s: %s", spelled(a, one), spelled(&other, two), r->why);
        }
        if (a && b && r->kind == EXCLUDES) {
            return cli_usage("'%s' and '%s' do not go together: %s; leave out one of them", spelled(a, one), spelled(b, two), r->why);
        }
    }
    return CLI_OK;
}

/* ---- the parser */

enum { MAX_OPTIONS = 64 };

static const char *option_name(size_t i)
{
    return cli_options[i].name;
}

/* Options of other converters, and what to write here. */
static const char *peer_advice(const char *text)
{
    static const struct {
        const char *names, *advice;
    } peers[] = {
        {"fp16 half float16-inside to_fp16", "a model of half the size is --float16, or --float16=inside"},
        {"input_shape input-shape input_shapes input-shapes in-shape in_shapes shape inputs", "a shape is --input data=1x3x224x224"},
        {"batch batch-size batch_size", "any batch is --dynamic data=batch,3,224,224, one of 8 is --input data=8x3x224x224"},
        {"dynamic-batch dynamic_batch dynamic_axes dynamic-axes", "any batch is --dynamic data=batch,3,224,224"},
        {"target backend", "the program that reads the file is --for PROGRAM"},
        {"simplify sim optimize", "what is known is computed without an option, and nodes are merged where that is possible"},
        {"out out-file output_file output-file output_path output-path onnx_file", "the file to write is -o FILE"},
        {"opset_version opset-version opset_import", "the opset is --opset N"},
        {"params weights", "parameter files are given after the symbol file: mx2onnx net-symbol.json net-0000.params"},
        {"std", "the net gets (x - M) * S: --mean M and --scale S, where S is 1 divided by the deviation"},
        {"int8 quantize", "a model is quantised after the conversion, by ONNX Runtime's tools for instance"},
    };
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
        for (const char *word = peers[i].names; *word && length > 0; word += strcspn(word, " "), word += *word == ' ') {
            if (strcspn(word, " ") == length && strncmp(word, name, length) == 0) {
                return peers[i].advice;
            }
        }
    }
    return NULL;
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

static int fail_option(unsigned command, const char *text, int missing)
{
    const char *near[CLI_NEAR], *advice = strncmp(text, "--", 2) == 0 ? peer_advice(text + 2) : NULL;
    char name[100] = "";
    if (strncmp(text, "--", 2) == 0) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    }
    if (missing) {
        const struct cli_option *o = find_option(command, text);
        cli_usage("the option '%s' needs a value%s%s%s%s", text, o ? ": " : "", o ? text : "", o ? " " : "", o ? o->argument : "");
    } else if (advice) {
        cli_usage("there is no option '%.*s'; %s", (int)strcspn(text, "="), text, advice);
    } else if (is_option_of(command, name)) {
        cli_usage("the option '--%s' takes no value, but '%s' gives one: write --%s", name, text, name);
    } else if (name[0] && cli_nearest(name, cli_n_options, option_name, near) > 0) {
        if (strcmp(near[0], name) == 0) {
            char commands[LIST];
            cli_usage("the option '--%s' is for %s", name, commands_of(name, commands));
        } else {
            cli_usage("there is no option '--%s'; did you mean --%s?", name, near[0]);
        }
    } else {
        cli_usage("there is no option '%s'", text);
    }
    return '?';
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
    *letter = 0;
    opterr = 0;
    const int at = optind;
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

static void print_exits(FILE *out)
{
    enum { STATUS = 5 };
    fputs("Exit status:\n", out);
    for (size_t i = 0; i < cli_n_exits; i++) {
        fprintf(out, "  %d  ", cli_exits[i].status);
        wrap(out, cli_exits[i].text, STATUS, STATUS);
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
        print_exits(out);
    }
}

void cli_print_overview(FILE *out)
{
    fputs("mx2onnx: MXNet models to ONNX, without MXNet\n"
          "\n"
          "  mx2onnx MODEL-symbol.json [MODEL.params] [-o FILE]   convert a model\n"
          "  mx2onnx many FOLDER -o FOLDER                        convert all models in it\n"
          "  mx2onnx inspect MODEL-symbol.json                    look into a model\n"
          "  mx2onnx ops [NAME]                                   what can be converted\n"
          "  mx2onnx verify MODEL.onnx --data FILE.npz            compare with MXNet\n"
          "  mx2onnx check MODEL.onnx                             are its files there?\n"
          "  mx2onnx nets [PATTERN]                               nets that need no symbol\n"
          "\n"
          "First steps:\n"
          "  1. mx2onnx inspect net-symbol.json\n"
          "     shows the names of the inputs, say data\n"
          "  2. mx2onnx net-symbol.json --dynamic data=batch,3,224,224\n"
          "     writes net.onnx, for any batch size\n"
          "\n"
          "Details and examples: mx2onnx convert --help, mx2onnx inspect --help,\n"
          "and --help after many, ops, verify, check and nets. Version:\n"
          "mx2onnx --version. Completion of a shell: mx2onnx --completion bash, zsh or fish.\n"
          "\n",
          out);
    print_exits(out);
}
