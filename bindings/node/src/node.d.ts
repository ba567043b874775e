// SPDX-License-Identifier: Apache-2.0
// Operators of the caller's own: of this package and of that for browsers (bindings/wasm).

/** Element types, by NumPy's names. */
export type Dtype =
  | 'float32' | 'float64' | 'float16' | 'uint8' | 'int32' | 'int8' | 'int64' | 'bool' | 'int16' | 'uint16' | 'uint32' | 'uint64'
  | 'bfloat16';

/** A size that is not known before the model runs: that of an axis of an input. */
export interface InputDim {
  input: number;
  axis: number;
}

/** What is read of an array, in bytes; by default all. */
export interface Part {
  offset?: number;
  size?: number;
}

export interface Input {
  readonly name: string;
  readonly dtype: Dtype | null;
  /** null while the rank is unknown. */
  readonly dims: (number | InputDim)[] | null;
  /** The type of a parameter's bytes in its file; null for an input that is not a parameter. */
  readonly storedDtype: Dtype | null;
  readonly byteLength: number;
  /** A parameter's contents from `offset` on: dense, row-major, little-endian, of storedDtype. */
  bytes(part?: Part): Uint8Array;
}

/** A value of the ONNX graph. */
export interface Result {
  readonly number: number;
}

/** An attribute that is a float although its value is whole: float(1), float([1, 2]). */
export function float(value: number | number[]): Attribute;
export type Attribute = number | bigint | string | number[] | bigint[] | string[] | { readonly value: number | number[] };

/** A typed array becomes a constant of one dim; null is an input that is left out. */
export type Operand = Input | Result | Exclude<ArrayBufferView, DataView> | null;

/** A node of MXNet's graph in a handler; it lives until the handler returns. */
export interface Node {
  readonly name: string;
  /** The name that the handler is registered for. */
  readonly operator: string;
  /** The opset that is written. */
  readonly opset: number;
  /** The domain for operators that are not known, or null. */
  readonly domain: string | null;
  /** As the file has them. */
  readonly attributes: Map<string, string>;
  readonly inputs: Input[];
  readonly outputCount: number;
  attribute(key: string): string | undefined;
  /** Refuses the node: the call that led here rejects with an UnsupportedError that has this text. */
  fail(message: string): never;
  /** In infer: type and shape of an output are those of an input. */
  setOutputLike(output: number, input: number): void;
  /** In infer; a dim of null is an independent size. */
  setOutput(output: number, dtype: Dtype, dims: (number | InputDim | null)[]): void;
  /** In lower. */
  constant(data: ArrayBufferView, options?: { dtype?: Dtype; dims?: number[] }): Result;
  /** In lower: one of ONNX's operators in its newest form (the form of the opset is written), or of another domain. Attributes
   * are an object, where a number without a fraction is an integer unless float() makes it a float, or JSON text. */
  add(opType: string, inputs: Operand[], attributes?: Record<string, Attribute> | string | null,
    options?: { domain?: string | null; outputs?: 1 }): Result;
  add(opType: string, inputs: Operand[], attributes: Record<string, Attribute> | string | null | undefined,
    options: { domain?: string | null; outputs: number }): Result[];
  /** In lower: the value of an output of MXNet's node. What lower returns does the same. */
  setResult(output: number, value: Operand): void;
}

/** A custom operator. Both functions run while the library waits for them, on the main thread in node. */
export interface Handler {
  /** Type and shape of the outputs; without it, those of input 0. It may be called several times. */
  infer?(node: Node): void;
  /** Writes the node as ONNX, and gives the value of each output. Without it the node is kept, in the domain for such. */
  lower?(node: Node): Result | Result[] | void;
}

export interface HandlerOptions {
  /** The outputs of each node, or a function of the node, which at that time has its names and attributes only. */
  outputs?: number | ((node: Node) => number);
  /** The handler is for an operator that the library knows, too. */
  overrides?: boolean;
}

/** How far a call is. */
export interface Progress {
  phase: 'load' | 'infer' | 'lower' | 'write' | 'other';
  /** Bytes that are written and that are to be written, while the phase is 'write'; otherwise 0. */
  done: number;
  total: number;
  /** The node at which it is, or ''. */
  node: string;
}

/** A variable without a value; 'weight' is one that no parameter file holds, 'unused' such as a label. */
export interface Variable {
  name: string;
  kind: 'input' | 'weight' | 'unused' | 'other';
}
