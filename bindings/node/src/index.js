// SPDX-License-Identifier: Apache-2.0
import { lib } from './native.js';

export {
  Mx2onnxError, InvalidArgumentError, OutOfMemoryError, FileError, NotFoundError, FormatError, UnsupportedError, ShapeError,
  MissingParameterError, TooLargeError, CancelledError, InternalError,
} from './errors.js';
export { float } from './node.js';
export { Model } from './model.js';

const list = (count, make) => Array.from({ length: Number(count) }, (_, i) => make(i));

/** The version of the library that runs. */
export const version = lib.version();
export const versionNumber = lib.version_number();

/** Whether the library was built with it. */
export const features = { zip: lib.has_feature(1) !== 0, tar: lib.has_feature(2) !== 0, catalogue: lib.has_feature(3) !== 0 };

/** The opsets that the library writes. */
export const opsets = { oldest: lib.opset_min(), newest: lib.opset_max(), default: lib.opset_default() };

/** The programs that files can be written for. */
export const targets = () => list(lib.target_count(), (i) => ({ name: lib.target_name(i), text: lib.target_text(i) }));

/** The operators that the library converts. */
export const knownOperators = () =>
  list(lib.known_operator_count(), (i) => ({
    name: lib.known_operator_name(i),
    aliases: lib.known_operator_aliases(i).split(' ').filter(Boolean),
    opset: lib.known_operator_opset(i),
    status: lib.known_operator_status(i),
    refuses: lib.known_operator_refuses(i).split('\n').filter(Boolean),
    differs: lib.known_operator_differs(i).split('\n').filter(Boolean),
  }));
