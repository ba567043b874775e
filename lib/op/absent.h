/* Operators that are in people's models and that the library does not convert: X(name, where it is from, what to do). The program's list
 * of operators has them, too. */
#ifndef MX_OP_ABSENT_H
#define MX_OP_ABSENT_H

#define MX_PYTHON_BEFORE_1 "it is Python code of MXNet before 1.0"
#define MX_OF_SIMPLEDET "it is an operator of the fork simpledet"
#define MX_OF_BMXNET "it is a binary operator of the fork BMXNet"
#define MX_REGISTER "register a handler"
#define MX_CUT_OR_REGISTER "choose outputs before it with --output, or register a handler"

#define MX_ABSENT_OPERATORS(X)                                                                                                             \
    X("Custom", "it is Python code that is not in the model's files", "register a handler for its op_type")                                \
    X("_CustomFunction", "it is Python code of autograd.Function", "register a handler, or export the model without it")                   \
    X("_Native", MX_PYTHON_BEFORE_1, MX_REGISTER)                                                                                          \
    X("_NDArray", MX_PYTHON_BEFORE_1, MX_REGISTER)                                                                                         \
    X("MultiProposalTarget", "it exists for training only", "choose an output before it with --output")                                    \
    X("Proposal_v2", MX_OF_SIMPLEDET, MX_CUT_OR_REGISTER)                                                                                  \
    X("Proposal_v3", MX_OF_SIMPLEDET, MX_CUT_OR_REGISTER)                                                                                  \
    X("GenProposalRetina", MX_OF_SIMPLEDET, MX_CUT_OR_REGISTER)                                                                            \
    X("GenAnchor", MX_OF_SIMPLEDET, MX_CUT_OR_REGISTER)                                                                                    \
    X("QActivation", MX_OF_BMXNET, MX_REGISTER)                                                                                            \
    X("QConvolution", MX_OF_BMXNET, MX_REGISTER)                                                                                           \
    X("QFullyConnected", MX_OF_BMXNET, MX_REGISTER)                                                                                        \
    X("tvm_op", "SageMaker Neo or TVM compiled the model", "convert the archive from before the compilation")

#endif
