/* What a path leads to: files next to each other, prefixes, folders, archives. */
#include "read_common.h"

#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

#include "read/archive.h"

/* ---- a folder for a test */

static char folder[64];

static int make_folder(void **state)
{
#if defined(_WIN32)
    snprintf(folder, sizeof folder, "./mx2onnx-find-%d", (int)getpid());
    return mkdir(folder);
#else
    strcpy(folder, "/tmp/mx2onnx-find-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
#endif
}

static const char *in_folder(const char *name)
{
    static char path[2][512];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Everything that a test of this file can have made. */
static int remove_folder(void **state)
{
    static const char *const names[] = {
        "net-symbol.json",
        "net-0000.params",
        "net-0007.params",
        "net-0012.params",
        "net-10000.params",
        "net.params",
        "other-0099.params",
        "other-symbol.json",
        "symbol.json",
        "params",
        "net.json",
        "net-12.params.bak",
        "net-best.params",
        "archive.zip",
        "net-shapes.json",
        "model-shapes.json",
        "signature.json",
        "._net-symbol.json",
        "net-2-symbol.json",
        "net-2-0003.params",
        "alone.params",
        "iteration_7.para",
        "params.best",
        "prediction_net-network.json",
        "prediction_net-symbol.json",
        "parameters.json",
        "two.params",
        "two-symbol.json",
        "more.params",
        "a.json",
        "b.json",
        ".c.json",
        "0007.params",
        "net.txt",
        "net.txt.params",
        "net-99999999999999999999.params",
        "model_algo-1",
        "hyperparams.json",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unlink(in_folder(names[i]));
    }
    return rmdir(folder);
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void touch(const char *name)
{
    write_file(name, "{}", 2);
}

/* ---- finding */

struct result {
    struct mx_diags diags;
    struct mx_found found;
    int status;
};

static struct result find(const char *path)
{
    struct result r = {0};
    r.status = mx_find_model(path, &r.found, &r.diags);
    return r;
}

static void drop(struct result *r)
{
    mx_found_close(&r->found);
    mx_diags_free(&r->diags);
}

/* A label is a whole path: it begins like the given one, which is `path`, and ends with the file's name; "": nothing is found. */
static void assert_label(const char *label, const char *path, const char *name)
{
    assert_int_equal(label != NULL, *name != 0);
    if (label) {
        assert_memory_equal(label, path, (size_t)(mx_path_base(path) - path));
        assert_string_equal(mx_path_base(label), name);
    }
}

/* params NULL: none are found. */
static void assert_found(const char *path, const char *symbol, const char *params)
{
    struct result r = find(path);
    if (r.status != MX_OK) {
        fail_msg("%s: %s", path, r.diags.items[0].message);
    }
    assert_non_null(r.found.symbol);
    assert_label(r.found.symbol_label, path, symbol);
    assert_int_equal(r.found.params != NULL, params != NULL);
    assert_label(r.found.params_label, path, params ? params : "");
    drop(&r);
}

static void assert_refusal(struct result r, int status, const char *said)
{
    assert_int_equal(r.status, status);
    assert_null(r.found.symbol);
    assert_null(r.found.params);
    assert_int_equal(r.diags.errors, 1);
    struct mx_str text = {0};
    mx_diag_format(&r.diags.items[0], &text);
    if (!strstr(text.text, said)) {
        fail_msg("'%s' is not in: %s", said, text.text);
    }
    mx_str_free(&text);
    drop(&r);
}

static void assert_refused(const char *path, int status, const char *said)
{
    assert_refusal(find(path), status, said);
}

static void parameters_are_found_next_to_the_symbol(void **state)
{
    touch("net-symbol.json");
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", NULL);
    touch("other-0099.params");
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", NULL);
    touch("net.params");
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", "net.params");
    touch("net-99999999999999999999.params"); /* not a number of an epoch */
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", "net.params");
    touch("net-0007.params");
    touch("net-0000.params");
    touch("net-12.params.bak");
    touch("net-best.params");
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", "net-0007.params");
    touch("net-10000.params"); /* by number, not by text */
    assert_found(in_folder("net-symbol.json"), "net-symbol.json", "net-10000.params");
    struct result r = find(in_folder("net-symbol.json"));
    assert_int_equal(r.diags.count, 1);
    assert_non_null(strstr(r.diags.items[0].message, "parameter files of 3 epochs"));
    assert_string_equal(r.diags.items[0].advice, "to take another, give the name of its file");
    drop(&r);
}

/* A parameter file brings the symbol of its prefix, rather than a published net; without one it is alone. */
static void the_symbol_is_found_next_to_parameters(void **state)
{
    static const char list[] = "\x12\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const char *const files[] = {"net-0007.params", "net-0012.params", "net.params", "other-0099.params"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_file(files[i], list, sizeof list);
    }
    touch("net-symbol.json");
    for (size_t i = 0; i < 3; i++) {
        struct result r = find(in_folder(files[i]));
        assert_int_equal(r.diags.count, 1);
        assert_non_null(strstr(r.diags.items[0].message, "these are the parameters of 'net-symbol.json', which was read, too"));
        drop(&r);
        assert_found(in_folder(files[i]), "net-symbol.json", files[i]);
    }
    write_file("two.params", "PK\3\4", 4); /* MXNet 2 writes .npz under this name */
    touch("two-symbol.json");
    assert_found(in_folder("two.params"), "two-symbol.json", "two.params");
    struct result r = find(in_folder("other-0099.params"));
    assert_int_equal(r.status, MX_OK);
    assert_null(r.found.symbol);
    assert_label(r.found.params_label, in_folder("other-0099.params"), "other-0099.params");
    assert_int_equal(r.diags.count, 0);
    drop(&r);
}

/* "net.json" of one who means net-symbol.json. */
static void a_symbol_without_its_ending_is_suggested(void **state)
{
    touch("net-symbol.json");
    assert_refused(in_folder("net.json"), MX_NOT_FOUND, "/net-symbol.json'?");
}

static void test_files_of_the_working_folder_are_found(void **state)
{
    char before[4096];
    touch("net-symbol.json");
    touch("net-0007.params");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_found("net-symbol.json", "net-symbol.json", "net-0007.params");
    assert_found("net", "net-symbol.json", "net-0007.params");
    assert_found(".", "net-symbol.json", "net-0007.params");
    FILE *f = fopen("0007.params", "wb"); /* is not of "-symbol.json" */
    assert_true(f && fwrite("\x12\1\0\0\0\0\0", 1, 8, f) == 8 && fclose(f) == 0);
    struct result r = find("0007.params");
    assert_true(r.status == MX_OK && r.found.params && !r.found.symbol);
    drop(&r);
    assert_int_equal(chdir(before), 0);
}

static void test_symbols_of_other_names_are_found(void **state)
{
    touch("net.json");
    touch("net-0007.params");
    assert_found(in_folder("net.json"), "net.json", "net-0007.params");
    touch("symbol.json");
    touch("params");
    assert_found(in_folder("symbol.json"), "symbol.json", "params");
    touch("net.txt");
    touch("net.txt.params");
    assert_found(in_folder("net.txt"), "net.txt", "net.txt.params");
}

static void a_prefix_finds_the_newest_epoch(void **state)
{
    touch("net-symbol.json");
    touch("net-0007.params");
    touch("net-0012.params");
    assert_found(in_folder("net"), "net-symbol.json", "net-0012.params");
    assert_found(in_folder("net-0007"), "net-symbol.json", "net-0007.params");
    assert_refused(in_folder("net-0001"), MX_NOT_FOUND, "/net-0001' is neither a file nor a prefix");
    assert_refused(in_folder("nothing"), MX_NOT_FOUND, "/nothing' does not exist, and neither does '");
    assert_refused(in_folder("no/such/folder/net"), MX_NOT_FOUND, "/no/such/folder/net' does not exist"); /* as it was given */
    assert_refused("https://host/net-symbol.json", MX_NOT_FOUND, "'https://host/net-symbol.json' is a web address; download the file");
    assert_refused(in_folder("net-7x"), MX_NOT_FOUND, "/net-7x' does not exist, and neither does '");
    assert_refused(in_folder("net-0002.params"), MX_NOT_FOUND, "/net-0002.params' does not exist; ");
    touch("other-0099.params");
    assert_refused(in_folder("other-0099"), MX_NOT_FOUND, "/other-0099' is neither a file nor a prefix");
    touch("net-2-symbol.json"); /* a prefix that ends like an epoch */
    touch("net-2-0003.params");
    assert_found(in_folder("net-2"), "net-2-symbol.json", "net-2-0003.params");
}

static void a_folder_must_hold_a_symbol(void **state)
{
    assert_refused(folder, MX_NOT_FOUND, "holds no symbol file");
    touch("net-symbol.json");
    touch("alone.params");
    assert_found(folder, "net-symbol.json", "alone.params");
    touch("net-0007.params");
    assert_found(folder, "net-symbol.json", "net-0007.params");
    touch("other-symbol.json");
    assert_refused(folder, MX_NOT_FOUND, "several models: 'net-symbol.json', 'other-symbol.json'");
}

/* These may be of a published net. */
static void assert_params_alone(const char *name)
{
    struct result r = find(folder);
    assert_int_equal(r.status, MX_OK);
    assert_null(r.found.symbol);
    assert_string_equal(r.found.params_label, in_folder(name));
    drop(&r);
}

static void a_folder_without_a_symbol_gives_its_parameters(void **state)
{
    write_file("net.params", "PK\3\4", 4);
    assert_params_alone("net.params");
    touch("more.params");
    assert_refused(folder, MX_NOT_FOUND, "holds several parameter files (");
    touch("model_algo-1");
    assert_refused(folder, MX_NOT_FOUND, "holds several parameter files (");
    touch("hyperparams.json");
    assert_params_alone("model_algo-1");
    unlink(in_folder("hyperparams.json"));
    unlink(in_folder("net.params"));
    unlink(in_folder("more.params"));
    assert_params_alone("model_algo-1");
    touch("model_algo-2");
    assert_params_alone("model_algo-1");
    unlink(in_folder("model_algo-1"));
    unlink(in_folder("model_algo-2"));
    touch("params");
    assert_params_alone("params");
}

/* The only one that can be read, is not hidden, and is an object. */
static void the_only_graph_of_a_folder_is_its_symbol(void **state)
{
    static const char graph[] = " {\"nodes\": []}", list[] = "[{\"nodes\": []}]";
    write_file("a.json", graph, strlen(graph));
    write_file("b.json", list, strlen(list));
    write_file(".c.json", graph, strlen(graph));
    assert_found(folder, "a.json", NULL);
    unlink(in_folder("b.json"));
    assert_int_equal(symlink("nowhere", in_folder("b.json")), 0);
    assert_found(folder, "a.json", NULL);
    unlink(in_folder("b.json"));
    write_file("b.json", graph, strlen(graph));
    assert_refused(folder, MX_NOT_FOUND, "holds no symbol file");
}

/* Wolfram's, LFFD's and Sockeye's folders; a JSON without a graph is none. */
static void test_folders_of_other_programs_are_read(void **state)
{
    static const char graph[] = "\n{\"nodes\": []}";
    touch("model-shapes.json");
    write_file("net.json", graph, strlen(graph));
    touch("net.params");
    assert_found(folder, "net.json", "net.params");
    unlink(in_folder("net.params"));
    touch("iteration_7.para");
    assert_found(folder, "net.json", "iteration_7.para");
    unlink(in_folder("net.json"));
    unlink(in_folder("iteration_7.para"));
    touch("symbol.json");
    touch("params.best");
    assert_found(folder, "symbol.json", "params.best");
    unlink(in_folder("symbol.json"));
    touch("prediction_net-network.json");
    assert_refused(folder, MX_UNSUPPORTED, "holds a predictor of GluonTS as code");
    assert_refused(folder, MX_UNSUPPORTED, "as_symbol_block_predictor(dataset=dataset)");
}

static void test_names_of_inputs_of_gluonts_are_read(void **state)
{
    static const char names[] = "{\"freq\": \"H\", \"input_names\": [\"feat_static_cat\", \"past_target\"]}";
    touch("prediction_net-symbol.json");
    write_file("parameters.json", names, strlen(names));
    struct result r = find(folder);
    assert_int_equal(r.status, MX_OK);
    assert_int_equal(json_array_size(json_object_get(r.found.settings, "input_names")), 2);
    drop(&r);
}

static void assert_shapes(const char *path, const char *label)
{
    struct result r = find(path);
    assert_int_equal(r.status, MX_OK);
    assert_int_equal(r.found.shapes != NULL, *label != 0);
    assert_label(r.found.shapes_label, path, label);
    drop(&r);
}

static void test_shape_files_are_found(void **state)
{
    touch("net-symbol.json");
    touch("net-0007.params");
    touch("._net-symbol.json"); /* macOS's */
    assert_shapes(folder, "");
    touch("signature.json");
    assert_shapes(folder, "signature.json");
    touch("model-shapes.json");
    assert_shapes(in_folder("net-symbol.json"), "model-shapes.json");
    touch("net-shapes.json");
    assert_shapes(in_folder("net-0007"), "net-shapes.json");
}

/* The hint of the variable in a graph with this file next to it, or "". */
static const char *hint_of(const char *variable, const char *text, bool np_shape)
{
    static char shape[64];
    char graph[512];
    struct world w;
    struct mx_source *source;
    world_open(&w);
    snprintf(graph, sizeof graph, "{\"nodes\": [{\"op\": \"null\", %s, \"inputs\": []}], \"heads\": [[0, 0, 0]]}", variable);
    assert_int_equal(read_symbol_text(&w, graph), MX_OK);
    w.graph.np_shape = np_shape;
    assert_int_equal(mx_source_open_memory(&source, text, strlen(text), false), MX_OK);
    assert_int_equal(mx_shapes_read(&w.graph, source, "FILE"), MX_OK);
    mx_source_close(source);
    const char *found = mx_node_attr_text(w.graph.nodes[0], "__shape__");
    snprintf(shape, sizeof shape, "%s", found ? found : "");
    world_close(&w);
    return shape;
}

static const char *hint(const char *text, bool np_shape)
{
    return hint_of("\"name\": \"data\"", text, np_shape);
}

static void a_file_of_shapes_gives_hints(void **state)
{
    static const char has[] = "\"name\": \"data\", \"attrs\": {\"__shape__\": \"(4, 4)\"}";
    assert_string_equal(hint_of(has, "[{\"shape\": [32, 3], \"name\": \"data\"}]", false), "(4, 4)");
    assert_string_equal(hint_of(has, "{\"image_shape\": \"300\"}", false), "(4, 4)");
    assert_string_equal(hint_of("\"name\": \"other\"", "{\"image_shape\": \"300\"}", false), "");
    assert_string_equal(hint("[{\"shape\": [1, 2], \"name\": \"data\"}, {\"shape\": [1, 3], \"name\": \"data\"}]", false), "(0,2)");
    assert_string_equal(hint("[{\"shape\": [32, 0, 5], \"name\": \"data\"}]", false), "(0,0,5)");
    assert_string_equal(hint("[{\"shape\": [32, -1, 5], \"name\": \"data\"}]", false), "(0,0,5)");
    assert_string_equal(hint("[{\"shape\": [32, 0, 5], \"name\": \"data\"}]", true), "(-1,-1,5)");
    assert_string_equal(hint("{\"image_shape\": \"300\", \"inputs\": [{\"data_name\": \"data\", \"data_shape\": [0, 5]}]}", false),
                        "(0,5)");
    assert_string_equal(hint("[{\"shape\": [32, 3, 224, 224], \"name\": \"data\"}]", false), "(0,3,224,224)");
    assert_string_equal(hint("[{\"shape\": [32, 3], \"name\": \"data\"}]", true), "(-1,3)");
    assert_string_equal(hint("{\"inputs\": [{\"data_name\": \"data\", \"data_shape\": [0, 5]}]}", false), "(0,5)");
    assert_string_equal(hint("[{\"shape\": [9], \"name\": \"data\"}]", false), "(0,)");
    assert_string_equal(hint("{\"image_shape\": \"300\"}", false), "(0,3,300,300)");
    assert_string_equal(hint("{\"image_shape\": \"300\"}", true), "(-1,3,300,300)");
    assert_string_equal(hint("{\"image_shape\": \"1,224,200\"}", false), "(0,1,224,200)");
    assert_string_equal(hint("{\"image_shape\": \"2147483647\"}", false), "(0,3,2147483647,2147483647)");
    static const char *const useless[] = {
        "{\"image_shape\": 300}",
        "{\"image_shape\": \"\"}",
        "{\"image_shape\": \"0\"}",
        "{\"image_shape\": \"-1\"}",
        "{\"image_shape\": \"x\"}",
        "{\"image_shape\": \"300,\"}",
        "{\"image_shape\": \"300x\"}",
        "{\"image_shape\": \"3,224\"}",
        "{\"image_shape\": \"3,224,0\"}",
        "{\"image_shape\": \"3,224,224,1\"}",
        "{\"image_shape\": \"2147483648\"}",
        "",
        "[",
        "7",
        "{}",
        "[7, null]",
        "[{\"name\": \"data\"}]",
        "[{\"shape\": [1, 2]}]",
        "[{\"shape\": [], \"name\": \"data\"}]",
        "[{\"shape\": [1, -2], \"name\": \"data\"}]",
        "[{\"shape\": [1, \"2\"], \"name\": \"data\"}]",
        "[{\"shape\": [1, 2.5], \"name\": \"data\"}]",
        "[{\"shape\": {\"a\": 1}, \"name\": \"data\"}]",
        "[{\"shape\": [1, 2], \"name\": \"other\"}]",
        "[{\"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], \"name\": \"data\"}]",
    };
    for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
        assert_string_equal(hint(useless[i], false), "");
    }
}

/* Parameters alone: whose they are is not decided here. */
static void test_parameters_are_found_alone(void **state)
{
    (void)state;
    write_file("net.params", "\x12\1\0\0\0\0\0\0more", 12);
    struct result r = find(in_folder("net.params"));
    assert_int_equal(r.status, MX_OK);
    assert_null(r.found.symbol);
    assert_string_equal(r.found.params_label, in_folder("net.params"));
    drop(&r);
}

static void test_wrong_files_are_named_for_what_they_are(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *said;
    } rows[] = {
        {"\x80\x04\x95", 3, "Python pickle"},
        {"DJL@", 4, "Deep Java Library"},
        {"version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull"},
        {"<!DOCTYPE html>", 15, "download the file again"},
        {"\xFF\xFE{\0", 4, "UTF-16"},
        {"hello", 5, "is not an MXNet file"},
        {"\x08\x07\x12\x04", 4, "is an ONNX model already"},
        {"\x08\x01\x1A\x04", 4, "is an ONNX model already"},
        {"\x08\x3F\x22\x04", 4, "is an ONNX model already"},
        {"\x08\x07\x3A\x04", 4, "is an ONNX model already"},
        {"\x08\x07\x42\x04", 4, "is an ONNX model already"},
        {"\x08\x07\x12", 3, "is not an MXNet file"},
        {"\x08\x00\x12\x04", 4, "is not an MXNet file"},
        {"\x08\x40\x12\x04", 4, "is not an MXNet file"},
        {"\x08\x07\x13\x04", 4, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x03oneZ\x05"
         "Const....",
         16, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x03one\x12\x05"
         "Const....",
         16, "(a SavedModel or a frozen graph)"},
        {"\x0A\x8E\x01\x0A\x03one\x12\x05"
         "Zonst...",
         16, "(a SavedModel or a frozen graph)"},
        {"\x0A\x0E\x0A\x03one\x12\x05"
         "const....",
         16, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x03one\x12\x05"
         "@onst....",
         16, "is not an MXNet file"},
        {"\x0A\x0E\x0B\x03one\x12\x05"
         "Const....",
         16, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x09ninechars\x12\x05"
         "C",
         16, "(a SavedModel or a frozen graph)"},
        {"\x0A\x8E\x8E\x8E\x8E\x8E\x01\x0A\x03one\x12\x05"
         "C.",
         16, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x0Atencharss\x12\x05", 16, "is not an MXNet file"},
        {"\x0A\x0E\x0A\x0Bone but long", 16, "is not an MXNet file"},
        {"\x0A\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E", 16, "is not an MXNet file"},
        {"\x08\x01\x12\x0C\x0A\x0A..........", 16, "(a SavedModel or a frozen graph)"},
        {"\x08\x01\x12\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x8E\x0A.", 16, "(a SavedModel or a frozen graph)"},
        {"", 0, "is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file("net.params", rows[i].bytes, rows[i].size);
        assert_refused(in_folder("net.params"), MX_FORMAT, rows[i].said);
        struct result r = {0};
        struct mx_source *source;
        assert_int_equal(mx_source_open_memory(&source, rows[i].bytes, rows[i].size, false), MX_OK);
        r.status = mx_find_in_source(source, "MEMORY", &r.found, &r.diags);
        assert_refusal(r, MX_FORMAT, rows[i].said);
    }
}

static void blanks_may_precede_a_symbol(void **state)
{
    static const char *const texts[] = {"{}", " {", "\t{", "\r{", "\n{", "\xEF\xBB\xBF \t\r\n{"}, *const others[] = {" ", "\t\n", "\f{",
                                                                                                                     " ["};
    for (size_t i = 0; i < 10; i++) {
        struct result r = {0};
        struct mx_source *source;
        const char *text = i < 6 ? texts[i] : others[i - 6];
        assert_int_equal(mx_source_open_memory(&source, text, strlen(text), false), MX_OK);
        r.status = mx_find_in_source(source, "MEMORY", &r.found, &r.diags);
        assert_int_equal(r.found.symbol != NULL, i < 6);
        drop(&r);
    }
}

/* ---- archives */

static void put(zip_t *zip, const char *name, const char *text)
{
    zip_source_t *source = zip_source_buffer(zip, text, strlen(text), 0);
    assert_non_null(source);
    assert_true(zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) >= 0);
}

/* Names and texts, ended by NULL. */
static const char *make_archive(const char *const *members)
{
    zip_t *zip = zip_open(in_folder("archive.zip"), ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    for (; *members; members += 2) {
        put(zip, members[0], members[1]);
    }
    assert_int_equal(zip_close(zip), 0);
    return in_folder("archive.zip");
}

static void assert_model(const char *path)
{
    struct result r = find(path);
    struct world w;
    if (r.status != MX_OK) {
        fail_msg("%s: %s", path, r.diags.items[0].message);
    }
    world_open(&w);
    assert_label(r.found.symbol_label, path, "mlp-symbol.json");
    assert_label(r.found.params_label, path, "mlp-0000.params");
    assert_int_equal(mx_source_size(r.found.params), 416);
    assert_int_equal(mx_symbol_read(&w.graph, r.found.symbol, r.found.symbol_label), MX_OK);
    assert_int_equal(w.graph.n_nodes, 10);
    assert_int_equal(add_params(&w.params, r.found.params, r.found.params_label), MX_OK);
    assert_int_equal(w.params.count, 4);
    r.found.params = NULL; /* the world's */
    drop(&r);
    world_close(&w);
}

static void test_archives_of_servers_are_read(void **state)
{
    char path[4096];
    assert_model(data_path("samples/archives/mlp.mar", path));
    assert_model(data_path("samples/archives/mlp-0.4.model", path));
    struct result r = find(data_path("samples/npz/2.0.0b1/npz_float32.npz", path)); /* parameters, whatever net they are of */
    assert_true(r.status == MX_OK && r.found.params && !r.found.symbol);
    drop(&r);
    assert_refused(data_path("made/read/empty.zip", path), MX_NOT_FOUND, "holds no symbol file");
}

static void an_archive_is_searched_like_a_folder(void **state)
{
    assert_found(make_archive((const char *const[]){"m/net-symbol.json", "{}", "m/net-0001.params", "1", "m/net-0003.params", "3",
                                                    "n/net-0009.params", "9", NULL}),
                 "net-symbol.json", "net-0003.params");
    assert_found(make_archive((const char *const[]){"symbol.json", "{}", "params", "1", "meta.json", "{}", NULL}), "symbol.json", "params");
    assert_found(make_archive((const char *const[]){"MANIFEST.json", "no JSON", "a-symbol.json", "{}", NULL}), "a-symbol.json", NULL);
    assert_found(
        make_archive((const char *const[]){"MANIFEST.json", "{\"Model\": {\"Symbol\": \"b-symbol.json\", \"Parameters\": \"weights\"}}",
                                           "a-symbol.json", "{}", "b-symbol.json", "{}", "weights", "1", NULL}),
        "b-symbol.json", "weights");
    /* names that are not in the archive, or lead out of it, are not names at all */
    assert_refused(
        make_archive((const char *const[]){"MANIFEST.json", "{\"Model\": {\"Symbol\": \"/etc/hostname\", \"Parameters\": 5}}", NULL}),
        MX_NOT_FOUND, "holds no symbol file");
    assert_refused(make_archive((const char *const[]){"MANIFEST.json", "{\"Model\": {\"Model-Format\": \"Gluon-Imperative\"}}", NULL}),
                   MX_UNSUPPORTED, "Python code");
    assert_refused(make_archive((const char *const[]){"a-symbol.json", "{}", "b-symbol.json", "{}", NULL}), MX_NOT_FOUND, "several models");
    write_file("archive.zip", "PK\3\4 and no more", 16);
    assert_refused(in_folder("archive.zip"), MX_FORMAT, "damaged zip archive");
}

#if MX2ONNX_TAR
static void test_tar_archives_are_read(void **state)
{
    char path[4096];
    assert_model(data_path("samples/archives/mlp.tar.gz", path));
    assert_found(data_path("made/read/image_classification.tar.gz", path), "image-classification-symbol.json",
                 "image-classification-0010.params");
    assert_shapes(path, "model-shapes.json");
    assert_found(data_path("made/read/object_detection.tar.gz", path), "model_algo_1-symbol.json", "model_algo_1-0000.params");
    assert_found(data_path("made/read/factorization.tar.gz", path), "symbol.json", "params");
    assert_found(data_path("made/read/hosts.tar.gz", path), "symbol.json", "params");
    assert_found(data_path("made/read/plain.tar", path), "model-symbol.json", "model-0000.params");
    assert_found(data_path("made/read/pax.tar.gz", path), "\xC3\xBC-symbol.json", NULL);
}

static void damaged_tar_archives_are_refused(void **state)
{
    char tar[1024] = "net-symbol.json", gzip[64] = "\x1F\x8B\x08";
    memcpy(tar + 257, "ustar", 5); /* without a checksum */
    write_file("archive.zip", tar, sizeof tar);
    assert_refused(in_folder("archive.zip"), MX_FORMAT, "is damaged or not a tar archive");
    write_file("archive.zip", gzip, sizeof gzip);
    assert_refused(in_folder("archive.zip"), MX_FORMAT, "is compressed with gzip, but is damaged or holds no tar archive");
}

/* libarchive would unpack all layers at once: some hundred bytes may hold terabytes. */
static void a_gzip_within_a_gzip_is_refused(void **state)
{
    char path[4096];
    assert_refused(data_path("made/read/twice.tar.gz", path), MX_FORMAT, "is compressed with gzip, but is damaged or holds no tar archive");
}
#else
static void test_tar_archives_are_refused_without_libarchive(void **state)
{
    char path[4096];
    assert_refused(data_path("samples/archives/mlp.tar.gz", path), MX_UNSUPPORTED, "built without libarchive");
}
#endif

/* Longer than what a spool keeps in memory: through a temporary file. */
static void check_large(const char *file)
{
    char path[4096];
    unsigned char bytes[502];
    struct result r = find(data_path(file, path));
    assert_int_equal(r.status, MX_OK);
    assert_int_equal(mx_source_size(r.found.params), 251 * 25000);
    for (uint64_t at = 0; at < 251 * 25000; at += sizeof bytes) {
        assert_int_equal(mx_source_read(r.found.params, at, bytes, sizeof bytes), MX_OK);
        for (size_t i = 0; i < sizeof bytes; i++) {
            assert_int_equal(bytes[i], i % 251);
        }
    }
    drop(&r);
}

static void test_large_members_are_found(void **state)
{
    check_large("made/read/large.zip");
    if (MX2ONNX_TAR) {
        check_large("made/read/large.tar.gz");
    }
}

/* A file in an archive is a separate source. */
static void check_narrow(struct mx_source *s)
{
    char bytes[8];
    const void *window;
    assert_false(mx_source_narrow(s, 4, 7));
    assert_false(mx_source_narrow(s, 11, 0));
    assert_int_equal(mx_source_window(s, 0, 10, &window), MX_OK);
    assert_true(mx_source_narrow(s, 2, 7));
    assert_int_equal(mx_source_size(s), 7);
    assert_true(mx_source_narrow(s, 1, 5));
    assert_int_equal(mx_source_size(s), 5);
    assert_int_equal(mx_source_read(s, 0, bytes, 5), MX_OK);
    assert_memory_equal(bytes, "34567", 5);
    assert_int_equal(mx_source_window(s, 1, 4, &window), MX_OK);
    assert_memory_equal(window, "4567", 4);
    assert_int_equal(mx_source_read(s, 1, bytes, 5), MX_IO);
    assert_int_equal(mx_source_window(s, 5, 1, &window), MX_IO);
    mx_source_close(s);
}

static void a_source_can_be_narrowed(void **state)
{
    struct mx_source *s;
    const char *reason = NULL;
    assert_int_equal(mx_source_open_memory(&s, "0123456789", 10, false), MX_OK);
    check_narrow(s);
    write_file("net.params", "0123456789", 10);
    assert_int_equal(mx_source_open_file(&s, in_folder("net.params"), &reason), MX_OK);
    check_narrow(s);
}

#define FOLDER_TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

/* bad.json, with a byte that was changed after its CRC was made, and net.json. */
static void a_damaged_file_does_no_harm_where_another_is_chosen(void **state)
{
    static const char zip[] = "\120\113\003\004\024\000\000\000\000\000\000\000\041\000\007\221\130\356\017\000\000\000\017\000"
                              "\000\000\010\000\000\000\142\141\144\056\152\163\157\156\173\042\170\042\072\040\061\062\063\064"
                              "\065\066\067\071\175\120\113\003\004\024\000\000\000\000\000\000\000\041\000\152\031\357\220\032"
                              "\000\000\000\032\000\000\000\010\000\000\000\156\145\164\056\152\163\157\156\173\042\156\157\144"
                              "\145\163\042\072\040\133\135\054\040\042\150\145\141\144\163\042\072\040\133\135\175\120\113\001"
                              "\002\024\003\024\000\000\000\000\000\000\000\041\000\007\221\130\356\017\000\000\000\017\000\000"
                              "\000\010\000\000\000\000\000\000\000\000\000\000\000\200\001\000\000\000\000\142\141\144\056\152"
                              "\163\157\156\120\113\001\002\024\003\024\000\000\000\000\000\000\000\041\000\152\031\357\220\032"
                              "\000\000\000\032\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000\200\001\065\000\000"
                              "\000\156\145\164\056\152\163\157\156\120\113\005\006\000\000\000\000\002\000\002\000\154\000\000"
                              "\000\165\000\000\000\000\000";
    struct result r = {0};
    struct mx_source *source;
    assert_int_equal(mx_source_open_memory(&source, zip, sizeof zip - 1, false), MX_OK);
    r.status = mx_find_in_source(source, "MEMORY", &r.found, &r.diags);
    assert_int_equal(r.status, MX_OK);
    assert_string_equal(r.found.symbol_label, "MEMORY/net.json");
    assert_int_equal(r.diags.count, 0);
    drop(&r);
}

/* What is next to the model in an archive is not needed, as in a folder. */
static void a_damaged_member_that_is_not_needed_is_left_out(void **state)
{
    static const char *const names[] = {"hyperparams.json", "net-shapes.json", "MANIFEST.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char zip[1024];
        struct mx_source *source;
        struct result r = {0};
        FILE *f = fopen(make_archive((const char *const[]){"net-symbol.json", "{}", names[i], "[7]", NULL}), "rb");
        assert_non_null(f);
        const size_t size = fread(zip, 1, sizeof zip, f);
        assert_int_equal(fclose(f), 0);
        for (size_t k = 0; k + 3 <= size; k++) { /* short, so it is not compressed */
            zip[k + 1] = memcmp(&zip[k], "[7]", 3) == 0 ? '8' : zip[k + 1];
        }
        assert_int_equal(mx_source_open_memory(&source, zip, size, false), MX_OK);
        r.status = mx_find_in_source(source, "MEMORY", &r.found, &r.diags);
        assert_int_equal(r.status, MX_OK);
        assert_string_equal(r.found.symbol_label, "MEMORY/net-symbol.json");
        assert_true(!r.found.settings && !r.found.shapes);
        assert_true(r.diags.count == 1 && r.diags.errors == 0);
        assert_non_null(strstr(r.diags.items[0].message, names[i]));
        assert_non_null(strstr(r.diags.items[0].message, "CRC error"));
        drop(&r);
    }
}

/* A zip that consists of its directory. */
struct directory {
    size_t before; /* bytes that precede the directory */
    int entries;
    size_t name, extra, comment; /* bytes of each entry's texts */
    uint64_t seen;               /* entries that the size of the directory covers */
    uint64_t count;              /* of entries, as the end record says */
    uint64_t count64;            /* the same in Zip64; 0: there is none */
    int ends;
    size_t after; /* bytes of the last end record's comment */
    int status;
};

static unsigned char *put_number(unsigned char *at, uint64_t n, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(n >> 8 * i);
    }
    return at + bytes;
}

static unsigned char *put_directory(const struct directory *d, unsigned char *at)
{
    const unsigned char *begin = at;
    for (int i = 0; i < d->entries; i++) {
        memcpy(at, "PK\1\2", 4);
        put_number(put_number(put_number(at + 28, d->name, 2), d->extra, 2), d->comment, 2);
        at += 46 + d->name + d->extra + d->comment;
    }
    if (d->count64 > 0) {
        const size_t end64 = d->before + (size_t)(at - begin);
        memcpy(at, "PK\6\6", 4);
        put_number(at + 32, d->count64, 8);
        memcpy(at + 56, "PK\6\7", 4);
        put_number(at + 64, end64, 8);
        at += 56 + 20;
    }
    for (int i = 0; i < d->ends; i++, at += 22) {
        memcpy(at, "PK\5\6", 4);
        put_number(at + 10, d->count, 2);
        put_number(put_number(at + 12, d->seen * (46 + d->name + d->extra + d->comment), 4), d->before, 4);
    }
    return at + d->after;
}

/* Numbers of one byte and of more, below and above the limits: 16384 members, 16 ends. */
static void numbers_of_a_directory_are_read_whole(void **state)
{
    static const struct directory rows[] = {
        {0, 3, 1, 0, 0, 3, 3, 0, 1, 0, MX_OK},
        {0, 3, 1, 0, 0, 3, 2, 0, 1, 0, MX_TOO_LARGE}, /* a number modulo 65536, for all that is known */
        {70000, 3, 300, 700, 515, 3, 3, 0, 1, 0, MX_OK},
        {70000, 3, 300, 700, 515, 3, 2, 0, 1, 0, MX_TOO_LARGE},
        {70000, 3, 300, 700, 515, 2, 2, 0, 1, 0, MX_OK}, /* the third is after the directory */
        {70000, 3, 65535, 0, 0, 3, 2, 0, 1, 0, MX_TOO_LARGE},
        {70000, 3, 0, 65535, 0, 3, 2, 0, 1, 0, MX_TOO_LARGE},
        {70000, 3, 0, 0, 65535, 3, 2, 0, 1, 0, MX_TOO_LARGE},
        {70000, 3, 0, 0, 65535, 2, 2, 0, 1, 0, MX_OK},
        {0, 0, 0, 0, 0, 0, 16384, 0, 1, 0, MX_OK},
        {0, 0, 0, 0, 0, 0, 16385, 0, 1, 0, MX_TOO_LARGE},
        {0, 0, 0, 0, 0, 0, 65535, 0, 1, 0, MX_TOO_LARGE},
        {0, 0, 0, 0, 0, 0, 65535, 16384, 1, 0, MX_OK},
        {0, 0, 0, 0, 0, 0, 65535, 16385, 1, 0, MX_TOO_LARGE},
        {70000, 2, 300, 0, 0, 2, 65535, 16384, 1, 0, MX_OK},
        {70000, 2, 300, 0, 0, 2, 65535, 16385, 1, 0, MX_TOO_LARGE},
        {70000, 2, 300, 0, 0, 2, 2, 16385, 1, 0, MX_TOO_LARGE},
        {70000, 2, 300, 0, 0, 2, 2, UINT64_C(1) << 32, 1, 0, MX_TOO_LARGE},
        {70000, 2, 300, 0, 0, 2, 1, 2, 1, 0, MX_TOO_LARGE},
        {0, 1, 1, 0, 0, 1, 1, 0, 16, 0, MX_OK},
        {0, 1, 1, 0, 0, 1, 1, 0, 17, 0, MX_FORMAT},
        {0, 0, 0, 0, 0, 0, 16384, 0, 1, 65535, MX_OK},
        {0, 0, 0, 0, 0, 0, 16385, 0, 1, 65535, MX_TOO_LARGE},
        {0, 0, 0, 0, 0, 0, 65535, 16385, 1, 65535, MX_TOO_LARGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char *bytes = calloc(1, 1 << 20);
        struct mx_diags diags = {0};
        struct mx_archive a = {.diags = &diags, .label = "FILE"};
        assert_non_null(bytes);
        const size_t size = (size_t)(put_directory(&rows[i], bytes + rows[i].before) - bytes);
        assert_int_equal(mx_source_open_memory(&a.source, bytes, size, false), MX_OK);
        const int status = mx_zip_check_directory(&a);
        if (status != rows[i].status || diags.count != (status != MX_OK)) {
            fail_msg("row %zu: status %d", i, status);
        }
        mx_source_close(a.source);
        mx_diags_free(&diags);
        free(bytes);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(parameters_are_found_next_to_the_symbol),
        FOLDER_TEST(test_files_of_the_working_folder_are_found),
        FOLDER_TEST(test_symbols_of_other_names_are_found),
        FOLDER_TEST(the_symbol_is_found_next_to_parameters),
        FOLDER_TEST(a_symbol_without_its_ending_is_suggested),
        FOLDER_TEST(a_prefix_finds_the_newest_epoch),
        FOLDER_TEST(a_folder_must_hold_a_symbol),
        FOLDER_TEST(a_folder_without_a_symbol_gives_its_parameters),
        FOLDER_TEST(the_only_graph_of_a_folder_is_its_symbol),
        FOLDER_TEST(test_wrong_files_are_named_for_what_they_are),
        cmocka_unit_test(blanks_may_precede_a_symbol),
        FOLDER_TEST(test_parameters_are_found_alone),
        FOLDER_TEST(test_archives_of_servers_are_read),
        FOLDER_TEST(an_archive_is_searched_like_a_folder),
        FOLDER_TEST(a_damaged_member_that_is_not_needed_is_left_out),
        FOLDER_TEST(a_source_can_be_narrowed),
        FOLDER_TEST(test_folders_of_other_programs_are_read),
        FOLDER_TEST(test_names_of_inputs_of_gluonts_are_read),
        FOLDER_TEST(test_shape_files_are_found),
        cmocka_unit_test(a_file_of_shapes_gives_hints),
#if MX2ONNX_TAR
        FOLDER_TEST(test_tar_archives_are_read),
        FOLDER_TEST(damaged_tar_archives_are_refused),
        FOLDER_TEST(a_gzip_within_a_gzip_is_refused),
#else
        FOLDER_TEST(test_tar_archives_are_refused_without_libarchive),
#endif
        cmocka_unit_test(test_large_members_are_found),
        cmocka_unit_test(a_damaged_file_does_no_harm_where_another_is_chosen),
        cmocka_unit_test(numbers_of_a_directory_are_read_whole),
    };
    find_data(argc, argv);
    return cmocka_run_group_tests_name("read_find", tests, NULL, NULL);
}
