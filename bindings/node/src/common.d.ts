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
  /** MXNet's name of the node; '' if none is meant, and so with the others. */
  node: string;
  op: string;
  attribute: string;
  /** The input, output, parameter or file that is meant instead of a node. */
  name: string;
  message: string;
  /** The way out. */
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

/** A size, a name of a dynamic dim, or null: left to inference. */
export type Dim = number | string | null;

export interface Value {
  name: string;
  dtype: Dtype | null;
  /** null while the rank is unknown; a dim is a size, a name or an expression, or null while nothing is known. */
  dims: Dim[] | null;
}

export interface Param {
  name: string;
  dtype: Dtype;
  dims: number[];
  byteLength: number;
  /** Whether the graph reads it. */
  used: boolean;
  /** Reads it or a part: dense, row-major, little-endian. */
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
