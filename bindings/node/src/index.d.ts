// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" />
import type { Diagnostic, Dim, KnownOperator, Operator, Param as AnyParam, Severity, Value } from './common.js';
import type { Dtype, Handler, HandlerOptions, Part, Progress, Variable } from './node.js';
import type { Options } from './options.js';

export {
  Mx2onnxError, InvalidArgumentError, OutOfMemoryError, FileError, NotFoundError, FormatError, UnsupportedError, ShapeError,
  MissingParameterError, TooLargeError, CancelledError, InternalError,
} from './common.js';
export type { Diagnostic, Dim, KnownOperator, Operator, Severity, Status, Value } from './common.js';
export { float } from './node.js';
export type {
  Attribute, Dtype, Handler, HandlerOptions, Input, InputDim, Node, Operand, Part, Progress, Result, Variable,
} from './node.js';
export type { Options } from './options.js';

export type Bytes = ArrayBuffer | ArrayBufferView;

/** A file that is read piece by piece. `read` runs on the main thread, and gives the same bytes each time. */
export interface Reader {
  size: number;
  read(offset: number, length: number): Uint8Array;
}

export interface Param extends AnyParam {
  bytes(part?: Part): Buffer;
}

export interface CallOptions {
  /** Ends the call: the promise rejects with the signal's reason, and nothing is left of what it began. */
  signal?: AbortSignal;
  /** On the main thread; true ends the call with a CancelledError. By default the model's own. */
  onProgress?(now: Progress): boolean | void;
}

/**
 * An MXNet model on its way to ONNX. What takes time gives a promise and works off the main thread; until it settles the model
 * is in use, and other calls throw an InvalidArgumentError. Functions that are given to a model run on the main thread; what
 * they throw comes out of the call that ran them.
 */
export class Model implements Disposable, AsyncDisposable {
  constructor();
  /** A new model with what `source` holds; see load. */
  static open(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<Model>;

  /** Frees the model; the garbage collector does it otherwise. */
  close(): void;
  /** Ends the call that runs, whose promise rejects with a CancelledError; it does nothing to later calls. */
  cancel(): void;
  /** Makes the model as it was made: without what was loaded and chosen, and without functions. */
  reset(): this;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;

  /** A symbol file with the parameters next to it, a prefix, a folder, an archive; or an archive or a symbol as bytes. */
  load(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<this>;
  /** A path, or the JSON as bytes. */
  loadSymbol(source: string | URL | Bytes, options?: CallOptions): Promise<this>;
  /** .params, .npz or .npy; may be called several times. */
  loadParams(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<this>;
  /** The graph for parameters without a symbol: that of the published net of this name, or of the one that they fit. */
  loadNet(name?: string | null, options?: CallOptions): Promise<this>;
  /** All published nets that the parameters fit; the title has the sizes. */
  identifyNet(options?: CallOptions): Promise<{ name: string; title: string }[]>;
  /** Chooses what was published with the net for its inputs. */
  usePublished(what: 'shapes' | 'normalization'): this;
  /** Another catalogue of nets than that in the library: a path, or the bytes of the file. */
  loadCatalogue(source: string | URL | Bytes, options?: CallOptions): Promise<this>;
  /** The net that the graph was made of, "resnet18_v1 with 10 classes"; null if it came from a symbol. */
  readonly netTitle: string | null;
  /** The nets of the catalogue, and what is known of each in a line. */
  readonly catalogue: { name: string; text: string }[];
  /** The same nets as objects: name, source, inputs, classes, mean and so on (lib/schema/net.json). */
  readonly nets: ({ name: string; source: string; inputs: (number | null)[][] } & Record<string, unknown>)[];
  /** A value for a variable: a parameter, or an input that is to be frozen. The data is copied. */
  setParam(name: string, data: ArrayBufferView, options?: { dtype?: Dtype; dims?: number[] }): this;

  /** Takes back what setParam set: the array of a file with this name is used again. */
  removeParam(name: string): this;

  /** Choices by name; null is the default, and what is not named stays as it is. */
  setOptions(values: Options): this;
  /** All choices. */
  readonly options: Required<Options>;
  /** The whole shape, also where a dim had a name before; null takes it back. One that is refused changes nothing. */
  inputShape(input: string, dims: Dim[] | null): this;
  /** Makes a dim dynamic under a name; null: fixed again. */
  inputDimName(input: string, axis: number, name: string | null): this;
  /** null takes the type back. */
  inputDtype(input: string, dtype: Dtype | null): this;
  /** The ONNX input is (n, h, w, c) where the net has (n, c, h, w); shapes are given in the net's order. */
  inputChannelsLast(input: string, on?: boolean): this;
  inputChannelsReversed(input: string, on?: boolean): this;
  /** The net gets (x - mean) * scale: a value a channel, or one for all; [] takes the choice back. */
  inputMean(input: string, values: number[]): this;
  inputScale(input: string, values: number[]): this;
  /** What was set for an input by the functions above and usePublished; [] where nothing was. */
  chosen(input: string): { shape: (number | string | null)[] | null; dtype: string | null };
  chosenName(from: string): string | null;
  preprocessing(input: string): { channelsLast: boolean; channelsReversed: boolean; mean: number[]; scale: number[] };
  /** The version with which the ONNX model imports a domain other than ONNX's own; 0 takes it back to 1. */
  setDomainVersion(domain: string, version: number): this;
  domainVersion(domain: string): number;
  /** An entry of the ONNX model's metadata_props; null removes it. */
  setMetadata(key: string, value: string | null): this;
  /** Removes all entries that were set. */
  clearMetadata(): this;
  /** The entries that were set, sorted by key. */
  readonly metadata: Map<string, string>;
  /** An output by MXNet's name; the first call replaces the model's own. */
  addOutput(name: string): this;
  /** The outputs of the file again. */
  clearOutputs(): this;
  /** `from` is the name in the MXNet file; null takes the new name back. */
  rename(from: string, to: string | null): this;
  /** Are the files that an ONNX model names there, long enough and unchanged? The notes in `diagnostics` say it of each. */
  checkExternalData(path: string | URL, options?: CallOptions): Promise<this>;
  /** With float16: a node, or all nodes of an operator; null: as the library decides. */
  setNodePrecision(name: string, precision: 'float32' | 'float16' | null): this;
  nodePrecision(name: string): 'float32' | 'float16' | null;
  /** Lines of the severity `least` and graver; by default notes, warnings and errors. */
  onLog(fn: ((severity: Severity | 'debug', message: string) => void) | null, options?: { least?: Severity | 'debug' }): this;
  /** For every call that returns a promise and is not given an onProgress. */
  onProgress(fn: ((now: Progress) => boolean | void) | null): this;
  /** For nodes whose operator or op_type (MXNet's Custom) is `name`; null takes the handler back, and null for the name, too, all. */
  customOperator(name: string, handler: Handler | null, options?: HandlerOptions): this;
  customOperator(name: null, handler: null): this;

  /** Finds shapes and types with the choices made so far. */
  infer(options?: CallOptions): Promise<this>;
  readonly inputs: Value[];
  readonly outputs: Value[];
  /** The variables without a value, in the order of MXNet's list_inputs(). */
  readonly variables: Variable[];
  readonly params: Param[];
  readonly operators: Operator[];

  /** Writes a file: whole, or the target is untouched. */
  export(path: string | URL, options?: CallOptions): Promise<void>;
  exportBytes(options?: CallOptions): Promise<Buffer>;
  /** Calls a function with the bytes in order, or a method `write`. A stream receives them as fast as it takes them, the rest
   * through a temporary file, and stays open. */
  exportTo(target: ((bytes: Buffer) => unknown) | { write(bytes: Buffer): unknown }, options?: CallOptions): Promise<void>;

  readonly diagnostics: Diagnostic[];
  /** Of the last export. */
  readonly written: { opset: number; nodes: number; bytes: number; files: string[] };
  readonly report: Record<string, unknown>;
  /** A graph as an object, which lib/schema/graph.json describes: ONNX's, by default, or MXNet's, also where inference fails. */
  graph(which?: 'onnx' | 'mxnet', options?: CallOptions): Promise<Record<string, unknown>>;
  /** The same as text for people, a node a line; MXNet's after inference. */
  graphText(which?: 'onnx' | 'mxnet', options?: CallOptions): Promise<string>;
}

export const version: string;
export const versionNumber: number;
export const features: { readonly zip: boolean; readonly tar: boolean; readonly catalogue: boolean };
export const opsets: { readonly oldest: number; readonly newest: number; readonly default: number };
export function targets(): { name: string; text: string }[];
export function knownOperators(): KnownOperator[];
