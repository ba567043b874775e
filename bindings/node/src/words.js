// SPDX-License-Identifier: Apache-2.0
// What the library says, in the words of this package.
import { lib } from './native.js';
import { errorNamed } from './errors.js';
import { optionWords } from './options.js';

// Functions of the C header whose names are others here; all else is a method in camel case, without "set".
const WORDS = {
  set_custom_operator: 'customOperator',
  set_domain_version: 'setDomainVersion',
  set_metadata: 'setMetadata',
  model_reset: 'Model.reset',
  catalogue_name: 'catalogue',
  load_catalogue_file: 'loadCatalogue',
  param_size: 'Param.byteLength',
  node_input_size: 'Input.byteLength',
  node_add_constant: 'Node.constant',
};

/** "data=1x3x?x224" of the command line, or with commas, as arguments: ("data", [1, 3, null, 224]). A word such as SIZE is for the reader. */
function shapeCall(name, dims) {
  const list = dims.split(dims.includes(',') ? ',' : 'x').map((d) => (d === '?' ? 'null' : /^\d+$|^[A-Z]+$/.test(d) ? d : `'${d}'`));
  return `inputShape('${name}', ${dims === 'DIMS' ? dims : `[${list.join(', ')}]`})`;
}

/** A text of the library, whose advice names functions of the C header, in the words of this package. */
export function words(text) {
  const shaped = optionWords(text ?? '').replace(/\bmx2onnx_set_input_shape: ([^\s=]+)=([\w?,]*[\w?])/g, (_, name, dims) => shapeCall(name, dims));
  return shaped.replace(/(?<![^\s(])mx2onnx_(\w+)/g, (_, name) => {
    if (WORDS[name]) return WORDS[name];
    return name.replace(/^(set_|node_)/, '').replace(/_(\w)/g, (_, c) => c.toUpperCase());
  });
}

export function errorOf(status, message, diagnostics) {
  return errorNamed(lib.status_name(status), words(message) || lib.status_text(status), diagnostics);
}
