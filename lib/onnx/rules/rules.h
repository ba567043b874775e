/* What the library knows of ONNX's operators: rows, opsets, types, what an opset refuses, arithmetic on constants. */
#ifndef OX_RULES_H
#define OX_RULES_H

#include "onnx/schema/kernels.h"
#include "onnx/schema/row.h"
#include "onnx/values/state.h"

/* The smallest IR version for a model of this opset. */
int ox_opset_ir_version(int opset);

/* The type in which a node must run when its data have type t, at this opset: t itself if there is a kernel for it, otherwise the type
 * to cast to (and back). NONE: there is no kernel at all. */
enum mx_dtype ox_kernel_dtype(enum ox_op op, const struct ox_attr *attrs, enum mx_dtype t, int opset);

/* letters.c. The letter of input or output i in those of a row, which may be of any number. */
char ox_letter_at(const char *letters, int i);
/* The type of T; NONE without such an input. INTERNAL if they differ. */
enum mx_dtype ox_data_type(const struct ox_call *c);
void ox_check_types(struct ox_call *c);
/* True if input i must have the type in which the node runs; and the type that fits all such inputs. */
bool ox_runs_in_data_type(const struct ox_call *c, int i);
enum mx_dtype ox_joined_type(const struct ox_call *c);
/* The type required of input i; NONE: any, or the type that it has. */
enum mx_dtype ox_in_type(const struct ox_call *c, int i);
/* Gives the outputs their types; NONE if the rule determines it. */
void ox_set_types(struct ox_call *c);

/* form.c: fails the builder if the opset cannot express this call. */
void ox_check_form(struct ox_call *c);
/* True if a change in the operator's list concerns the node at this opset. */
bool ox_has_older_form(const struct ox_node *n, int opset);
/* Undoes the changes of the list that came after the model's opset. */
void ox_undo_changes(struct ox_call *c);

/* fold.c: arithmetic on small constants. True: *out is the result. */
bool ox_fold(struct ox_call *c, ox_val *out);
bool ox_folds_elements(enum ox_op op, int n_in); /* an elementwise operator that fold.c can compute */

#endif
