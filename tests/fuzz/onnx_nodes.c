/* An ONNX file from any bytes, as `mx2onnx verify` reads one: its nodes, names and attributes, and with further outputs. */
#include "cli/onnx_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void look_at(FILE *out, const struct cli_node *n)
{
    struct cli_span name;
    for (struct cli_span rest = n->message; cli_node_input(&rest, &name);) {
        (void)fwrite(name.data, 1, name.size, out);
    }
    for (struct cli_span rest = n->message; cli_node_output(&rest, &name);) {
        (void)fwrite(name.data, 1, name.size, out);
    }
    cli_node_print_attributes(out, n);
}

/* The longer file has the same nodes. */
static void add_outputs(struct cli_span file, size_t nodes)
{
    static const char *const names[] = {"x", "a name of more than 127 bytes, so that its length takes two of them: "
                                             "0123456789012345678901234567890123456789012345678901234567890123456789"};
    size_t size;
    uint8_t *longer = cli_onnx_with_outputs(file, names, 2, &size);
    if (longer) {
        struct cli_nodes again;
        fuzz_expect(cli_nodes_read(&again, (struct cli_span){longer, size}) && again.count == nodes);
        cli_nodes_free(&again);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cli_span file = {data, size};
    struct cli_nodes nodes;
    FILE *out = fopen("/dev/null", "w");
    const bool read = cli_nodes_read(&nodes, file);
    fuzz_expect(read == (nodes.why[0] == 0));
    if (read && out) {
        for (size_t i = 0; i < nodes.count; i++) {
            look_at(out, &nodes.items[i]);
        }
        add_outputs(file, nodes.count);
    }
    cli_nodes_free(&nodes);
    if (out) {
        fclose(out);
    }
    return 0;
}
