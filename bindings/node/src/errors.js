// SPDX-License-Identifier: Apache-2.0
import { lib } from './native.js';
import { optionWords } from './options.js';

/** A model cannot be read, converted or written. */
export class Mx2onnxError extends Error {
  constructor(message, status, diagnostics = []) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.diagnostics = diagnostics;
  }
}
export class InvalidArgumentError extends Mx2onnxError {}
export class OutOfMemoryError extends Mx2onnxError {}
export class FileError extends Mx2onnxError {}
export class NotFoundError extends Mx2onnxError {}
export class FormatError extends Mx2onnxError {}
export class UnsupportedError extends Mx2onnxError {}
export class ShapeError extends Mx2onnxError {}
export class MissingParameterError extends Mx2onnxError {}
export class TooLargeError extends Mx2onnxError {}
export class CancelledError extends Mx2onnxError {}
export class InternalError extends Mx2onnxError {}

const CLASSES = {
  INVALID_ARGUMENT: InvalidArgumentError,
  OUT_OF_MEMORY: OutOfMemoryError,
  IO: FileError,
  NOT_FOUND: NotFoundError,
  FORMAT: FormatError,
  UNSUPPORTED: UnsupportedError,
  SHAPE: ShapeError,
  MISSING_PARAMETER: MissingParameterError,
  TOO_LARGE: TooLargeError,
  CANCELLED: CancelledError,
  INTERNAL: InternalError,
};

// Functions of the C header whose names are others here; all else is a method in camel case, without "set".
const WORDS = {
  set_custom_operator: 'customOperator',
  set_domain_version: 'setDomainVersion',
  set_metadata: 'setMetadata',
  model_reset: 'Model.reset',
  target_name: 'targets()',
  catalogue_name: 'catalogue',
  param_size: 'Param.byteLength',
  node_input_size: 'Input.byteLength',
  node_add_constant: 'Node.constant',
};

/** A text of the library, whose advice names functions of the C header, in the words of this package. */
export function words(text) {
  return optionWords(text ?? '').replace(/\bmx2onnx_(\w+)/g, (_, name) => {
    if (WORDS[name]) return WORDS[name];
    return name.replace(/^(set_|node_)/, '').replace(/_(\w)/g, (_, c) => c.toUpperCase());
  });
}

export function errorOf(status, message, diagnostics) {
  const name = lib.status_name(status);
  return new (CLASSES[name] ?? Mx2onnxError)(words(message) || lib.status_text(status), name, diagnostics);
}
