// SPDX-License-Identifier: Apache-2.0
// What this package and that for browsers (bindings/wasm) give alike.
import type { Dtype, Part } from './node.js';

export type Status =
  | 'OK' | 'INVALID_ARGUMENT' | 'OUT_OF_MEMORY' | 'IO' | 'NOT_FOUND' | 'FORMAT' | 'UNSUPPORTED' | 'SHAPE' | 'MISSING_PARAMETER'
  | 'TOO_LARGE' | 'CANCELLED' | 'INTERNAL';

export type Severity = 'error' | 'warning' | 'note';

export interface Diagnostic {
  severity: Severity;
  /** OK for a warning or a note. */
  status: Status;
  /** MXNet's name of the node. This and the next members are '' if they do not apply. */
  node: string;
  op: string;
  attribute: string;
  /** The input, output, parameter or file concerned, instead of a node. */
  name: string;
  message: string;
  /** How to fix it. */
  advice: string;
}

/** A model cannot be read, converted or written. */
export class Mx2onnxError extends Error {
  readonly status: Status;
  readonly diagnostics: Diagnostic[];
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

/** A size, the name of a dynamic dimension, or null, which leaves it to inference. */
export type Dim = number | string | null;

export interface Value {
  name: string;
  dtype: Dtype | null;
  /** null while the rank is unknown. A dimension is a size, a name or an expression, or null while it is unknown. */
  dims: Dim[] | null;
}

export interface Param {
  name: string;
  dtype: Dtype;
  dims: number[];
  byteLength: number;
  /** Whether the graph uses it. */
  used: boolean;
  /** Reads the array or a part of it: dense, row-major, little-endian. */
  bytes(part?: Part): Uint8Array;
}

export interface Operator {
  name: string;
  uses: number;
  supported: boolean;
}

/** An operator that the library converts. */
export interface KnownOperator {
  name: string;
  aliases: string[];
  /** The first opset in which it can be written. */
  opset: number;
  /** How far it is converted: "full", "partial" (some nodes are refused), "differs", "random" or "training only". */
  status: string;
  /** Which of its nodes are not converted, and result in an error: a line for each kind. */
  refuses: string[];
  /** Where its results may differ from MXNet's, and why: a line for each case. */
  differs: string[];
}
