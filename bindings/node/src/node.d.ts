// SPDX-License-Identifier: Apache-2.0
// Operators of the caller's own: of this package and of that for browsers (bindings/wasm).

/** Element types, by NumPy's names. */
export type Dtype =
  | 'float32' | 'float64' | 'float16' | 'uint8' | 'int32' | 'int8' | 'int64' | 'bool' | 'int16' | 'uint16' | 'uint32' | 'uint64'
  | 'bfloat16';

/** The size of an axis of an input that is not known before the model runs. */
export interface InputDim {
  input: number;
  axis: number;
}

/** The part of an array to read, in bytes. The default is the whole array. */
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
  /** Reads a parameter's contents from `offset` on: dense, row-major, little-endian, of the type storedDtype. */
  bytes(part?: Part): Uint8Array;
}

/** A value of the ONNX graph. */
export interface Result {
  readonly number: number;
}

/** A float attribute whose value is an integer: float(1), float([1, 2]). */
export function float(value: number | number[]): Attribute;
export type Attribute = number | bigint | string | number[] | bigint[] | string[] | { readonly value: number | number[] };

/** A typed array becomes a constant of one dimension; null is an omitted input. */
export type Operand = Input | Result | Exclude<ArrayBufferView, DataView> | null;

/** A node of MXNet's graph, as a handler gets it. It is valid until the handler returns. */
export interface Node {
  readonly name: string;
  /** The name that the handler is registered for. */
  readonly operator: string;
  /** The opset that is being written. */
  readonly opset: number;
  /** The domain for unknown operators, or null. */
  readonly domain: string | null;
  /** The attributes as texts, as they are in the file. */
  readonly attributes: Map<string, string>;
  readonly inputs: Input[];
  readonly outputCount: number;
  attribute(key: string): string | undefined;
  /** Refuses the node: the call that led here rejects with an UnsupportedError that has this text. */
  fail(message: string): never;
  /** In infer: gives an output the type and shape of an input. */
  setOutputLike(output: number, input: number): void;
  /** In infer: sets type and shape of an output. null is an independent size. */
  setOutput(output: number, dtype: Dtype, dims: (number | InputDim | null)[]): void;
  /** In lower: adds a constant. */
  constant(data: ArrayBufferView, options?: { dtype?: Dtype; dims?: number[] }): Result;
  /** In lower: adds an ONNX node. ONNX's own operators are given in their newest form, which the library converts to that of the
   * opset. Attributes are an object or JSON text. A number without a fraction is an integer, unless float() makes it a float. */
  add(opType: string, inputs: Operand[], attributes?: Record<string, Attribute> | string | null,
    options?: { domain?: string | null; outputs?: 1 }): Result;
  add(opType: string, inputs: Operand[], attributes: Record<string, Attribute> | string | null | undefined,
    options: { domain?: string | null; outputs: number }): Result[];
  /** In lower: sets the value of an output of MXNet's node. Values that lower returns are set in the same way. */
  setResult(output: number, value: Operand): void;
}

/** A custom operator. Both functions run while the library waits for them, on the main thread in node. */
export interface Handler {
  /** Sets type and shape of the outputs. Without it they are those of input 0. It may be called several times. */
  infer?(node: Node): void;
  /** Writes the node as ONNX and returns the value of each output. Without it the node is kept, in the domain for unknown operators. */
  lower?(node: Node): Result | Result[] | void;
}

export interface HandlerOptions {
  /** The number of outputs of each node, or a function of the node that returns it; the node then has only its names and attributes. */
  outputs?: number | ((node: Node) => number);
  /** Whether the handler also replaces an operator that the library knows. */
  overrides?: boolean;
}

/** How far a call is. */
export interface Progress {
  phase: 'load' | 'infer' | 'lower' | 'write' | 'other';
  /** Bytes that are written, and bytes to be written, while the phase is 'write'; otherwise 0. */
  done: number;
  total: number;
  /** The node at which it is, or ''. */
  node: string;
}

/** A variable without a value. 'weight' is missing from the parameter files; 'unused' is not needed for inference, such as a label. */
export interface Variable {
  name: string;
  kind: 'input' | 'weight' | 'unused' | 'other';
}
