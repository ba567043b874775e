/* The manual page and the shell completions, generated from the table of options during the build. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

/* ---- mx2onnx(1) */

/* Escapes for troff: a backslash, a dash that is a minus, a control character at the beginning of a line. */
static void put_troff(FILE *out, const char *text)
{
    bool line = true;
    for (; *text; text++) {
        if (line && (*text == '.' || *text == '\'')) {
            fputs("\\&", out);
        }
        if (*text == '\\') {
            fputs("\\e", out);
        } else if (*text == '-') {
            fputs("\\-", out);
        } else {
            fputc(*text, out);
        }
        line = *text == '\n';
    }
}

static void put_option(FILE *out, const struct cli_option *o)
{
    fputs(".TP\n", out);
    if (o->letter) {
        fprintf(out, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
    }
    if (o->name) {
        fputs("\\fB\\-\\-", out);
        put_troff(out, o->name);
        fputs("\\fR", out);
    }
    if (o->argument) {
        fprintf(out, "%s\\fI", o->has == CLI_ARGUMENT_OR_NONE ? "[=" : " ");
        put_troff(out, o->argument);
        fprintf(out, "\\fR%s", o->has == CLI_ARGUMENT_OR_NONE ? "]" : "");
    }
    fputc('\n', out);
    put_troff(out, o->help);
    fputc('\n', out);
}

static void put_command(FILE *out, const struct cli_command *c)
{
    fprintf(out, ".SS mx2onnx %s\n", c->name);
    put_troff(out, c->text);
    fputc('\n', out);
    for (size_t i = 0; i < cli_n_options; i++) {
        if (cli_options[i].commands & c->bit) {
            put_option(out, &cli_options[i]);
        }
    }
}

void cli_print_manual(FILE *out)
{
    fprintf(out, ".TH MX2ONNX 1 \"\" \"mx2onnx %s\" \"User Commands\"\n", mx2onnx_version());
    fputs(".SH NAME\nmx2onnx \\- MXNet models to ONNX, without MXNet\n.SH SYNOPSIS\n.nf\n", out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        fputs("\\fBmx2onnx\\fR ", out);
        put_troff(out, cli_commands[i].usage);
        fputc('\n', out);
    }
    fputs(".fi\n.SH COMMANDS\n", out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        put_command(out, &cli_commands[i]);
    }
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        fputs(".nf\n", out);
        put_troff(out, cli_commands[i].examples);
        fputs(".fi\n", out);
    }
    fputs(".SH EXIT STATUS\n", out);
    char text[CLI_MESSAGE];
    for (int i = 0; cli_exit_text(i, 0, text, sizeof text); i++) {
        fprintf(out, ".TP\n\\fB%d\\fR\n", i);
        put_troff(out, text);
        fputc('\n', out);
    }
    fputs(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nwithout colour on a terminal, where it is set and not empty\n", out);
    fputs(".SH BUGS\nReport them at https://github.com/mx2onnx/libmx2onnx/issues, with what\n\\fBmx2onnx inspect \\-\\-json\\fR prints.\n",
          out);
    fputs(".SH SEE ALSO\nThe documentation at https://github.com/mx2onnx/libmx2onnx; the C API in\n\\fImx2onnx.h\\fR.\n", out);
}

/* ---- completions */

static void put_words(FILE *out, unsigned command)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        if (o->commands & command) {
            o->name ? fprintf(out, " --%s%s", o->name, o->has == CLI_ARGUMENT_OR_NONE ? "=" : "") : fprintf(out, " -%c", o->letter);
        }
    }
}

static void put_commands(FILE *out, const char *between)
{
    for (size_t i = 0; i < cli_n_commands; i++) {
        fprintf(out, "%s%s", i ? between : "", cli_commands[i].name);
    }
}

static void bash_values(FILE *out)
{
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        if (o->has != CLI_ARGUMENT) {
            continue;
        }
        o->name ? fprintf(out, "    --%s) ", o->name) : fprintf(out, "    -%c) ", o->letter);
        if (o->words && strcmp(o->words, "FILES") == 0) {
            fputs("COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", out);
        } else {
            fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", o->words ? o->words : "");
        }
    }
}

static void put_bash(FILE *out)
{
    fputs("# completion of mx2onnx for bash, made by mx2onnx --completion bash\n"
          "_mx2onnx()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=convert words\n"
          "    case ${COMP_WORDS[1]} in ",
          out);
    put_commands(out, "|");
    fputs(") [ \"$COMP_CWORD\" -gt 1 ] && command=${COMP_WORDS[1]} ;; esac\n"
          "    COMPREPLY=()\n"
          "    case $prev in\n",
          out);
    bash_values(out);
    fputs("    esac\n    case $command in\n", out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        fprintf(out, "    %s) words=\"", cli_commands[i].name);
        put_words(out, cli_commands[i].bit);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n"
          "    case $cur in\n"
          "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "        case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac ;;\n"
          "    *)\n"
          "        if [ \"$command\" = ops ]; then\n"
          "            COMPREPLY=($(compgen -W \"$(mx2onnx ops 2>/dev/null | awk '/^[A-Za-z_].* [0-9]+/{print $1}')\" -- \"$cur\"))\n"
          "        else\n"
          "            compopt -o filenames\n"
          "            COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "            [ \"$COMP_CWORD\" = 1 ] && COMPREPLY+=($(compgen -W \"",
          out);
    put_commands(out, " ");
    fputs("\" -- \"$cur\"))\n"
          "        fi ;;\n"
          "    esac\n}\ncomplete -F _mx2onnx mx2onnx\n",
          out);
}

/* In the shell's single quotes; brackets and colons have a meaning in zsh's _arguments. */
static void put_quoted(FILE *out, const char *text, bool zsh)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(zsh ? "'\\''" : "\\'", out);
        } else {
            if (zsh && (*text == ':' || *text == '[' || *text == ']')) {
                fputc('\\', out);
            }
            fputc(*text, out);
        }
    }
}

static void zsh_option(FILE *out, const struct cli_option *o)
{
    fputs("        '", out);
    if (o->name) {
        fprintf(out, "*--%s%s", o->name, o->has == CLI_ARGUMENT ? "=" : o->has == CLI_ARGUMENT_OR_NONE ? "=-" : "");
    } else {
        fprintf(out, "-%c", o->letter);
    }
    fputc('[', out);
    put_quoted(out, o->help, true);
    fputc(']', out);
    if (o->has != CLI_NO_ARGUMENT) {
        fputs(o->has == CLI_ARGUMENT_OR_NONE ? "::" : ":", out);
        put_quoted(out, o->argument, true);
        fputc(':', out);
        if (o->words && strcmp(o->words, "FILES") == 0) {
            fputs("_files", out);
        } else if (o->words) {
            fprintf(out, "(%s)", o->words);
        }
    }
    fputs("' \\\n", out);
}

static void put_zsh(FILE *out)
{
    fputs("#compdef mx2onnx\n# completion of mx2onnx for zsh, made by mx2onnx --completion zsh\n_mx2onnx() {\n"
          "    local command=convert\n"
          "    case ${words[2]} in ",
          out);
    put_commands(out, "|");
    fputs(") (( CURRENT > 2 )) && command=${words[2]} ;; esac\n"
          "    (( CURRENT == 2 )) && compadd ",
          out);
    put_commands(out, " ");
    fputs("\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        fprintf(out, "    %s)\n        _arguments -s \\\n", cli_commands[i].name);
        for (size_t k = 0; k < cli_n_options; k++) {
            if (cli_options[k].commands & cli_commands[i].bit) {
                zsh_option(out, &cli_options[k]);
            }
        }
        fprintf(out, "        '*:%s' ;;\n",
                cli_commands[i].bit == CLI_OPS ? "operator:($(mx2onnx ops 2>/dev/null | awk \"/^[A-Za-z_].* [0-9]+/{print \\\\$1}\"))"
                                               : "file:_files");
    }
    fputs("    esac\n}\n_mx2onnx \"$@\"\n", out);
}

/* convert's name may be left out, so its options are offered where no command is that lacks them. */
static void put_fish_condition(FILE *out, const struct cli_option *o)
{
    const bool convert = o->commands & CLI_CONVERT;
    fprintf(out, " -n '%s__fish_seen_subcommand_from", convert ? "not " : "");
    for (size_t k = 0; k < cli_n_commands; k++) {
        const bool has = o->commands & cli_commands[k].bit;
        if (has != convert) {
            fprintf(out, " %s", cli_commands[k].name);
        }
    }
    fputs("'", out);
}

static void put_fish(FILE *out)
{
    fputs("# completion of mx2onnx for fish, made by mx2onnx --completion fish\n", out);
    for (size_t i = 0; i < cli_n_commands; i++) {
        fprintf(out, "complete -c mx2onnx -n __fish_use_subcommand -a %s -d '%s'\n", cli_commands[i].name, cli_commands[i].summary);
    }
    for (size_t i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        fputs("complete -c mx2onnx", out);
        put_fish_condition(out, o);
        if (o->name) {
            fprintf(out, " -l %s", o->name);
        }
        if (o->letter) {
            fprintf(out, " -s %c", o->letter);
        }
        if (o->has == CLI_ARGUMENT) {
            fputs(o->words && strcmp(o->words, "FILES") == 0 ? " -r -F" : " -x", out);
        }
        if (o->words && strcmp(o->words, "FILES") != 0) {
            fprintf(out, " -a '%s'", o->words);
        }
        fputs(" -d '", out);
        put_quoted(out, o->help, false);
        fputs("'\n", out);
    }
}

bool cli_print_completion(FILE *out, const char *shell)
{
    static const struct {
        const char *shell;
        void (*put)(FILE *out);
    } shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(shells[i].shell, shell) == 0) {
            shells[i].put(out);
            return true;
        }
    }
    return false;
}
