// SPDX-License-Identifier: Apache-2.0
// What a call that failed throws. The package for browsers (bindings/wasm) has this file, too.

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

export const errorNamed = (status, message, diagnostics) => new (CLASSES[status] ?? Mx2onnxError)(message, status, diagnostics);
