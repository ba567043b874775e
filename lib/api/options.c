/* The exported functions for options: numbers and texts that have a default, a getter and a way back. */
#include "api/api.h"

#include <string.h>

#include "base/checksum.h"
#include "base/str.h"
#include "onnx/schema/targets.h"

/* ---- numbers */

static bool is_option(mx2onnx_option option)
{
    return option > 0 && option < MX_OPTIONS;
}

static int fail_value(mx2onnx_model *m, mx2onnx_option option, int64_t value)
{
    const long long least = mx_options[option].least, most = mx_options[option].most, standard = mx_options[option].standard;
    if (standard == least) {
        return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE, "mx2onnx_set_option: %s is %lld, but must be %lld (the default) %s %lld",
                       mx_options[option].name, (long long)value, least, most - least == 1 ? "or" : "to", most);
    }
    return mx_fail(&m->diags, MX_INVALID_ARGUMENT, MX_NOWHERE,
                   "mx2onnx_set_option: %s is %lld, but must be %lld (the default), or %lld to %lld", mx_options[option].name,
                   (long long)value, standard, least, most);
}

static int set_option(mx2onnx_model *m, mx2onnx_option option, int64_t value)
{
    if (value != mx_options[option].standard && (value < mx_options[option].least || value > mx_options[option].most)) {
        return fail_value(m, option, value);
    }
    if (option == MX2ONNX_OPTION_STRUCTURAL_NAMES
        || (option == MX2ONNX_OPTION_OPSET && m->choices.customs.count > 0)) { /* a handler's result may depend on it */
        mx_model_changed(m);
    } else if (option == MX2ONNX_OPTION_FLOAT16) {
        mx_model_chosen(m);
    }
    m->choices.options[option] = value;
    m->prepared.unseen = false; /* if it is a limit */
    mx_options_applied(m);
    return MX_OK;
}

mx2onnx_status mx2onnx_set_option(mx2onnx_model *m, mx2onnx_option option, int64_t value)
{
    ENTER(m);
    CHECK(is_option(option), "the option %d is unknown", (int)option);
    return mx_call_end(m, set_option(m, option, value));
}

int64_t mx2onnx_get_option(const mx2onnx_model *m, mx2onnx_option option)
{
    return m && is_option(option) ? m->choices.options[option] : INT64_MIN;
}

mx2onnx_status mx2onnx_reset_option(mx2onnx_model *m, mx2onnx_option option)
{
    ENTER(m);
    CHECK(is_option(option), "the option %d is unknown", (int)option);
    return mx_call_end(m, set_option(m, option, mx_options[option].standard));
}

int32_t mx2onnx_opset_min(void)
{
    return MX2ONNX_OPSET_MIN;
}

int32_t mx2onnx_opset_max(void)
{
    return MX2ONNX_OPSET_MAX;
}

int32_t mx2onnx_opset_default(void)
{
    return MX2ONNX_OPSET_DEFAULT;
}

/* ---- texts */

#define NOT_PLAIN "the domain '%s' is not UTF-8, or has control characters" MX_HELP "give one without them"

/* False for ONNX's own. */
static bool is_other_domain(const char *domain)
{
    return domain && *domain && strcmp(domain, "ai.onnx") != 0;
}

static bool is_text(mx2onnx_text which)
{
    return which > 0 && which < MX_TEXTS;
}

/* Names the targets, and first those that begin as the given name, "opencv4 or opencv5". */
static int fail_target(mx2onnx_model *m, const char *name)
{
    struct mx_str near = {0}, all = {0};
    for (const struct ox_target *t = ox_targets; t->name; t++) {
        mx_str_printf(&all, "%s%s", all.text ? ", " : "", t->name);
        if (*name && mx_starts_with(t->name, name)) {
            mx_str_printf(&near, "%s%s", near.text ? " or " : "did you mean ", t->name);
        }
    }
    const int status = mx_fail(&m->diags, MX_NOT_FOUND, mx_named(name), "no target has this name" MX_HELP "%s%sthe targets are %s",
                               near.text ? near.text : "", near.text ? "? " : "", all.text ? all.text : "");
    mx_str_free(&near);
    mx_str_free(&all);
    return status;
}

static int choose_target(mx2onnx_model *m, const char *name)
{
    const struct ox_target *t = ox_targets;
    while (name && t->name && strcmp(t->name, name) != 0) {
        t++;
    }
    if (name && !t->name) {
        return fail_target(m, name);
    }
    m->choices.target = name ? t : NULL;
    return MX_OK;
}

mx2onnx_status mx2onnx_set_text(mx2onnx_model *m, mx2onnx_text which, const char *text)
{
    ENTER(m);
    CHECK(is_text(which), "the text %d is unknown", (int)which);
    CHECK(!text || mx_is_utf8(text), "the text is not UTF-8");
    if (which == MX2ONNX_TEXT_UNKNOWN_DOMAIN) {
        CHECK(!text || is_other_domain(text), "'%s' is ONNX's own domain" MX_HELP "give another one, such as mxnet", text);
        CHECK(!text || mx_is_plain_text(text), NOT_PLAIN, text);
    } else if (which == MX2ONNX_TEXT_SIDE_FILE) {
        CHECK(!text || *text, "the name of the side file is empty");
        CHECK(!text || mx_name_is_plain(text),
              "'%s' is not a name for a side file: it is a folder, or has '/', '\\', ':' or control characters" MX_HELP
              "give a name without a folder",
              text);
    } else if (which == MX2ONNX_TEXT_SOURCE_NAME) {
        CHECK(!text || *text, "the name of the source is empty");
    }
    const int status = which == MX2ONNX_TEXT_TARGET ? choose_target(m, text) : MX_OK;
    return mx_call_end(m, status == MX_OK ? mx_model_set_text(m, which, text) : status);
}

const char *mx2onnx_get_text(const mx2onnx_model *m, mx2onnx_text which)
{
    return m && is_text(which) ? m->choices.texts[which] : NULL;
}

/* ---- metadata and domains of the ONNX model */

/* A key that the library writes itself. */
static bool is_own_key(const char *key)
{
    return strcmp(key, "source_framework") == 0 || mx_starts_with(key, "input:") || mx_starts_with(key, MX_CHECKSUM_KEY);
}

mx2onnx_status mx2onnx_set_metadata(mx2onnx_model *m, const char *key, const char *value)
{
    ENTER(m);
    CHECK(key || !value, "the key is NULL");
    if (!key) {
        mx_model_clear_metadata(m);
        return mx_call_end(m, MX_OK);
    }
    CHECK(*key, "the key is empty");
    CHECK(mx_is_plain_text(key), "the key '%s' is not UTF-8, or has control characters" MX_HELP "give one without them", key);
    CHECK(!is_own_key(key),
          "'%s' is a key that the library writes itself" MX_HELP
          "choose one that is not 'source_framework' and does not begin with 'input:' or '" MX_CHECKSUM_KEY "'",
          key);
    CHECK(!value || mx_is_utf8(value), "the value is not UTF-8");
    return mx_call_end(m, mx_model_set_metadata(m, key, value));
}

const char *mx2onnx_get_metadata(const mx2onnx_model *m, const char *key)
{
    return mx_call_looks(m) && key ? mx_model_metadata(m, key) : NULL;
}

size_t mx2onnx_metadata_count(const mx2onnx_model *m)
{
    return mx_call_looks(m) ? m->choices.n_metadata : 0;
}

const char *mx2onnx_metadata_key(const mx2onnx_model *m, size_t i)
{
    return i < mx2onnx_metadata_count(m) ? m->choices.metadata[i].key : NULL;
}

mx2onnx_status mx2onnx_set_domain_version(mx2onnx_model *m, const char *domain, int32_t version)
{
    ENTER(m);
    CHECK(domain, "the domain is NULL");
    CHECK(is_other_domain(domain), "'%s' is ONNX's own domain" MX_HELP "set its version with MX2ONNX_OPTION_OPSET", domain);
    CHECK(mx_is_plain_text(domain), NOT_PLAIN, domain);
    CHECK(version >= 0, "the version of '%s' is %d, but must be 1 or more, or 0, which takes it back", domain, (int)version);
    return mx_call_end(m, mx_model_set_domain(m, domain, version));
}

int32_t mx2onnx_get_domain_version(const mx2onnx_model *m, const char *domain)
{
    if (!mx_call_looks(m) || !is_other_domain(domain)) {
        return 0;
    }
    const struct mx_domain *d = mx_map_get(&m->choices.domains, domain);
    return d && d->version > 0 ? d->version : 1;
}

/* ---- targets */

size_t mx2onnx_target_count(void)
{
    size_t n = 0;
    while (ox_targets[n].name) {
        n++;
    }
    return n;
}

const char *mx2onnx_target_name(size_t i)
{
    return i < mx2onnx_target_count() ? ox_targets[i].name : NULL;
}

const char *mx2onnx_target_text(size_t i)
{
    return i < mx2onnx_target_count() ? ox_targets[i].text : NULL;
}
