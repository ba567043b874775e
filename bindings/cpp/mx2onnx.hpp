/* SPDX-License-Identifier: Apache-2.0
 *
 * libmx2onnx for C++17: mx2onnx.h with owners, exceptions and functions that are objects.
 *
 *     mx2onnx::Model model("resnet-symbol.json");
 *     model.input_shape("data", {"batch", 3, 224, 224}).export_file("resnet.onnx");
 *
 * mx2onnx.h describes each call; this header differs from it as follows:
 *   A call that fails throws Error, with the status and the model's diagnostics. An exception from a function of the caller's (a
 *     reader, a handler, ...) stops the call and is thrown again, unchanged.
 *     The same holds for a progress function during a query such as inputs(); if it asks to stop, the query throws Error, cancelled.
 *   An integer that C's type cannot hold is std::out_of_range, a text with a NUL character Error, invalid_argument.
 *   Choices return the model, to be chained. Strings are UTF-8, those of paths too; a std::filesystem::path is what it is.
 *   Memory is copied, moved in, or borrowed: see Memory. What is looked up is returned by value.
 *   A Model can be moved, not copied. One that was moved from may only be assigned to or destroyed.
 */
#ifndef MX2ONNX_HPP
#define MX2ONNX_HPP

#include <mx2onnx.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <istream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mx2onnx {

enum class Status : std::int32_t {
    ok = MX2ONNX_STATUS_OK,
    invalid_argument = MX2ONNX_STATUS_INVALID_ARGUMENT,
    out_of_memory = MX2ONNX_STATUS_OUT_OF_MEMORY,
    io = MX2ONNX_STATUS_IO,
    not_found = MX2ONNX_STATUS_NOT_FOUND,
    format = MX2ONNX_STATUS_FORMAT,
    unsupported = MX2ONNX_STATUS_UNSUPPORTED,
    shape = MX2ONNX_STATUS_SHAPE,
    missing_parameter = MX2ONNX_STATUS_MISSING_PARAMETER,
    too_large = MX2ONNX_STATUS_TOO_LARGE,
    cancelled = MX2ONNX_STATUS_CANCELLED,
    internal = MX2ONNX_STATUS_INTERNAL
};

enum class DType : std::int32_t {
    unknown = MX2ONNX_DTYPE_UNKNOWN,
    float32 = MX2ONNX_DTYPE_FLOAT32,
    float64 = MX2ONNX_DTYPE_FLOAT64,
    float16 = MX2ONNX_DTYPE_FLOAT16,
    uint8 = MX2ONNX_DTYPE_UINT8,
    int32 = MX2ONNX_DTYPE_INT32,
    int8 = MX2ONNX_DTYPE_INT8,
    int64 = MX2ONNX_DTYPE_INT64,
    boolean = MX2ONNX_DTYPE_BOOL,
    int16 = MX2ONNX_DTYPE_INT16,
    uint16 = MX2ONNX_DTYPE_UINT16,
    uint32 = MX2ONNX_DTYPE_UINT32,
    uint64 = MX2ONNX_DTYPE_UINT64,
    bfloat16 = MX2ONNX_DTYPE_BFLOAT16
};

enum class Severity : std::int32_t {
    error = MX2ONNX_SEVERITY_ERROR,
    warning = MX2ONNX_SEVERITY_WARNING,
    note = MX2ONNX_SEVERITY_NOTE,
    debug = MX2ONNX_SEVERITY_DEBUG
};

enum class External : std::int32_t {
    automatic = MX2ONNX_EXTERNAL_AUTO,
    never = MX2ONNX_EXTERNAL_NEVER,
    always = MX2ONNX_EXTERNAL_ALWAYS,
    in_place = MX2ONNX_EXTERNAL_IN_PLACE,
    link = MX2ONNX_EXTERNAL_LINK
};

enum class Float16 : std::int32_t { off = MX2ONNX_FLOAT16_OFF, all = MX2ONNX_FLOAT16_ALL, inside = MX2ONNX_FLOAT16_INSIDE };

enum class Precision : std::int32_t {
    automatic = MX2ONNX_PRECISION_AUTO,
    float32 = MX2ONNX_PRECISION_FLOAT32,
    float16 = MX2ONNX_PRECISION_FLOAT16
};

/* Options with a number: Model::option, Model::reset_option. The usual ones have their own function, too. */
enum class Option : std::int32_t {
    opset = MX2ONNX_OPTION_OPSET,
    float16 = MX2ONNX_OPTION_FLOAT16,
    trust_indices = MX2ONNX_OPTION_TRUST_INDICES,
    keep_batch_norm = MX2ONNX_OPTION_KEEP_BATCH_NORM,
    initializers_as_inputs = MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS,
    seed = MX2ONNX_OPTION_SEED,
    external_data = MX2ONNX_OPTION_EXTERNAL_DATA,
    external_threshold = MX2ONNX_OPTION_EXTERNAL_THRESHOLD,
    full_checksum = MX2ONNX_OPTION_FULL_CHECKSUM,
    fsync = MX2ONNX_OPTION_FSYNC,
    classes = MX2ONNX_OPTION_CLASSES,
    crop = MX2ONNX_OPTION_CROP,
    segments = MX2ONNX_OPTION_SEGMENTS,
    vocabulary = MX2ONNX_OPTION_VOCABULARY,
    memory_limit = MX2ONNX_OPTION_MEMORY_LIMIT,
    expansion_limit = MX2ONNX_OPTION_EXPANSION_LIMIT,
    nodes_limit = MX2ONNX_OPTION_NODES_LIMIT,
    output_limit = MX2ONNX_OPTION_OUTPUT_LIMIT,
    fold_input_scale = MX2ONNX_OPTION_FOLD_INPUT_SCALE,
    node_metadata = MX2ONNX_OPTION_NODE_METADATA,
    structural_names = MX2ONNX_OPTION_STRUCTURAL_NAMES
};

/* Options with a text: Model::text. */
enum class Text : std::int32_t {
    target = MX2ONNX_TEXT_TARGET,
    unknown_domain = MX2ONNX_TEXT_UNKNOWN_DOMAIN,
    param_prefix = MX2ONNX_TEXT_PARAM_PREFIX,
    producer = MX2ONNX_TEXT_PRODUCER,
    doc_string = MX2ONNX_TEXT_DOC_STRING,
    side_file = MX2ONNX_TEXT_SIDE_FILE,
    source_name = MX2ONNX_TEXT_SOURCE_NAME
};

enum class Published : std::int32_t { shapes = MX2ONNX_PUBLISHED_SHAPES, normalization = MX2ONNX_PUBLISHED_NORMALIZATION };

/* A graph of the model: MXNet's, as it is converted, and the one that an export would write. */
enum class Graph : std::int32_t { mxnet = MX2ONNX_GRAPH_MXNET, onnx = MX2ONNX_GRAPH_ONNX };

enum class Feature : std::int32_t { zip = MX2ONNX_FEATURE_ZIP, tar = MX2ONNX_FEATURE_TAR, catalogue = MX2ONNX_FEATURE_CATALOGUE };

/* A value of the ONNX graph, in a handler's lower; `none` stands for an omitted input. */
enum class Value : mx2onnx_value { none = 0 };

namespace detail {

inline std::string text(const char *s)
{
    return s ? s : "";
}

inline std::optional<std::string> text_or_none(const char *s)
{
    return s ? std::optional<std::string>(s) : std::nullopt;
}

template <typename T>
void release(void *user)
{
    delete static_cast<T *>(user);
}

} // namespace detail

/* ---------------------------------------------------------------- the library */

/* The version of the library that runs. */
inline std::string version()
{
    return mx2onnx_version();
}
inline std::int32_t version_number()
{
    return mx2onnx_version_number();
}
inline bool has_feature(Feature feature)
{
    return mx2onnx_has_feature(static_cast<mx2onnx_feature>(feature)) != 0;
}

/* "FORMAT", and a sentence. */
inline std::string status_name(Status status)
{
    return mx2onnx_status_name(static_cast<mx2onnx_status>(status));
}
inline std::string status_text(Status status)
{
    return mx2onnx_status_text(static_cast<mx2onnx_status>(status));
}

/* NumPy's names. */
inline std::string dtype_name(DType dtype)
{
    return mx2onnx_dtype_name(static_cast<mx2onnx_dtype>(dtype));
}
inline DType dtype_from_name(const std::string &name)
{
    const bool whole = name.find('\0') == std::string::npos;
    return whole ? static_cast<DType>(mx2onnx_dtype_from_name(name.c_str())) : DType::unknown;
}

/* The oldest and newest opset that the running library writes, and the usual one. */
inline std::int32_t opset_min()
{
    return mx2onnx_opset_min();
}
inline std::int32_t opset_max()
{
    return mx2onnx_opset_max();
}
inline std::int32_t opset_default()
{
    return mx2onnx_opset_default();
}

struct KnownOperator {
    std::string name, aliases;
    std::int32_t opset;
    std::string status;  /* how far it is converted: "full", "partial" (some nodes are refused), "differs", "random" or "training only" */
    std::string refuses; /* which of its nodes are not converted, and result in an error: a line for each kind */
    std::string differs; /* where its results may differ from MXNet's, and why: a line for each case */
};

/* The operators that the library knows. */
inline std::vector<KnownOperator> known_operators()
{
    std::vector<KnownOperator> all;
    for (std::size_t i = 0; i < mx2onnx_known_operator_count(); i++) {
        all.push_back({mx2onnx_known_operator_name(i), mx2onnx_known_operator_aliases(i), mx2onnx_known_operator_opset(i),
                       mx2onnx_known_operator_status(i), mx2onnx_known_operator_refuses(i), mx2onnx_known_operator_differs(i)});
    }
    return all;
}

struct Target {
    std::string name, text;
};

/* A net of the catalogue, and what is known of it in a line, and as JSON (lib/schema/net.json). */
struct PublishedNet {
    std::string name, text, json;
};

/* A net that parameters fit; the title has its sizes. */
struct Candidate {
    std::string name, title;
};

/* The programs that a file can be written for. */
inline std::vector<Target> targets()
{
    std::vector<Target> all;
    for (std::size_t i = 0; i < mx2onnx_target_count(); i++) {
        all.push_back({mx2onnx_target_name(i), mx2onnx_target_text(i)});
    }
    return all;
}

/* ---------------------------------------------------------------- what calls take and give */

struct Diagnostic {
    Severity severity;
    Status status;
    std::string node, op, attribute, name, message, advice;
};

/* A call that failed; what() is the first error as one text. */
class Error : public std::runtime_error {
  public:
    Error(Status status, const std::string &text, std::vector<Diagnostic> diagnostics = {})
        : std::runtime_error(text.empty() ? status_text(status) : text), status_(status),
          diagnostics_(std::make_shared<const std::vector<Diagnostic>>(std::move(diagnostics)))
    {
    }
    Status status() const noexcept
    {
        return status_;
    }
    const std::vector<Diagnostic> &diagnostics() const noexcept
    {
        return *diagnostics_;
    }

  private:
    Status status_;
    std::shared_ptr<const std::vector<Diagnostic>> diagnostics_; // exceptions are copied, and that may not throw
};

namespace detail {

/* A text for C, which would end at a NUL. */
inline const char *c_text(const std::string &s)
{
    if (s.find('\0') != std::string::npos) {
        const std::string head = s.c_str();
        throw Error(Status::invalid_argument, "a text has a NUL character after '" + head + "', where C would stop reading");
    }
    return s.c_str();
}

inline const char *c_text(const std::optional<std::string> &s)
{
    return s ? c_text(*s) : nullptr;
}

/* An array for C, of what the caller keeps. */
inline mx2onnx_array array(DType dtype, const std::vector<std::int64_t> &dims, const void *data, std::size_t size)
{
    mx2onnx_array a{};
    a.struct_size = sizeof a;
    a.dtype = static_cast<mx2onnx_dtype>(dtype);
    a.rank = static_cast<std::int32_t>(dims.size());
    a.dims = dims.data();
    a.data = data;
    a.size = size;
    return a;
}

} // namespace detail

/* An integer of any type that T can hold; any other value is std::out_of_range. A bool or a floating-point number does not compile. */
template <typename T>
class Integer {
  public:
    template <typename I, typename = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<std::remove_cv_t<I>, bool>>>
    Integer(I value) : value_(static_cast<T>(value))
    {
        if (static_cast<I>(value_) != value || (value_ < T{}) != (value < I{})) {
            throw std::out_of_range("mx2onnx: " + std::to_string(value) + " does not fit an integer of " + std::to_string(8 * sizeof(T))
                                    + (std::is_signed_v<T> ? " bits" : " bits without a sign"));
        }
    }
    operator T() const
    {
        return value_;
    }

  private:
    T value_;
};

/* A path for C: a std::filesystem::path, or a text, which is UTF-8 on Windows and the system's bytes elsewhere. */
class Path {
  public:
    Path(const std::filesystem::path &path)
#ifdef _WIN32
    {
        const auto utf8 = path.u8string(); // of char8_t from C++20 on
        text_.assign(utf8.begin(), utf8.end());
    }
#else
        : text_(path.native())
    {
    }
#endif
    Path(std::string text) : text_(std::move(text))
    {
    }
    Path(std::string_view text) : text_(text)
    {
    }
    Path(const char *text) : text_(text)
    {
    }
    const std::string &text() const
    {
        return text_;
    }

  private:
    std::string text_;
};

/* A size; a name, which makes the dim dynamic; or Dim::open(), which inference finds or makes dynamic. */
class Dim {
  public:
    template <typename I, typename = std::enable_if_t<std::is_convertible_v<I, Integer<std::int64_t>> && std::is_integral_v<I>>>
    Dim(I size) : size_(Integer<std::int64_t>(size))
    {
    }
    Dim(std::string name) : size_(-1), name_(std::move(name))
    {
    }
    Dim(const char *name) : Dim(std::string(name))
    {
    }
    static Dim open()
    {
        return Dim(-1);
    }

    /* -1 where it is not a number. */
    std::int64_t size() const
    {
        return size_;
    }
    /* "" where it has none. Of a model's inputs and outputs also an expression, "floor((h + 1)/2)". */
    const std::string &name() const
    {
        return name_;
    }

  private:
    std::int64_t size_;
    std::string name_;
};

inline bool operator==(const Dim &a, const Dim &b)
{
    return a.size() == b.size() && a.name() == b.name();
}
inline bool operator!=(const Dim &a, const Dim &b)
{
    return !(a == b);
}

/* An input or output of a model; `dims` without a value: not even the rank is known. */
struct Tensor {
    std::string name;
    DType dtype;
    std::optional<std::vector<Dim>> dims;
};

/* What a variable without a value is: an input, a weight in no parameter file, or unused at inference time (a label). */
enum class VariableKind : std::int32_t {
    input = MX2ONNX_VARIABLE_INPUT,
    weight = MX2ONNX_VARIABLE_WEIGHT,
    unused = MX2ONNX_VARIABLE_UNUSED
};
struct Variable {
    std::string name;
    VariableKind kind;
};

struct Param {
    std::string name;
    DType dtype;
    std::vector<std::int64_t> dims;
    std::uint64_t bytes;
    bool used;
};

struct Operator {
    std::string name;
    std::size_t uses;
    bool supported;
};

struct Written {
    std::int32_t opset;
    std::size_t nodes;
    std::uint64_t bytes;
    std::vector<std::string> files; /* of an export to a file, without a folder */
};

/* Bytes for a model that may keep them: Memory::copy(data, size), a vector or string that is moved in, or
 * Memory::borrow(data, size, owner), where `owner` keeps the bytes alive; without one they must outlive the model. */
class Memory {
  public:
    template <typename T>
    Memory(std::vector<T> &&data)
    {
        static_assert(std::is_trivially_copyable_v<T>, "the elements are bytes");
        take(std::move(data), sizeof(T));
    }
    Memory(std::string &&data)
    {
        take(std::move(data), 1);
    }
    static Memory copy(const void *data, std::size_t size)
    {
        const std::shared_ptr<void> to(mx2onnx_memory_new(size), mx2onnx_memory_free);
        if (!to && size > 0) {
            throw std::bad_alloc();
        }
        if (size > 0) {
            std::memcpy(to.get(), data, size);
        }
        return Memory(to.get(), size, to);
    }
    static Memory borrow(const void *data, std::size_t size, std::shared_ptr<const void> owner = nullptr)
    {
        return Memory(data, size, std::move(owner));
    }

    const void *data() const
    {
        return data_;
    }
    std::size_t size() const
    {
        return size_;
    }
    const std::shared_ptr<const void> &owner() const
    {
        return owner_;
    }

  private:
    Memory(const void *data, std::size_t size, std::shared_ptr<const void> owner) : data_(data), size_(size), owner_(std::move(owner))
    {
    }
    template <typename C>
    void take(C &&data, std::size_t width)
    {
        const auto kept = std::make_shared<const C>(std::move(data));
        data_ = kept->data();
        size_ = kept->size() * width;
        owner_ = kept;
    }

    const void *data_ = nullptr;
    std::size_t size_ = 0;
    std::shared_ptr<const void> owner_;
};

/* An ONNX model in the library's own memory. */
class Buffer {
  public:
    Buffer(void *data, std::size_t size) : data_(data, mx2onnx_memory_free), size_(size)
    {
    }
    const std::uint8_t *data() const
    {
        return static_cast<const std::uint8_t *>(data_.get());
    }
    std::size_t size() const
    {
        return size_;
    }
    const std::uint8_t *begin() const
    {
        return data();
    }
    const std::uint8_t *end() const
    {
        return data() + size_;
    }

  private:
    std::unique_ptr<void, void (*)(void *)> data_;
    std::size_t size_;
};

/* Fills `buffer` with the bytes [offset, offset + size), or throws. */
using Reader = std::function<void(std::uint64_t offset, void *buffer, std::size_t size)>;
/* Takes the next bytes of a model, or throws. */
using Writer = std::function<void(const void *data, std::size_t size)>;
/* What a call is doing, and how far it is: bytes while it writes. */
enum class Phase : std::int32_t {
    other = MX2ONNX_PHASE_OTHER,
    load = MX2ONNX_PHASE_LOAD,
    infer = MX2ONNX_PHASE_INFER,
    lower = MX2ONNX_PHASE_LOWER,
    write = MX2ONNX_PHASE_WRITE
};
struct ProgressState {
    Phase phase;
    std::uint64_t done, total;
    std::string_view node; /* or "" */
};
/* Returns whether to go on; false stops the call with Status::cancelled. */
using Progress = std::function<bool(const ProgressState &now)>;
using Log = std::function<void(Severity severity, std::string_view message)>;

/* ---------------------------------------------------------------- operators of your own */

/* The node that a handler was called for; it is valid during the call. A function that fails throws, which refuses the node. */
class Node {
  public:
    explicit Node(mx2onnx_node *n) : n_(n)
    {
    }

    /* What stops a handler; the model's call throws Error then. Not to be caught for good. */
    struct Refused {
        Status status;
    };
    [[noreturn]] void fail(const std::string &message) const
    {
        throw Refused{static_cast<Status>(mx2onnx_node_fail(n_, detail::c_text(message)))};
    }

    std::string name() const
    {
        return detail::text(mx2onnx_node_name(n_));
    }
    /* The name that the handler is registered for. */
    std::string op() const
    {
        return detail::text(mx2onnx_node_operator(n_));
    }
    std::int32_t opset() const
    {
        return mx2onnx_node_opset(n_);
    }
    /* The domain of Model::unknown_domain. */
    std::optional<std::string> domain() const
    {
        return detail::text_or_none(mx2onnx_node_domain(n_));
    }
    std::optional<std::string> attribute(const std::string &key) const
    {
        return detail::text_or_none(mx2onnx_node_attribute(n_, detail::c_text(key)));
    }
    /* Keys and values, in the file's order. */
    std::vector<std::pair<std::string, std::string>> attributes() const
    {
        std::vector<std::pair<std::string, std::string>> all;
        for (std::size_t i = 0; i < mx2onnx_node_attribute_count(n_); i++) {
            all.emplace_back(detail::text(mx2onnx_node_attribute_key(n_, i)), detail::text(mx2onnx_node_attribute_value(n_, i)));
        }
        return all;
    }

    std::size_t output_count() const
    {
        return mx2onnx_node_output_count(n_);
    }
    std::size_t input_count() const
    {
        return mx2onnx_node_input_count(n_);
    }
    std::string input_name(std::size_t i) const
    {
        return detail::text(mx2onnx_node_input_name(n_, i));
    }
    DType input_dtype(std::size_t i) const
    {
        return static_cast<DType>(mx2onnx_node_input_dtype(n_, i));
    }
    /* -1 where a dim is dynamic. */
    std::vector<std::int64_t> input_dims(std::size_t i) const
    {
        std::vector<std::int64_t> dims;
        for (std::int32_t axis = 0; axis < mx2onnx_node_input_rank(n_, i); axis++) {
            dims.push_back(mx2onnx_node_input_dim(n_, i, static_cast<std::size_t>(axis)));
        }
        return dims;
    }
    /* Of an input that is a parameter: the type and the bytes in the parameter file. */
    DType input_stored_dtype(std::size_t i) const
    {
        return static_cast<DType>(mx2onnx_node_input_stored_dtype(n_, i));
    }
    std::uint64_t input_bytes(std::size_t i) const
    {
        return mx2onnx_node_input_size(n_, i);
    }
    std::vector<std::uint8_t> input_read(std::size_t i) const
    {
        std::vector<std::uint8_t> data(static_cast<std::size_t>(input_bytes(i)));
        check(mx2onnx_node_input_read(n_, i, 0, data.data(), data.size()));
        return data;
    }

    /* For infer. */
    void set_output_like(std::size_t output, std::size_t input) const
    {
        check(mx2onnx_node_set_output_like(n_, output, input));
    }
    void set_output(std::size_t output, DType dtype, const std::vector<std::int64_t> &dims) const
    {
        check(mx2onnx_node_set_output(n_, output, static_cast<mx2onnx_dtype>(dtype), static_cast<std::int32_t>(dims.size()), dims.data()));
    }
    void set_output_dim(std::size_t output, std::size_t axis, std::size_t input, std::size_t input_axis) const
    {
        check(mx2onnx_node_set_output_dim(n_, output, axis, input, input_axis));
    }

    /* In lower. */
    Value input(std::size_t i) const
    {
        return static_cast<Value>(mx2onnx_node_input_value(n_, i));
    }
    Value constant(DType dtype, const std::vector<std::int64_t> &dims, const void *data, std::size_t size) const
    {
        mx2onnx_value value = 0;
        const mx2onnx_array array = detail::array(dtype, dims, data, size);
        check(mx2onnx_node_add_constant(n_, &array, &value));
        return static_cast<Value>(value);
    }
    /* `attributes` is a JSON object or "", `domain` "" one of ONNX's own operators. */
    std::vector<Value> add(const std::string &op_type, const std::vector<Value> &inputs, const std::string &attributes, std::size_t outputs,
                           const std::string &domain = "") const
    {
        std::vector<mx2onnx_value> from, to(outputs);
        for (const Value input : inputs) {
            from.push_back(static_cast<mx2onnx_value>(input));
        }
        mx2onnx_onnx_node node{};
        node.struct_size = sizeof node;
        node.op_type = detail::c_text(op_type);
        node.domain = domain.empty() ? nullptr : detail::c_text(domain);
        node.attributes = attributes.empty() ? nullptr : detail::c_text(attributes);
        node.input_count = from.size();
        node.inputs = from.data();
        node.output_count = outputs;
        check(mx2onnx_node_add(n_, &node, to.data()));
        std::vector<Value> values;
        for (const mx2onnx_value v : to) {
            values.push_back(static_cast<Value>(v));
        }
        return values;
    }
    /* A node with one output. */
    Value add(const std::string &op_type, const std::vector<Value> &inputs, const std::string &attributes = "") const
    {
        return add(op_type, inputs, attributes, 1).front();
    }
    void set_result(std::size_t output, Value value) const
    {
        check(mx2onnx_node_set_result(n_, output, static_cast<mx2onnx_value>(value)));
    }

  private:
    static void check(mx2onnx_status status)
    {
        if (status != MX2ONNX_OK) {
            throw Refused{static_cast<Status>(status)};
        }
    }

    mx2onnx_node *n_;
};

/* `lower` may be empty with Model::unknown_domain. */
struct Handler {
    std::function<void(const Node &)> infer, lower;
    /* The number of outputs of a node, when only names and attributes are known. */
    std::function<std::size_t(const Node &)> count_outputs = {};
    /* For an operator that the library knows, too. */
    bool overrides = false;
};

/* ---------------------------------------------------------------- the model */

class Model {
  public:
    Model() : state_(std::make_unique<State>())
    {
        const auto status = static_cast<Status>(mx2onnx_model_new(&state_->model));
        if (status != Status::ok) {
            throw Error(status, "");
        }
    }
    /* A symbol file, a prefix, a folder or an archive. */
    explicit Model(const Path &path) : Model()
    {
        load(path);
    }

    /* The C handle, which the model owns. */
    mx2onnx_model *get() const noexcept
    {
        return state_->model;
    }

    /* Ends the call that is running, from another thread or a callback. */
    void cancel() const noexcept
    {
        mx2onnx_cancel(get());
    }

    /* Makes the model empty: forgets all that was loaded and chosen. */
    Model &reset()
    {
        return check(mx2onnx_model_reset(get()));
    }

    Model &load(const Path &path)
    {
        return check(mx2onnx_load(get(), detail::c_text(path.text())));
    }
    Model &load_memory(const Memory &m)
    {
        return check(mx2onnx_load_memory(get(), m.data(), m.size(), own(m.owner()), release_owner));
    }
    Model &load_reader(std::uint64_t size, Reader reader)
    {
        return check(mx2onnx_load_callback(get(), size, read, keep(std::move(reader)), detail::release<Call<Reader>>));
    }
    /* Reads the stream to its end now; the other one is the model's and is read by pieces when they are needed. */
    Model &load_stream(std::istream &stream)
    {
        return load_memory(contents(stream));
    }
    Model &load_stream(std::unique_ptr<std::istream> stream)
    {
        const std::uint64_t size = size_of(*stream);
        return load_reader(size, reader_of(std::move(stream)));
    }

    Model &load_symbol(const Path &path)
    {
        return check(mx2onnx_load_symbol_file(get(), detail::c_text(path.text())));
    }
    Model &load_symbol_memory(std::string_view json)
    {
        return check(mx2onnx_load_symbol_memory(get(), json.data(), json.size()));
    }
    Model &load_params(const Path &path)
    {
        return check(mx2onnx_load_params_file(get(), detail::c_text(path.text())));
    }
    Model &load_params_memory(const Memory &m)
    {
        return check(mx2onnx_load_params_memory(get(), m.data(), m.size(), own(m.owner()), release_owner));
    }
    Model &load_params_reader(std::uint64_t size, Reader reader)
    {
        return check(mx2onnx_load_params_callback(get(), size, read, keep(std::move(reader)), detail::release<Call<Reader>>));
    }
    Model &load_params_stream(std::istream &stream)
    {
        return load_params_memory(contents(stream));
    }
    Model &load_params_stream(std::unique_ptr<std::istream> stream)
    {
        const std::uint64_t size = size_of(*stream);
        return load_params_reader(size, reader_of(std::move(stream)));
    }
    /* Makes the graph for parameters without a symbol: that of the published model of this name, or of the one that they fit. */
    Model &load_net(const std::optional<std::string> &name = std::nullopt)
    {
        return check(mx2onnx_load_net(get(), detail::c_text(name)));
    }
    /* Finds all published models that the parameters fit. */
    std::vector<Candidate> identify_net()
    {
        check(mx2onnx_identify_net(get()));
        std::vector<Candidate> all;
        for (std::size_t i = 0; i < mx2onnx_candidate_count(get()); i++) {
            all.push_back({mx2onnx_candidate_name(get(), i), mx2onnx_candidate_title(get(), i)});
        }
        return all;
    }
    /* Uses what was published with the model for its inputs. */
    Model &use_published(Published what)
    {
        return check(mx2onnx_use_published(get(), static_cast<mx2onnx_published>(what)));
    }
    /* Uses another catalogue of published models than the one in the library. */
    Model &load_catalogue(const Path &path)
    {
        return check(mx2onnx_load_catalogue_file(get(), detail::c_text(path.text())));
    }
    Model &load_catalogue_memory(const void *data, std::size_t size)
    {
        return check(mx2onnx_load_catalogue_memory(get(), data, size));
    }
    /* The published model that the graph was made for, "resnet18_v1 with 10 classes"; empty if the graph came from a symbol. */
    std::optional<std::string> net() const
    {
        const char *text = mx2onnx_net_title(get());
        return text ? std::optional<std::string>(text) : std::nullopt;
    }
    /* The nets of the catalogue. */
    std::vector<PublishedNet> nets() const
    {
        std::vector<PublishedNet> all;
        for (std::size_t i = 0; i < mx2onnx_catalogue_count(get()); i++) {
            all.push_back({mx2onnx_catalogue_name(get(), i), mx2onnx_catalogue_text(get(), i), mx2onnx_catalogue_json(get(), i)});
        }
        return looked(std::move(all));
    }
    Model &param_prefix(const std::string &prefix)
    {
        return check(mx2onnx_set_text(get(), MX2ONNX_TEXT_PARAM_PREFIX, detail::c_text(prefix)));
    }
    Model &set_param(const std::string &name, DType dtype, const std::vector<std::int64_t> &dims, const Memory &m)
    {
        const char *const text = detail::c_text(name);
        const mx2onnx_array value = detail::array(dtype, dims, m.data(), m.size());
        return check(mx2onnx_set_param(get(), text, &value, own(m.owner()), release_owner));
    }
    /* Removes the value: the array with this name in a parameter file is used again. */
    Model &remove_param(const std::string &name)
    {
        return check(mx2onnx_remove_param(get(), detail::c_text(name)));
    }

    /* Sets the whole shape, with the names of dynamic dimensions. A shape that is refused changes nothing. */
    Model &input_shape(const std::string &input, const std::vector<Dim> &dims)
    {
        std::vector<std::int64_t> sizes;
        std::vector<const char *> names;
        for (const Dim &d : dims) {
            sizes.push_back(d.size());
            names.push_back(d.name().empty() ? nullptr : detail::c_text(d.name()));
        }
        return check(
            mx2onnx_set_input_shape(get(), detail::c_text(input), static_cast<std::int32_t>(sizes.size()), sizes.data(), names.data()));
    }
    /* Removes the shape that was set. */
    Model &clear_input_shape(const std::string &input)
    {
        return check(mx2onnx_set_input_shape(get(), detail::c_text(input), -1, nullptr, nullptr));
    }
    /* Makes the dimension dynamic and names it; without a name it is fixed again. */
    Model &input_dim_name(const std::string &input, Integer<std::size_t> axis, const std::optional<std::string> &name)
    {
        return check(mx2onnx_set_input_dim_name(get(), detail::c_text(input), axis, detail::c_text(name)));
    }
    /* DType::unknown sets it back to the default. */
    Model &input_dtype(const std::string &input, DType dtype)
    {
        return check(mx2onnx_set_input_dtype(get(), detail::c_text(input), static_cast<mx2onnx_dtype>(dtype)));
    }
    Model &input_channels_last(const std::string &input, bool on)
    {
        return check(mx2onnx_set_input_channels_last(get(), detail::c_text(input), on));
    }
    Model &input_channels_reversed(const std::string &input, bool on)
    {
        return check(mx2onnx_set_input_channels_reversed(get(), detail::c_text(input), on));
    }
    Model &input_mean(const std::string &input, const std::vector<double> &mean)
    {
        return check(mx2onnx_set_input_mean(get(), detail::c_text(input), mean.size(), mean.data()));
    }
    Model &input_scale(const std::string &input, const std::vector<double> &scale)
    {
        return check(mx2onnx_set_input_scale(get(), detail::c_text(input), scale.size(), scale.data()));
    }
    bool input_channels_last(const std::string &input) const
    {
        return mx2onnx_get_input_channels_last(get(), detail::c_text(input)) != 0;
    }
    bool input_channels_reversed(const std::string &input) const
    {
        return mx2onnx_get_input_channels_reversed(get(), detail::c_text(input)) != 0;
    }
    /* What was set; empty if nothing was. */
    std::vector<double> input_mean(const std::string &input) const
    {
        return values(mx2onnx_get_input_mean, input);
    }
    std::vector<double> input_scale(const std::string &input) const
    {
        return values(mx2onnx_get_input_scale, input);
    }
    /* What was set; no shape, DType::unknown and no name if nothing was. */
    std::optional<std::vector<Dim>> chosen_shape(const std::string &input) const
    {
        std::int32_t rank = -1;
        const std::int64_t *sizes = mx2onnx_get_input_shape(get(), detail::c_text(input), &rank);
        if (rank < 0) {
            return std::nullopt;
        }
        std::vector<Dim> dims;
        for (std::int32_t axis = 0; axis < rank; axis++) {
            const char *name = mx2onnx_get_input_dim_name(get(), detail::c_text(input), static_cast<std::size_t>(axis));
            dims.push_back(name ? Dim(name) : Dim(sizes[axis]));
        }
        return dims;
    }
    DType chosen_dtype(const std::string &input) const
    {
        return static_cast<DType>(mx2onnx_get_input_dtype(get(), detail::c_text(input)));
    }
    std::optional<std::string> chosen_name(const std::string &from) const
    {
        const char *name = mx2onnx_get_rename(get(), detail::c_text(from));
        return name ? std::optional<std::string>(name) : std::nullopt;
    }
    Model &add_output(const std::string &name)
    {
        return check(mx2onnx_add_output(get(), detail::c_text(name)));
    }
    /* Removes what add_output added: the outputs are those of the file again. */
    Model &clear_outputs()
    {
        return check(mx2onnx_clear_outputs(get()));
    }
    /* Without `to`, the name is that of the file again. */
    Model &rename(const std::string &from, const std::optional<std::string> &to)
    {
        return check(mx2onnx_rename(get(), detail::c_text(from), detail::c_text(to)));
    }
    /* One of targets(); none for every runtime. */
    Model &target(const std::optional<std::string> &name)
    {
        return check(mx2onnx_set_text(get(), MX2ONNX_TEXT_TARGET, detail::c_text(name)));
    }
    Model &trust_indices(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_TRUST_INDICES, on));
    }
    Model &opset(Integer<std::int32_t> opset = MX2ONNX_OPSET_AUTO)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_OPSET, opset));
    }
    Model &external_data(External mode, Integer<std::int64_t> threshold = 1024)
    {
        check(mx2onnx_set_option(get(), MX2ONNX_OPTION_EXTERNAL_DATA, static_cast<mx2onnx_external>(mode)));
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_EXTERNAL_THRESHOLD, threshold));
    }
    Model &initializers_as_inputs(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_INITIALIZERS_AS_INPUTS, on));
    }
    /* Records checksums of whole side files and parameter files, not of samples of them. */
    Model &full_checksum(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_FULL_CHECKSUM, on));
    }
    /* Checks the files that an ONNX model names: each must exist, be long enough and unchanged. There is a note on each. */
    Model &check_external_data(const Path &path)
    {
        return check(mx2onnx_check_external_data(get(), detail::c_text(path.text())));
    }
    Model &keep_batch_norm(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_KEEP_BATCH_NORM, on));
    }
    /* Merges a factor of an input into the first convolution, too. */
    Model &fold_input_scale(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_FOLD_INPUT_SCALE, on));
    }
    /* Adds the name and operator of the MXNet node to the metadata of each ONNX node. */
    Model &node_metadata(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_NODE_METADATA, on));
    }
    /* Matches the names of Gluon's save_parameters to the symbol's by kind, shape and order. */
    Model &structural_names(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_STRUCTURAL_NAMES, on));
    }
    Model &fsync(bool on = true)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_FSYNC, on));
    }
    Model &float16(Float16 mode = Float16::all)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_FLOAT16, static_cast<mx2onnx_float16>(mode)));
    }
    /* Sets the precision of a node, or of all nodes of an operator, for float16. */
    Model &node_precision(const std::string &name, Precision precision)
    {
        return check(mx2onnx_set_node_precision(get(), detail::c_text(name), static_cast<mx2onnx_precision>(precision)));
    }
    Precision node_precision(const std::string &name) const
    {
        return static_cast<Precision>(mx2onnx_get_node_precision(get(), detail::c_text(name)));
    }
    Model &seed(Integer<std::int32_t> seed)
    {
        return check(mx2onnx_set_option(get(), MX2ONNX_OPTION_SEED, seed));
    }

    Model &option(Option which, Integer<std::int64_t> value)
    {
        return check(mx2onnx_set_option(get(), static_cast<mx2onnx_option>(which), value));
    }
    std::int64_t option(Option which) const
    {
        return mx2onnx_get_option(get(), static_cast<mx2onnx_option>(which));
    }
    Model &reset_option(Option which)
    {
        return check(mx2onnx_reset_option(get(), static_cast<mx2onnx_option>(which)));
    }
    /* Without a text, sets the default. */
    Model &text(Text which, const std::optional<std::string> &text)
    {
        return check(mx2onnx_set_text(get(), static_cast<mx2onnx_text>(which), detail::c_text(text)));
    }
    std::optional<std::string> text(Text which) const
    {
        return detail::text_or_none(mx2onnx_get_text(get(), static_cast<mx2onnx_text>(which)));
    }

    /* Sets the version with which a domain other than ONNX's own is imported; 0 sets it back to 1. */
    Model &domain_version(const std::string &domain, Integer<std::int32_t> version)
    {
        return check(mx2onnx_set_domain_version(get(), detail::c_text(domain), version));
    }
    std::int32_t domain_version(const std::string &domain) const
    {
        return mx2onnx_get_domain_version(get(), detail::c_text(domain));
    }
    /* Sets an entry of the ONNX model's metadata_props; without a value, removes it. */
    Model &metadata(const std::string &key, const std::optional<std::string> &value)
    {
        return check(mx2onnx_set_metadata(get(), detail::c_text(key), detail::c_text(value)));
    }
    std::optional<std::string> metadata(const std::string &key) const
    {
        return detail::text_or_none(mx2onnx_get_metadata(get(), detail::c_text(key)));
    }
    /* All entries that were set, sorted by key. */
    std::vector<std::pair<std::string, std::string>> metadata() const
    {
        std::vector<std::pair<std::string, std::string>> all;
        for (std::size_t i = 0; i < mx2onnx_metadata_count(get()); i++) {
            const char *const key = mx2onnx_metadata_key(get(), i);
            all.emplace_back(key, detail::text(mx2onnx_get_metadata(get(), key)));
        }
        return all;
    }
    Model &clear_metadata()
    {
        return check(mx2onnx_set_metadata(get(), nullptr, nullptr));
    }

    /* Calls the function for lines of this severity or graver. An empty function turns the log off. */
    Model &log(Log fn, Severity least = Severity::note)
    {
        const bool on = static_cast<bool>(fn);
        return check(mx2onnx_set_log(get(), static_cast<mx2onnx_severity>(least), on ? log_line : nullptr, keep(std::move(fn)),
                                     detail::release<Call<Log>>));
    }
    Model &progress(Progress fn)
    {
        const bool on = static_cast<bool>(fn);
        return check(mx2onnx_set_progress(get(), on ? go_on : nullptr, keep(std::move(fn)), detail::release<Call<Progress>>));
    }

    /* `outputs` counts unless the handler does. */
    Model &custom_operator(const std::string &name, Integer<std::size_t> outputs, Handler handler)
    {
        const char *const text = detail::c_text(name);
        mx2onnx_handler h{};
        h.struct_size = sizeof h;
        h.output_count = outputs;
        h.infer = infer_node;
        h.lower = handler.lower ? lower_node : nullptr;
        h.count_outputs = handler.count_outputs ? count_node : nullptr;
        h.overrides = handler.overrides;
        return check(mx2onnx_set_custom_operator(get(), text, &h, keep(std::move(handler)), detail::release<Call<Handler>>));
    }
    /* Removes a handler, or all without a name. */
    Model &remove_custom_operator(const std::optional<std::string> &name)
    {
        return check(mx2onnx_set_custom_operator(get(), detail::c_text(name), nullptr, nullptr, nullptr));
    }
    /* Without a domain, an unknown operator is an error again. */
    Model &unknown_domain(const std::optional<std::string> &domain)
    {
        return check(mx2onnx_set_text(get(), MX2ONNX_TEXT_UNKNOWN_DOMAIN, detail::c_text(domain)));
    }

    Model &infer()
    {
        return check(mx2onnx_infer(get()));
    }
    std::vector<Tensor> inputs() const
    {
        return tensors(mx2onnx_input_count, mx2onnx_input_name, mx2onnx_input_dtype, mx2onnx_input_rank, mx2onnx_input_dim,
                       mx2onnx_input_dim_name);
    }
    std::vector<Tensor> outputs() const
    {
        return tensors(mx2onnx_output_count, mx2onnx_output_name, mx2onnx_output_dtype, mx2onnx_output_rank, mx2onnx_output_dim,
                       mx2onnx_output_dim_name);
    }
    /* The variables of the symbol without a value. */
    std::vector<Variable> variables() const
    {
        std::vector<Variable> all;
        for (std::size_t i = 0; i < mx2onnx_variable_count(get()); i++) {
            all.push_back({detail::text(mx2onnx_variable_name(get(), i)), static_cast<VariableKind>(mx2onnx_variable_kind(get(), i))});
        }
        return looked(std::move(all));
    }
    std::vector<Param> params() const
    {
        std::vector<Param> all;
        for (std::size_t i = 0; i < mx2onnx_param_count(get()); i++) {
            const std::int64_t *dims = mx2onnx_param_dims(get(), i);
            all.push_back({detail::text(mx2onnx_param_name(get(), i)), static_cast<DType>(mx2onnx_param_dtype(get(), i)),
                           dims ? std::vector<std::int64_t>(dims, dims + mx2onnx_param_rank(get(), i)) : std::vector<std::int64_t>(),
                           mx2onnx_param_size(get(), i), mx2onnx_param_used(get(), i) != 0});
        }
        return looked(std::move(all));
    }
    /* The bytes of params()[i]. */
    std::vector<std::uint8_t> param_read(std::size_t i) const
    {
        std::vector<std::uint8_t> data(static_cast<std::size_t>(mx2onnx_param_size(get(), i)));
        check(mx2onnx_param_read(get(), i, 0, data.data(), data.size()));
        return data;
    }
    /* `size` of them, from byte `offset` on. */
    std::vector<std::uint8_t> param_read(std::size_t i, Integer<std::uint64_t> offset, Integer<std::size_t> size) const
    {
        std::vector<std::uint8_t> data(size);
        check(mx2onnx_param_read(get(), i, offset, data.data(), data.size()));
        return data;
    }
    /* The operators of the graph, the most frequent first. */
    std::vector<Operator> operators() const
    {
        std::vector<Operator> all;
        for (std::size_t i = 0; i < mx2onnx_operator_count(get()); i++) {
            all.push_back({detail::text(mx2onnx_operator_name(get(), i)), mx2onnx_operator_node_count(get(), i),
                           mx2onnx_operator_supported(get(), i) != 0});
        }
        return looked(std::move(all));
    }

    Model &export_file(const Path &path)
    {
        return check(mx2onnx_export_file(get(), detail::c_text(path.text())));
    }
    /* Without a copy. */
    Buffer export_memory()
    {
        void *data = nullptr;
        std::size_t size = 0;
        check(mx2onnx_export_memory(get(), &data, &size));
        return Buffer(data, size);
    }
    std::vector<std::uint8_t> export_bytes()
    {
        std::vector<std::uint8_t> bytes;
        export_writer([&bytes](const void *data, std::size_t size) {
            const auto *from = static_cast<const std::uint8_t *>(data);
            bytes.insert(bytes.end(), from, from + size);
        });
        return bytes;
    }
    Model &export_stream(std::ostream &stream)
    {
        return export_writer([&stream](const void *data, std::size_t size) {
            if (!stream.write(static_cast<const char *>(data), static_cast<std::streamsize>(size))) {
                throw Error(Status::io, "the stream cannot be written: it is in a failed state");
            }
        });
    }
    Model &export_writer(const Writer &writer)
    {
        Call<const Writer *> call{state_.get(), &writer};
        return check(mx2onnx_export_callback(get(), write, &call, nullptr));
    }

    /* The model's current diagnostics. */
    std::vector<Diagnostic> diagnostics() const
    {
        std::vector<Diagnostic> all;
        mx2onnx_diagnostic d;
        for (std::size_t i = 0; i < mx2onnx_diagnostic_count(get()); i++) {
            d.struct_size = sizeof d;
            if (mx2onnx_diagnostic_get(get(), i, &d) == MX2ONNX_OK) {
                all.push_back({static_cast<Severity>(d.severity), static_cast<Status>(d.status), d.node, d.op, d.attribute, d.name,
                               d.message, d.advice});
            }
        }
        return all;
    }
    /* What the last export wrote. */
    Written written() const
    {
        Written w{mx2onnx_written_opset(get()), mx2onnx_written_node_count(get()), mx2onnx_written_size(get()), {}};
        for (std::size_t i = 0; i < mx2onnx_written_file_count(get()); i++) {
            w.files.push_back(mx2onnx_written_file_name(get(), i));
        }
        return w;
    }
    std::string report_json() const
    {
        const char *out = nullptr;
        const mx2onnx_status status = mx2onnx_report_json(get(), &out);
        looked(status);
        if (status != MX2ONNX_OK) {
            throw Error(static_cast<Status>(status), "");
        }
        return out;
    }
    /* A graph as text for people, with a node on each line; and as JSON for programs, which lib/schema/graph.json describes. */
    std::string graph_text(Graph graph = Graph::onnx) const
    {
        const char *out = nullptr;
        check(mx2onnx_graph_text(get(), static_cast<mx2onnx_graph>(graph), &out));
        return detail::text(out);
    }
    std::string graph_json(Graph graph = Graph::onnx) const
    {
        const char *out = nullptr;
        check(mx2onnx_graph_json(get(), static_cast<mx2onnx_graph>(graph), &out));
        return detail::text(out);
    }

  private:
    /* Stays where it is when the model moves, since callbacks know its address. */
    struct State {
        mx2onnx_model *model = nullptr;
        std::exception_ptr thrown;
        int inside = 0;       /* callbacks that are running */
        bool stopped = false; /* by the progress function */

        State() = default;
        State(const State &) = delete;
        State &operator=(const State &) = delete;
        ~State()
        {
            mx2onnx_model_free(model);
        }
    };
    /* A `user`: the function, and where to put what it throws. */
    template <typename F>
    struct Call {
        State *state;
        F fn;
    };

    template <typename F>
    void *keep(F fn) const
    {
        return new Call<F>{state_.get(), std::move(fn)};
    }

    using Owner = std::shared_ptr<const void>;
    static void *own(const Owner &owner)
    {
        return owner ? new Owner(owner) : nullptr;
    }
    static void release_owner(void *user)
    {
        delete static_cast<Owner *>(user);
    }

    /* Not in a callback, where the call that led to it is still under way. */
    void rethrow() const
    {
        if (state_->inside == 0) {
            state_->stopped = false;
            if (const std::exception_ptr thrown = std::exchange(state_->thrown, nullptr)) {
                std::rethrow_exception(thrown);
            }
        }
    }
    /* After functions that return no status, but may ask the progress function. */
    template <typename T>
    T looked(T found) const
    {
        const bool stopped = state_->inside == 0 && state_->stopped;
        rethrow();
        if (stopped) {
            throw Error(Status::cancelled, "");
        }
        return found;
    }
    const Model &check(mx2onnx_status status) const
    {
        rethrow();
        if (status != MX2ONNX_OK) {
            const std::string text = mx2onnx_error(get());
            throw Error(static_cast<Status>(status), text, diagnostics());
        }
        return *this;
    }
    Model &check(mx2onnx_status status)
    {
        std::as_const(*this).check(status);
        return *this;
    }

    /* Calls the function of `user`; what it throws is kept, and the answer is `failed`. After that none is called. */
    template <typename F, typename B>
    static std::int32_t guarded(void *user, std::int32_t failed, B body)
    {
        auto *call = static_cast<Call<F> *>(user);
        if (call->state->thrown) {
            return failed;
        }
        std::int32_t result = failed;
        call->state->inside++;
        try {
            result = body(call->fn);
        } catch (const Node::Refused &refused) {
            result = static_cast<std::int32_t>(refused.status);
        } catch (...) {
            if (!call->state->thrown) { // else it was a reader's, in a handler
                call->state->thrown = std::current_exception();
            }
        }
        call->state->inside--;
        return result;
    }
    static std::int32_t MX2ONNX_CALL read(std::uint64_t offset, void *buffer, std::size_t size, void *user)
    {
        return guarded<Reader>(user, 1, [=](const Reader &fn) { return fn(offset, buffer, size), 0; });
    }
    static std::int32_t MX2ONNX_CALL write(const void *data, std::size_t size, void *user)
    {
        return guarded<const Writer *>(user, 1, [=](const Writer *fn) { return (*fn)(data, size), 0; });
    }
    static std::int32_t MX2ONNX_CALL go_on(const mx2onnx_progress *p, void *user)
    {
        State *const state = static_cast<Call<Progress> *>(user)->state;
        return guarded<Progress>(user, 1, [=](const Progress &fn) {
            state->stopped = !fn({static_cast<Phase>(p->phase), p->done, p->total, p->node});
            return state->stopped ? 1 : 0;
        });
    }
    static void MX2ONNX_CALL log_line(const mx2onnx_log_entry *entry, void *user)
    {
        guarded<Log>(user, 0, [=](const Log &fn) { return fn(static_cast<Severity>(entry->severity), entry->message), 0; });
    }
    static mx2onnx_status MX2ONNX_CALL infer_node(mx2onnx_node *n, void *user)
    {
        return guarded<Handler>(user, MX2ONNX_STATUS_UNSUPPORTED, [=](const Handler &h) { return h.infer(Node(n)), MX2ONNX_OK; });
    }
    static mx2onnx_status MX2ONNX_CALL lower_node(mx2onnx_node *n, void *user)
    {
        return guarded<Handler>(user, MX2ONNX_STATUS_UNSUPPORTED, [=](const Handler &h) { return h.lower(Node(n)), MX2ONNX_OK; });
    }

    static std::size_t MX2ONNX_CALL count_node(mx2onnx_node *n, void *user)
    {
        std::size_t count = 0;
        guarded<Handler>(user, 0, [n, &count](const Handler &h) {
            count = h.count_outputs(Node(n));
            return 0;
        });
        return count;
    }

    std::vector<double> values(const double *(MX2ONNX_CALL *read)(const mx2onnx_model *, const char *, std::size_t *),
                               const std::string &input) const
    {
        std::size_t n = 0;
        const double *const first = read(get(), detail::c_text(input), &n);
        return std::vector<double>(first, first + n);
    }

    static Memory contents(std::istream &stream)
    {
        std::string all{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
        if (stream.bad()) {
            throw Error(Status::io, "the stream cannot be read");
        }
        return Memory(std::move(all));
    }
    static std::uint64_t size_of(std::istream &stream)
    {
        const auto end = stream.seekg(0, std::ios::end).tellg();
        if (!stream || end < 0) {
            throw Error(Status::io, "the size of the stream is unknown: give one that can seek to its end");
        }
        return static_cast<std::uint64_t>(end);
    }
    static Reader reader_of(std::shared_ptr<std::istream> stream)
    {
        return [stream](std::uint64_t offset, void *buffer, std::size_t size) {
            stream->clear();
            stream->seekg(static_cast<std::streamoff>(offset));
            if (!stream->read(static_cast<char *>(buffer), static_cast<std::streamsize>(size))) {
                throw Error(Status::io, "the stream cannot be read");
            }
        };
    }

    std::vector<Tensor> tensors(std::size_t(MX2ONNX_CALL *count)(mx2onnx_model *),
                                const char *(MX2ONNX_CALL *name)(mx2onnx_model *, std::size_t),
                                mx2onnx_dtype(MX2ONNX_CALL *dtype)(mx2onnx_model *, std::size_t),
                                std::int32_t(MX2ONNX_CALL *rank)(mx2onnx_model *, std::size_t),
                                std::int64_t(MX2ONNX_CALL *dim)(mx2onnx_model *, std::size_t, std::size_t),
                                const char *(MX2ONNX_CALL *dim_name)(mx2onnx_model *, std::size_t, std::size_t)) const
    {
        std::vector<Tensor> all;
        for (std::size_t i = 0; i < count(get()); i++) {
            Tensor t{detail::text(name(get(), i)), static_cast<DType>(dtype(get(), i)), std::nullopt};
            const std::int32_t n = rank(get(), i);
            if (n >= 0) {
                t.dims.emplace();
            }
            for (std::int32_t k = 0; k < n; k++) {
                const auto axis = static_cast<std::size_t>(k);
                const std::int64_t size = dim(get(), i, axis);
                t.dims->push_back(size >= 0 ? Dim(size) : Dim(detail::text(dim_name(get(), i, axis))));
            }
            all.push_back(std::move(t));
        }
        return looked(std::move(all));
    }

    std::unique_ptr<State> state_;
};

} // namespace mx2onnx

#endif
