// SPDX-License-Identifier: Apache-2.0
// The family of an operator, of MXNet or ONNX, by which it is coloured.

const FAMILIES = [
  ["end", /^(input|output)$/],
  ["detect", /multibox|nms|nonmax|roi|proposal|topk|box_|anchor|bipartite|argm|argsort|^sort$|slice_?like/i],
  ["rnn", /rnn|lstm|gru|loop|foreach|^scan$|sequence/i],
  ["norm", /norm|lrn/i],
  ["pool", /pool|upsampling|resize|bilinear|interp/i],
  ["conv", /conv|fullyconnected|gemm|matmul|(^|_)dot$|einsum|embedding|attention|selfatt/i],
  ["act", /relu|activation|sigmoid|tanh|softmax|softsign|softplus|(^|_)elu|selu|gelu|erf$|clip|dropout|swish|silu|mish|hardswish|output$|smooth_l1/i],
  ["shape", /reshape|flatten|transpose|concat|slice|split|squeeze|unsqueeze|expand|broadcast_(to|like|axis)|tile|pad$|identity|copy|cast|shape|stack|swapax|dim|gather|take|pick|constant|range|zeros|ones|full|repeat|reverse|flip|crop|depthtospace|spacetodepth|blockgrad|_like|scatter|where|one_?hot/i],
  ["math", /add|plus|sub|minus|mul|div|pow|sqrt|square|exp|log|sum|mean|prod|max|min|abs|neg|reciprocal|floor|ceil|round|elemwise|broadcast|scalar|greater|less|equal|not|and|or$|sin|cos|mod|sign/i],
];

export const familyOf = (op) => FAMILIES.find(([, words]) => words.test(op))?.[0] ?? "other";
