// Runs the shared cases of bindings/cases through mx2onnx.hpp, and what of it they do not reach.
//     cases FOLDER          the folder of cases.json
#include <mx2onnx.hpp>

#include "sha256.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <jansson.h>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using namespace mx2onnx;

namespace {

struct Thrown {}; // "an error of the language's own"

std::string folder;

/* ---------------------------------------------------------------- JSON */

using Json = std::shared_ptr<json_t>;

Json owned(json_t *j)
{
    return Json(j, json_decref);
}

std::string text(const json_t *step, const char *key)
{
    const char *s = json_string_value(json_object_get(step, key));
    return s ? s : "";
}

std::optional<std::string> maybe(const json_t *step, const char *key)
{
    const char *s = json_string_value(json_object_get(step, key));
    return s ? std::optional<std::string>(s) : std::nullopt;
}

std::int64_t number(const json_t *step, const char *key)
{
    return json_integer_value(json_object_get(step, key));
}

bool flag(const json_t *step, const char *key)
{
    return json_is_true(json_object_get(step, key));
}

template <typename T>
std::vector<T> numbers(const json_t *step, const char *key)
{
    std::vector<T> all;
    const json_t *list = json_object_get(step, key);
    for (std::size_t i = 0; i < json_array_size(list); i++) {
        all.push_back(static_cast<T>(json_number_value(json_array_get(list, i))));
    }
    return all;
}

std::string joined(const std::vector<std::string> &parts, const char *by)
{
    std::string all;
    for (const std::string &part : parts) {
        all += (all.empty() ? "" : by) + part;
    }
    return all;
}

/* ---------------------------------------------------------------- files */

std::string path_of(const json_t *step)
{
    return folder + "/" + text(step, "file");
}

std::string contents(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string digest(const std::string &s)
{
    return sha256::hex(s.data(), s.size());
}

std::string digest_of(const std::vector<std::uint8_t> &v)
{
    return sha256::hex(v.data(), v.size());
}

/* ---------------------------------------------------------------- handlers */

void like(const Node &n)
{
    n.set_output_like(0, 0);
}

void leaky(const Node &n)
{
    n.set_result(0, n.add("LeakyRelu", {n.input(0)}, "{\"alpha\": " + n.attribute("slope").value() + "}"));
}

void split_infer(const Node &n)
{
    std::vector<std::int64_t> dims = n.input_dims(0);
    dims.at(1) /= 2;
    for (std::size_t output = 0; output < n.output_count(); output++) {
        n.set_output(output, n.input_dtype(0), dims);
        for (std::size_t axis = 0; axis < dims.size(); axis++) {
            if (dims[axis] < 0) {
                n.set_output_dim(output, axis, 0, axis);
            }
        }
    }
}

void split_lower(const Node &n)
{
    const std::int64_t half = n.input_dims(0).at(1) / 2, sizes[] = {half, half};
    const auto parts = n.add("Split", {n.input(0), n.constant(DType::int64, {2}, sizes, sizeof sizes)}, "{\"axis\": 1}", 2);
    n.set_result(0, parts[0]);
    n.set_result(1, parts[1]);
}

void table(const Node &n)
{
    const std::vector<std::uint8_t> data = n.input_read(1);
    std::vector<std::uint8_t> turned;
    for (std::size_t i = data.size(); i > 0; i -= 4) {
        turned.insert(turned.end(), &data[i - 4], &data[i - 4] + 4);
    }
    const auto count = static_cast<std::int64_t>(data.size() / 4);
    n.set_result(0, n.add("Mul", {n.input(0), n.constant(n.input_stored_dtype(1), {count}, turned.data(), turned.size())}));
}

void describe(const Node &n)
{
    std::vector<std::string> parts = {"name=" + n.name(), "operator=" + n.op(), "opset=" + std::to_string(n.opset()),
                                      "domain=" + n.domain().value_or("")};
    for (const auto &[key, value] : n.attributes()) {
        parts.push_back(key + "=" + value);
    }
    parts.push_back("outputs=" + std::to_string(n.output_count()));
    for (std::size_t i = 0; i < n.input_count(); i++) {
        std::vector<std::string> dims;
        for (const std::int64_t d : n.input_dims(i)) {
            dims.push_back(std::to_string(d));
        }
        parts.push_back("input=" + n.input_name(i) + " " + dtype_name(n.input_dtype(i)) + " (" + joined(dims, ",") + ") "
                        + dtype_name(n.input_stored_dtype(i)) + " " + std::to_string(n.input_bytes(i)));
    }
    n.set_result(0, n.add("Describe", {n.input(0)}, "{\"text\": \"" + joined(parts, ";") + "\"}", 1, n.domain().value()).at(0));
}

void toss(const Node &)
{
    throw Thrown();
}

Handler handler_of(const std::string &name, Model &model)
{
    const std::map<std::string, Handler> all = {
        {"leaky", {like, leaky}},
        {"split2", {split_infer, split_lower}},
        {"table", {like, table}},
        {"describe", {like, describe}},
        {"refuse", {[](const Node &n) { n.fail("refused on purpose"); }, leaky}},
        {"throw in infer", {toss, leaky}},
        {"throw in lower", {like, toss}},
        {"shape only", {like, {}}},
        {"busy",
         {[&model](const Node &n) {
              try {
                  model.opset(13);
              } catch (const Error &e) {
                  if (e.status() == Status::invalid_argument && model.inputs().empty()) {
                      like(n);
                  }
              }
          },
          leaky}},
    };
    return all.at(name);
}

/* ---------------------------------------------------------------- a case */

/* By the end of the C name. */
Option option_called(const std::string &name)
{
    static const std::map<std::string, Option> all = {
        {"OPSET", Option::opset},
        {"CLASSES", Option::classes},
        {"CROP", Option::crop},
        {"NODES_LIMIT", Option::nodes_limit},
        {"OUTPUT_LIMIT", Option::output_limit},
    };
    return all.at(name);
}

class Run {
  public:
    Run(const fs::path &target) : target_(target)
    {
    }

    // What came out of a step, in the form of `expect`.
    Json step(const json_t *step)
    {
        out_ = owned(json_object());
        log_ = 0;
        watched_.reset();
        std::string status = "OK";
        try {
            if (!(load(step) || choose_input(step) || choose(step) || callbacks(step) || run(step))) {
                status = "no such step: " + text(step, "do");
            }
        } catch (const Error &e) {
            status = status_name(e.status());
            if (e.diagnostics().empty() || std::string(e.what()).empty()) {
                status += " without diagnostics";
            }
        } catch (const Thrown &) {
            status = "THROWN";
        }
        set("status", json_string(status.c_str()));
        set("diagnostics", diagnostics());
        set("log", json_integer(log_));
        if (watched_) {
            set("progress", json_pack("[II]", static_cast<json_int_t>(watched_->first), static_cast<json_int_t>(watched_->second)));
        }
        return out_;
    }

  private:
    void set(const char *key, json_t *value)
    {
        json_object_set_new(out_.get(), key, value);
    }

    bool load(const json_t *step)
    {
        const std::string what = text(step, "do"), path = path_of(step);
        const std::string data = maybe(step, "file") ? contents(path) : "";
        const auto reader = [data, toss = flag(step, "throw")](std::uint64_t offset, void *buffer, std::size_t size) {
            if (toss) {
                throw Thrown();
            }
            std::memcpy(buffer, data.data() + offset, size);
        };
        if (what == "load") {
            model_.load(path);
        } else if (what == "load_symbol") {
            model_.load_symbol(path);
        } else if (what == "load_params") {
            model_.load_params(path);
        } else if (what == "load_memory") {
            model_.load_memory(Memory::copy(data.data(), data.size()));
        } else if (what == "load_symbol_memory") {
            model_.load_symbol_memory(data);
        } else if (what == "load_params_memory") {
            model_.load_params_memory(std::vector<char>(data.begin(), data.end()));
        } else if (what == "load_callback") {
            model_.load_reader(data.size(), reader);
        } else if (what == "load_params_callback") {
            model_.load_params_reader(data.size(), reader);
        } else if (what == "set_param") {
            model_.set_param(text(step, "name"), dtype_from_name(text(step, "dtype")), numbers<std::int64_t>(step, "dims"),
                             numbers<std::uint8_t>(step, "bytes"));
        } else if (what == "param_prefix") {
            model_.param_prefix(text(step, "prefix"));
        } else {
            return load_net(step, path);
        }
        return true;
    }

    bool load_net(const json_t *step, const std::string &path)
    {
        const std::string what = text(step, "do");
        if (what == "load_catalogue") {
            model_.load_catalogue(path);
        } else if (what == "check_file") {
            model_.check_external_data(path);
        } else if (what == "load_net") {
            model_.load_net(maybe(step, "name"));
            set("net", json_string(model_.net().value().c_str()));
        } else if (what == "identify_net") {
            model_.identify_net();
        } else if (what == "use_published") {
            model_.use_published(text(step, "choice") == "SHAPES" ? Published::shapes : Published::normalization);
        } else if (what == "nets") {
            json_t *list = json_array();
            for (const PublishedNet &n : model_.nets()) {
                json_array_append_new(list, json_pack("{ss ss}", "name", n.name.c_str(), "text", n.text.c_str()));
            }
            set("nets", list);
        } else {
            return false;
        }
        return true;
    }

    bool choose_input(const json_t *step)
    {
        const std::string what = text(step, "do"), input = text(step, "input");
        if (what == "input_shape") {
            std::vector<Dim> dims;
            const json_t *list = json_object_get(step, "dims");
            for (std::size_t i = 0; i < json_array_size(list); i++) {
                const json_t *d = json_array_get(list, i);
                dims.push_back(json_is_string(d) ? Dim(json_string_value(d)) : Dim(json_integer_value(d)));
            }
            model_.input_shape(input, dims);
        } else if (what == "input_dim_name") {
            model_.input_dim_name(input, static_cast<std::size_t>(number(step, "axis")), maybe(step, "name"));
        } else if (what == "input_dtype") {
            model_.input_dtype(input, dtype_from_name(text(step, "dtype")));
        } else if (what == "channels_last") {
            model_.input_channels_last(input, flag(step, "on"));
        } else if (what == "channels_reversed") {
            model_.input_channels_reversed(input, flag(step, "on"));
        } else if (what == "mean") {
            model_.input_mean(input, numbers<double>(step, "values"));
        } else if (what == "scale") {
            model_.input_scale(input, numbers<double>(step, "values"));
        } else {
            return false;
        }
        return true;
    }

    bool choose(const json_t *step)
    {
        const std::string what = text(step, "do"), name = text(step, "name"), mode = text(step, "mode");
        const bool on = flag(step, "on");
        if (what == "add_output") {
            model_.add_output(name);
        } else if (what == "rename") {
            model_.rename(text(step, "old"), text(step, "new"));
        } else if (what == "opset") {
            model_.opset(static_cast<std::int32_t>(number(step, "opset")));
        } else if (what == "target") {
            model_.target(maybe(step, "name"));
        } else if (what == "trust_indices") {
            model_.trust_indices(on);
        } else if (what == "option" || what == "reset_option") {
            const Option which = option_called(text(step, "which"));
            if (what == "option") {
                try {
                    model_.option(which, number(step, "value"));
                } catch (...) {
                    set("option", json_integer(std::as_const(model_).option(which)));
                    throw;
                }
            } else {
                model_.reset_option(which);
            }
            set("option", json_integer(std::as_const(model_).option(which)));
        } else if (what == "external_data") {
            static const std::map<std::string, External> modes = {{"AUTO", External::automatic},
                                                                  {"NEVER", External::never},
                                                                  {"ALWAYS", External::always},
                                                                  {"IN_PLACE", External::in_place},
                                                                  {"LINK", External::link}};
            model_.external_data(modes.at(mode), number(step, "threshold"));
        } else if (what == "full_checksum") {
            model_.full_checksum(on);
        } else if (what == "initializers_as_inputs") {
            model_.initializers_as_inputs(on);
        } else if (what == "keep_batch_norm") {
            model_.keep_batch_norm(on);
        } else if (what == "fsync") {
            model_.fsync(on);
        } else if (what == "float16") {
            model_.float16(mode == "ALL" ? Float16::all : mode == "INSIDE" ? Float16::inside : Float16::off);
        } else if (what == "keep_float32") {
            model_.node_precision(name, flag(step, "keep") ? Precision::float32 : Precision::float16);
        } else if (what == "seed") {
            model_.seed(static_cast<std::int32_t>(number(step, "seed")));
        } else if (what == "unknown_domain") {
            model_.unknown_domain(maybe(step, "domain"));
        } else {
            return false;
        }
        return true;
    }

    bool callbacks(const json_t *step)
    {
        const std::string what = text(step, "do"), handler = text(step, "handler");
        if (what == "custom_operator" && handler.empty()) {
            model_.remove_custom_operator(text(step, "name"));
        } else if (what == "custom_operator") {
            model_.custom_operator(text(step, "name"), static_cast<std::size_t>(number(step, "outputs")), handler_of(handler, model_));
        } else if (what == "progress" && handler.empty()) {
            model_.progress({});
        } else if (what == "progress") {
            model_.progress([this, handler](const ProgressState &now) {
                if (handler == "throw") {
                    throw Thrown();
                }
                watched_ = {now.done, now.total};
                return handler == "watch";
            });
        } else if (what == "log" && handler.empty()) {
            model_.log({});
        } else if (what == "log") {
            model_.log([this, handler](Severity severity, std::string_view) {
                if (handler == "throw") {
                    throw Thrown();
                }
                log_ += severity <= Severity::note;
            });
        } else {
            return false;
        }
        return true;
    }

    bool run(const json_t *step)
    {
        const std::string what = text(step, "do");
        if (what == "infer") {
            model_.infer();
        } else if (what == "look") {
            look();
        } else if (what == "export_file") {
            export_file(target_ / maybe(step, "path").value_or("model.onnx"));
        } else if (what == "export_memory") {
            const Buffer buffer = model_.export_memory();
            set("sha256", json_string(digest({buffer.begin(), buffer.end()}).c_str()));
        } else if (what == "export_stream" && flag(step, "throw")) {
            model_.export_writer([](const void *, std::size_t) { throw Thrown(); });
        } else if (what == "export_stream") {
            std::ostringstream stream;
            model_.export_stream(stream);
            set("sha256", json_string(digest(stream.str()).c_str()));
        } else {
            return false;
        }
        return true;
    }

    void export_file(const fs::path &path)
    {
        model_.export_file(path.string());
        set("sha256", json_string(digest(contents(path.string())).c_str()));
        fs::remove(path);
        const fs::path data = path.string() + ".data";
        if (fs::exists(data)) {
            set("data_sha256", json_string(digest(contents(data.string())).c_str()));
            fs::remove(data);
        }
        if (!fs::is_empty(target_)) {
            throw std::runtime_error("the export left a file");
        }
    }

    static json_t *tensors(const std::vector<Tensor> &all)
    {
        json_t *list = json_array();
        for (const Tensor &t : all) {
            json_t *dims = t.dims ? json_array() : json_null();
            for (const Dim &d : t.dims.value_or(std::vector<Dim>())) {
                json_array_append_new(dims, d.size() >= 0      ? json_integer(d.size())
                                            : d.name().empty() ? json_null()
                                                               : json_string(d.name().c_str()));
            }
            json_array_append_new(list, json_pack("{ssssso}", "name", t.name.c_str(), "dtype", dtype_name(t.dtype).c_str(), "dims", dims));
        }
        return list;
    }

    json_t *params()
    {
        json_t *list = json_array();
        const std::vector<Param> all = model_.params();
        for (std::size_t i = 0; i < all.size(); i++) {
            json_t *dims = json_array();
            for (const std::int64_t d : all[i].dims) {
                json_array_append_new(dims, json_integer(d));
            }
            json_array_append_new(list,
                                  json_pack("{ssssso sb ss}", "name", all[i].name.c_str(), "dtype", dtype_name(all[i].dtype).c_str(),
                                            "dims", dims, "used", int(all[i].used), "sha256", digest_of(model_.param_read(i)).c_str()));
        }
        return list;
    }

    void look()
    {
        const std::vector<Operator> used = model_.operators();
        const std::vector<Variable> unvalued = model_.variables(); // both may throw, so before what would leak
        json_t *operators = json_array();
        for (const Operator &o : used) {
            json_array_append_new(operators, json_pack("{ss sI sb}", "name", o.name.c_str(), "uses", static_cast<json_int_t>(o.uses),
                                                       "supported", int(o.supported)));
        }
        const Written w = model_.written();
        set("inputs", tensors(model_.inputs()));
        set("outputs", tensors(model_.outputs()));
        json_t *variables = json_array();
        for (const Variable &v : unvalued) {
            static const char *const kinds[] = {"INPUT", "WEIGHT", "UNUSED"};
            json_array_append_new(variables, json_pack("{ss ss}", "name", v.name.c_str(), "kind", kinds[static_cast<int>(v.kind)]));
        }
        set("variables", variables);
        set("params", params());
        set("operators", operators);
        set("written", json_pack("{si sI sI}", "opset", int(w.opset), "nodes", static_cast<json_int_t>(w.nodes), "bytes",
                                 static_cast<json_int_t>(w.bytes)));
    }

    json_t *diagnostics() const
    {
        static const char *const severities[] = {"ERROR", "WARNING", "NOTE", "DEBUG"};
        json_t *list = json_array();
        for (const Diagnostic &d : model_.diagnostics()) {
            json_array_append_new(list, json_pack("{ss ss ss ss ss ss}", "severity", severities[int(d.severity)], "status",
                                                  status_name(d.status).c_str(), "node", d.node.c_str(), "op", d.op.c_str(), "attribute",
                                                  d.attribute.c_str(), "name", d.name.substr(d.name.rfind('/') + 1).c_str()));
        }
        return list;
    }

    Model model_;
    fs::path target_;
    Json out_;
    int log_ = 0;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> watched_;
};

int passed = 0, failed = 0;

void report(const std::string &what, const std::string &wrong)
{
    (wrong.empty() ? passed : failed)++;
    if (!wrong.empty()) {
        std::printf("FAILED %s: %s\n", what.c_str(), wrong.c_str());
    }
}

std::string run_case(const json_t *steps, const fs::path &target)
{
    Run run(target);
    for (std::size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const Json found = run.step(step);
        const char *key;
        json_t *wanted;
        json_object_foreach(json_object_get(step, "expect"), key, wanted)
        {
            const json_t *value = json_object_get(found.get(), key);
            if (!json_equal(value, wanted)) {
                const std::unique_ptr<char, void (*)(void *)> dump(json_dumps(value, JSON_ENCODE_ANY), free);
                return "step " + std::to_string(i) + " (" + text(step, "do") + "): " + key + " is " + (dump ? dump.get() : "absent");
            }
        }
    }
    return "";
}

/* ---------------------------------------------------------------- what no case reaches */

void check(const char *what, bool good)
{
    report(what, good ? "" : "is not so");
}

void check_ownership(const std::string &symbol, const std::string &params)
{
    Model first(symbol);
    auto seen = std::make_shared<int>(0);
    first.progress([seen](const ProgressState &) { return ++*seen > 0; });
    Model second(std::move(first)); // callbacks move with the model
    second.input_shape("data", {1, 1, 8, 8});
    const std::vector<std::uint8_t> bytes = second.export_bytes();
    check("a moved model calls its callback", *seen > 0);
    second.progress({});
    check("a callback taken back is released", seen.use_count() == 1);

    const std::string data = contents(params);
    std::weak_ptr<const std::string> watch;
    {
        auto owner = std::make_shared<const std::string>(data);
        watch = owner;
        Model m;
        m.load_symbol(symbol).load_params_memory(Memory::borrow(owner->data(), owner->size(), owner));
        owner.reset();
        check("borrowed memory is kept", !watch.expired());
        check("memory gives the same bytes", m.input_shape("data", {1, 1, 8, 8}).export_bytes() == bytes);
    }
    check("and is released with the model", watch.expired());

    Model streams;
    std::istringstream now(contents(symbol));
    streams.load_stream(now).load_params_stream(std::make_unique<std::ifstream>(params, std::ios::binary));
    check("streams give the same bytes", streams.input_shape("data", {1, 1, 8, 8}).export_bytes() == bytes);
    std::ostringstream full;
    full.setstate(std::ios::badbit);
    try {
        streams.export_stream(full);
        check("a stream that takes no more", false);
    } catch (const Error &e) {
        check("a stream that takes no more", e.status() == Status::io);
    }
}

void check_texts(const std::string &symbol)
{
    Model m(symbol);
    m.input_shape("data", {"batch", 1, 8, 8}).export_bytes();
    check("report_json", m.report_json().front() == '{');
    check("graph_text", m.graph_text().find("Conv") != std::string::npos);
    check("graph_text of MXNet", m.graph_text(mx2onnx::Graph::mxnet).find("Convolution") != std::string::npos);
    check("graph_json", m.graph_json().find("\"graph\":\"onnx\"") != std::string::npos);
    check("graph_json of MXNet", m.graph_json(mx2onnx::Graph::mxnet).find("\"op\":\"Convolution\"") != std::string::npos);
    check("version", version_number() == MX2ONNX_VERSION_NUMBER && !version().empty());
    check("features", has_feature(Feature::zip) && !has_feature(static_cast<Feature>(99)));
    check("operators", known_operators().size() == mx2onnx_known_operator_count() && known_operators().front().opset > 0);
    for (const KnownOperator &o : known_operators()) {
        check("refused", o.name != "Pooling" || (o.status == "partial" && !o.refuses.empty()));
        check("differs", o.name != "Cast" || (o.status == "differs" && !o.differs.empty()));
    }
    check("targets", targets().size() == mx2onnx_target_count());
    check("texts", status_text(Status::format) != "" && dtype_name(DType::bfloat16) == "bfloat16");
    try {
        m.opset(99);
        check("an error has its words", false);
    } catch (const Error &e) {
        check("an error has its words", std::string(e.what()).find(e.diagnostics().at(0).message) != std::string::npos);
    }
}

/* ---- callbacks and arguments */

template <typename E, typename F>
bool throws(F call)
{
    try {
        call();
    } catch (const E &) {
        return true;
    } catch (...) {
    }
    return false;
}

template <typename F>
bool refuses(F call, Status status = Status::invalid_argument)
{
    try {
        call();
    } catch (const Error &e) {
        return e.status() == status;
    }
    return false;
}

/* Every look, each on a model that has to be prepared for it. */
const std::vector<std::function<void(Model &)>> &looks()
{
    static const std::vector<std::function<void(Model &)>> all = {
        [](Model &m) { m.inputs(); },    [](Model &m) { m.outputs(); },     [](Model &m) { m.variables(); },  [](Model &m) { m.params(); },
        [](Model &m) { m.operators(); }, [](Model &m) { m.report_json(); }, [](Model &m) { m.graph_text(); },
    };
    return all;
}

void check_looks(const std::string &symbol)
{
    bool thrown = true, stopped = true, after = true;
    for (const auto &look : looks()) {
        Model m(symbol);
        m.input_shape("data", {1, 1, 8, 8});
        m.progress([](const ProgressState &) -> bool { throw Thrown(); });
        thrown = throws<Thrown>([&] { look(m); }) && thrown;
        m.progress([](const ProgressState &) { return false; });
        stopped = refuses([&] { look(m); }, Status::cancelled) && stopped;
        m.progress({}).opset(17);
        look(m);
        after = m.export_bytes().size() > 1000 && m.inputs().size() == 1 && after;
    }
    check("what a progress function throws comes out of the look that asks it", thrown);
    check("a look that is stopped does not give an empty answer", stopped);
    check("and leaves the model as it was", after);
}

/* A handler reads a parameter whose reader throws, and goes on; the log throws, which cannot stop the call by itself. */
void check_first_exception(const std::string &symbol, const std::string &params)
{
    bool broken = false;
    int lines = 0;
    const auto data = std::make_shared<std::string>(contents(params));
    Model m;
    m.load_symbol(symbol).load_params_reader(data->size(), [&broken, data](std::uint64_t offset, void *to, std::size_t size) {
        if (broken) {
            throw Thrown();
        }
        std::memcpy(to, data->data() + offset, size);
    });
    m.input_shape("data", {1, 1, 8, 8})
        .log(
            [&lines](Severity, std::string_view) {
                lines++;
                throw Thrown();
            },
            Severity::debug);
    check("what a log function throws comes out of the call", throws<Thrown>([&] { m.graph_text(); }));
    check("and no function is called after it", lines == 1);
    m.log({});
    broken = true;
    check("what a reader throws comes out of the export", throws<Thrown>([&] { m.export_bytes(); }));
    broken = false;
    check("and of no later call", m.export_bytes().size() > 1000);
}

void check_ways_back(const std::string &symbol)
{
    Model m(symbol);
    m.input_shape("data", {"batch", 1, 8, 8});
    const std::vector<std::uint8_t> want = m.export_bytes();
    m.metadata("b", "two").metadata("a", "");
    const std::vector<std::pair<std::string, std::string>> entries{{"a", ""}, {"b", "two"}};
    check("metadata", m.metadata() == entries && m.metadata("b") == std::optional<std::string>("two") && !m.metadata("c"));
    check("a key of the library", refuses([&] { m.metadata("input:data", "x"); }));
    const Buffer onnx = m.export_memory();
    const std::string bytes(onnx.begin(), onnx.end());
    check("metadata is written", bytes.find(std::string("\n\1b\22\3two")) != std::string::npos);
    check("an entry is removed", m.metadata("a", std::nullopt).metadata().size() == 1 && m.clear_metadata().metadata().empty());
    Model chosen;
    check("nothing is chosen",
          !chosen.chosen_shape("data") && chosen.chosen_dtype("data") == DType::unknown && !chosen.chosen_name("data"));
    chosen.input_shape("data", {"n", 1, -1}).input_dtype("data", DType::uint8).rename("data", "pixels");
    check("what is chosen", chosen.chosen_shape("data") == std::vector<Dim>{"n", 1, -1} && chosen.chosen_dtype("data") == DType::uint8
                                && chosen.chosen_name("data") == std::string("pixels"));
    m.input_mean("data", {1}).input_scale("data", {0.5}).input_channels_last("data", true);
    check("preprocessing", m.input_mean("data") == std::vector<double>{1} && m.input_scale("data") == std::vector<double>{0.5}
                               && m.input_channels_last("data") && !m.input_channels_reversed("data"));
    m.input_mean("data", {}).input_scale("data", {}).input_channels_last("data", false);
    check("no preprocessing", m.input_mean("data").empty() && !m.input_channels_last("data"));
    for (const Param &p : m.params()) {
        if (p.name == "fc1_bias") {
            m.set_param(p.name, p.dtype, p.dims, std::vector<std::uint8_t>(static_cast<std::size_t>(p.bytes)));
        }
    }
    check("a value", m.export_bytes() != want);
    check("a value is removed", m.remove_param("fc1_bias").export_bytes() == want);
    check("there is no value", refuses([&] { m.remove_param("fc1_bias"); }, Status::not_found));
    check("a domain", m.domain_version("ai.onnx.ml", 3).domain_version("ai.onnx.ml") == 3);
    check("no domain", m.domain_version("ai.onnx.ml", 0).domain_version("ai.onnx.ml") == 1);
    std::ifstream file(folder + "/nets.zip", std::ios::binary);
    const std::string nets{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    check("a catalogue in memory", !m.load_catalogue_memory(nets.data(), nets.size()).nets().empty());
    check("no candidate", refuses([&] { m.identify_net(); }, Status::not_found));
}

void check_arguments(const std::string &symbol)
{
    using namespace std::string_literals;
    Model m(symbol);
    m.input_shape("data", {1, 1, 8, 8});
    const std::int64_t before = m.option(Option::memory_limit);
    const std::int64_t wide = std::int64_t{1} << 40;
    const bool numbers = throws<std::out_of_range>([&] { m.opset(wide); }) && throws<std::out_of_range>([&] { m.seed(wide); })
                         && throws<std::out_of_range>([&] { m.option(Option::memory_limit, UINT64_MAX); })
                         && throws<std::out_of_range>([&] { m.external_data(External::always, UINT64_MAX); })
                         && throws<std::out_of_range>([&] { m.option(Option::classes, UINT64_MAX); })
                         && throws<std::out_of_range>([&] { m.input_dim_name("data", -1, "n"); }) && throws<std::out_of_range>([&] {
                                m.input_shape("data", {UINT64_MAX, 1, 8, 8});
                            });
    check("numbers that do not fit are errors", numbers && m.option(Option::memory_limit) == before);
    static_assert(
        !std::is_convertible_v<
            bool,
            Dim> && !std::is_convertible_v<double, Dim> && !std::is_convertible_v<bool, Integer<int>> && !std::is_convertible_v<double, Integer<int>> && std::is_convertible_v<short, Integer<int>>);
    const std::string name = "data\0x"s;
    const bool names = refuses([&] { m.rename("data", name); }) && refuses([&] { m.rename(name, "x"); })
                       && refuses([&] { m.input_shape(name, {1}); }) && refuses([&] {
                              m.input_shape("data", {name, 1, 8, 8});
                          })
                       && refuses([&] { m.input_dim_name("data", 0, name); }) && refuses([&] { m.add_output(name); })
                       && refuses([&] { m.target("opencv4\0"s); }) && refuses([&] { m.unknown_domain(name); })
                       && refuses([&] { m.set_param(name, DType::float32, {1}, Memory(std::vector<float>{1})); }) && refuses([&] {
                              m.custom_operator(name, 1, {like, leaky});
                          })
                       && refuses([&] { m.load_params(symbol + "\0"s); }) && refuses([&] { m.export_file("x\0"s); })
                       && dtype_from_name("int8\0"s) == DType::unknown;
    check("names with a NUL are errors", names);
    check("and change nothing", m.infer().inputs().at(0).name == "data" && m.inputs().at(0).dims->at(0) == Dim(1));
}

void check_paths(const std::string &symbol, const std::string &params, const fs::path &target)
{
    static_assert(
        std::is_constructible_v<
            Model,
            fs::path> && std::is_constructible_v<Model, std::string> && std::is_constructible_v<Model, std::string_view> && std::is_constructible_v<Model, const char *> && !std::is_convertible_v<fs::path, Model>);
    fs::create_directory(target);
    const char *const word = "n\xC3\xA9t-\xE7\xBD\x91-symbol.json"; // in UTF-8
    const fs::path file = target / fs::u8path(word), other = target / fs::u8path("\xC3\xA9.onnx");
    fs::copy_file(symbol, file);
    const std::string utf8 = target.u8string() + "/" + word;
    Model m;
    m.load_symbol(file).load_params(fs::path(params)).export_file(other);
    check("a path is one of the file system", fs::file_size(other) > 100 && Model(file).outputs().size() == 1);
    check("what is not a model is", refuses([&] { m.load_catalogue(other); }, Status::format));
    check("nor one with files", !refuses([&] { m.check_external_data(other); }));
    check("a text of a path is UTF-8", Model(utf8).outputs().size() == 1 && Model(std::string_view(utf8)).outputs().size() == 1
                                           && Model(utf8.c_str()).outputs().size() == 1);
    check("a path that is not there", refuses([&] { Model{target / "nosuch"}; }, Status::not_found));
    fs::remove_all(target);
}

} // namespace

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    const Json all = owned(json_load_file((folder + "/cases.json").c_str(), 0, nullptr));
    const fs::path target = fs::temp_directory_path() / ("mx2onnx-cpp-" + std::to_string(reinterpret_cast<std::uintptr_t>(&all)));
    const json_t *cases = json_object_get(all.get(), "cases");
    for (std::size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        fs::create_directory(target);
        std::string wrong;
        try {
            wrong = run_case(json_object_get(one, "steps"), target);
        } catch (const std::exception &e) {
            wrong = e.what();
        }
        report(text(one, "name"), wrong);
        fs::remove_all(target);
    }
    const std::string digits = folder + "/../../examples/digits/digits-";
    check_ownership(digits + "symbol.json", digits + "0000.params");
    check_texts(digits + "symbol.json");
    check_looks(digits + "symbol.json");
    check_first_exception(digits + "symbol.json", digits + "0000.params");
    check_arguments(digits + "symbol.json");
    check_ways_back(digits + "symbol.json");
    check_paths(digits + "symbol.json", digits + "0000.params", target);
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
