// SPDX-License-Identifier: Apache-2.0
// The family of an operator, of MXNet or ONNX, by which it is coloured.

/** @type {[string, RegExp][]} */
const FAMILIES = [
  ["end", /^(input|output)$/],
  ["detect", /multibox|nms|nonmax|roi|proposal|topk|box_|anchor|bipartite|argsort|^sort$/i],
  ["rnn", /rnn|lstm|gru|loop|foreach|^scan$|sequence/i],
  ["norm", /norm|lrn/i],
  ["pool", /pool|upsampling|resize|bilinear|interp/i],
  ["conv", /conv|fullyconnected|gemm|matmul|(^|_)dot$|einsum|embedding|attention|selfatt/i],
  ["act", /relu|activation|sigmoid|tanh|softmax|softsign|softplus|(^|_)elu|selu|gelu|erf$|clip|dropout|swish|silu|mish|hardswish|output$|smooth_l1/i],
  ["shape", /shape|flatten|transpose|concat|slice|split|squeeze|expand|tile|pad$|swapax|dim|stack|repeat|reverse|flip|crop|depthtospace|spacetodepth/i],
  ["shape", /broadcast_(to|like|axis)|identity|copy|(?<!broad)cast|gather|take|pick|constant|range|zeros|ones|full|blockgrad|_like|scatter|where|one_?hot/i],
  ["math", /add|plus|sub|minus|mul|div|pow|sqrt|square|exp|log|sum|mean|prod|max|min|abs|neg|reciprocal|floor|ceil|round|elemwise|broadcast/i],
  ["math", /scalar|greater|less|equal|not|and|or$|sin|cos|mod|sign/i],
];

export const familyOf = (op) => FAMILIES.find(([, words]) => words.test(op))?.[0] ?? "other";
