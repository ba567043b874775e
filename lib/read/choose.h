/* Which of many names are a model: its symbol, its parameters and what tells the shapes of its inputs. A folder and an
 * archive are both lists of names, and what belongs together is decided by names alone, here for both. */
#ifndef MX_READ_CHOOSE_H
#define MX_READ_CHOOSE_H

#include "base/diag.h"
#include "read/folder.h"

struct mx_choice {
    struct mx_diags *diags;
    struct mx_arena *arena; /* for what is made of names */
    const char *label;      /* what was given, in messages */
    struct mx_names names;  /* in the folder or archive */
    const char *symbol, *params, *shapes; /* of them; NULL: none */
    const char *settings;   /* of parameters without a symbol: SageMaker's */
};

/* The one symbol among the names, and what belongs to it; without a symbol the one parameter file. NOT_FOUND if there is none,
 * or more than one. */
int mx_choose_model(struct mx_choice *c) MX_MUST_USE;
/* What belongs to c->symbol, which is one of the names. */
void mx_choose_beside(struct mx_choice *c);
bool mx_has_symbol(const struct mx_choice *c);

#endif
