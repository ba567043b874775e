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

/** A file that is read piece by piece. `read` runs on the main thread and must return the same bytes each time. */
export interface Reader {
  size: number;
  read(offset: number, length: number): Uint8Array;
}

export interface Param extends AnyParam {
  bytes(part?: Part): Buffer;
}

export interface CallOptions {
  /** Ends the call: the promise rejects with the signal's reason, and what the call began is undone. */
  signal?: AbortSignal;
  /** Called on the main thread. If it returns true, the call ends with a CancelledError. The default is that of Model.onProgress. */
  onProgress?(now: Progress): boolean | void;
}

/**
 * An MXNet model: load it, look at it, choose options, export it. Calls that take time return a promise and work off the main thread. Until
 * the promise settles, the model is in use, and other calls throw an InvalidArgumentError. Functions that are given to a model run on the
 * main thread, and the call that ran them throws what they throw.
 */
export class Model implements Disposable, AsyncDisposable {
  constructor();
  /** Makes a new model and loads `source` into it; see load. */
  static open(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<Model>;

  /** Frees the model. Otherwise the garbage collector does so later. */
  close(): void;
  /** Ends the call that is running: its promise rejects with a CancelledError. Later calls are not affected. */
  cancel(): void;
  /** Makes the model empty: removes what was loaded and chosen, and all functions. */
  reset(): this;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;

  /** Loads a whole model: a symbol file with its parameters next to it, a prefix, a folder or an archive; or a symbol or archive as bytes. */
  load(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<this>;
  /** Loads the graph from a path, or from the JSON as bytes. */
  loadSymbol(source: string | URL | Bytes, options?: CallOptions): Promise<this>;
  /** Adds the parameters of a .params, .npz or .npy file. May be called several times. */
  loadParams(source: string | URL | Bytes | Reader, options?: CallOptions): Promise<this>;
  /** Makes the graph for parameters without a symbol: that of the published model of this name, or of the one that they fit. */
  loadNet(name?: string | null, options?: CallOptions): Promise<this>;
  /** Finds all published models that the parameters fit; the title has the sizes. */
  identifyNet(options?: CallOptions): Promise<{ name: string; title: string }[]>;
  /** Uses what was published with the model for its inputs. */
  usePublished(what: 'shapes' | 'normalization'): this;
  /** Uses another catalogue of published models than the one in the library: a path, or the bytes of the file. */
  loadCatalogue(source: string | URL | Bytes, options?: CallOptions): Promise<this>;
  /** The published model that the graph was made for, "resnet18_v1 with 10 classes"; null if the graph came from a symbol. */
  readonly netTitle: string | null;
  /** The published models of the catalogue, with a line about each. */
  readonly catalogue: { name: string; text: string }[];
  /** The same models as objects: name, source, inputs, classes, mean and so on (lib/schema/net.json). */
  readonly nets: ({ name: string; source: string; inputs: (number | null)[][] } & Record<string, unknown>)[];
  /** Sets the value of a variable: of a parameter, or of an input that becomes a constant. The data is copied. */
  setParam(name: string, data: ArrayBufferView, options?: { dtype?: Dtype; dims?: number[] }): this;

  /** Removes the value that setParam set. The array with this name in a parameter file is used again. */
  removeParam(name: string): this;

  /** Sets options by name. null sets one back to its default; options that are not named stay as they are. */
  setOptions(values: Options): this;
  /** The values of all options. */
  readonly options: Required<Options>;
  /** Sets the whole shape of an input, with the names of dynamic dimensions; null removes it. A shape that is refused changes nothing. */
  inputShape(input: string, dims: Dim[] | null): this;
  /** Makes a dimension dynamic and names it; null makes it fixed again. */
  inputDimName(input: string, axis: number, name: string | null): this;
  /** Sets the element type of an input; null sets it back to the default. */
  inputDtype(input: string, dtype: Dtype | null): this;
  /** Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w). Shapes are given in the order of the MXNet model. */
  inputChannelsLast(input: string, on?: boolean): this;
  inputChannelsReversed(input: string, on?: boolean): this;
  /** The model gets (x - mean) * scale. Pass a value for each channel, or one for all; [] removes it. */
  inputMean(input: string, values: number[]): this;
  inputScale(input: string, values: number[]): this;
  /** What the functions above and usePublished set for an input; [] if nothing was set. */
  chosen(input: string): { shape: (number | string | null)[] | null; dtype: string | null };
  chosenName(from: string): string | null;
  preprocessing(input: string): { channelsLast: boolean; channelsReversed: boolean; mean: number[]; scale: number[] };
  /** Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1. */
  setDomainVersion(domain: string, version: number): this;
  domainVersion(domain: string): number;
  /** Sets an entry of the ONNX model's metadata_props; null removes it. */
  setMetadata(key: string, value: string | null): this;
  /** Removes all entries that were set. */
  clearMetadata(): this;
  /** The entries that were set, sorted by key. */
  readonly metadata: Map<string, string>;
  /** Adds an output by its MXNet name. The first call replaces the model's own outputs. */
  addOutput(name: string): this;
  /** Removes what addOutput added: the outputs are those of the file again. */
  clearOutputs(): this;
  /** Renames an input, output or parameter in the ONNX file. `from` is the name in the MXNet file; null removes the new name. */
  rename(from: string, to: string | null): this;
  /** Checks the files that an ONNX model names: each must exist, be long enough and unchanged. `diagnostics` has a note on each. */
  checkExternalData(path: string | URL, options?: CallOptions): Promise<this>;
  /** For float16: sets the precision of a node, or of all nodes of an operator; null leaves it to the library. */
  setNodePrecision(name: string, precision: 'float32' | 'float16' | null): this;
  nodePrecision(name: string): 'float32' | 'float16' | null;
  /** Calls the function for each line of the severity `least` or graver. The default is notes, warnings and errors. */
  onLog(fn: ((severity: Severity | 'debug', message: string) => void) | null, options?: { least?: Severity | 'debug' }): this;
  /** Sets the function for every call that returns a promise and has no onProgress of its options. */
  onProgress(fn: ((now: Progress) => boolean | void) | null): this;
  /** Sets the handler of nodes whose operator or op_type (MXNet's Custom) is `name`. null removes it; null for the name too removes all. */
  customOperator(name: string, handler: Handler | null, options?: HandlerOptions): this;
  customOperator(name: null, handler: null): this;

  /** Infers shapes and types with the options set so far. */
  infer(options?: CallOptions): Promise<this>;
  readonly inputs: Value[];
  readonly outputs: Value[];
  /** The variables without a value, in the order of MXNet's list_inputs(). */
  readonly variables: Variable[];
  readonly params: Param[];
  readonly operators: Operator[];

  /** Writes the ONNX file. If the export fails, the file at the path is untouched. */
  export(path: string | URL, options?: CallOptions): Promise<void>;
  exportBytes(options?: CallOptions): Promise<Buffer>;
  /** Passes the bytes in order to a function or a method `write`. A stream receives them as fast as it takes them, the rest
   * through a temporary file, and stays open. */
  exportTo(target: ((bytes: Buffer) => unknown) | { write(bytes: Buffer): unknown }, options?: CallOptions): Promise<void>;

  readonly diagnostics: Diagnostic[];
  /** What the last export wrote. */
  readonly written: { opset: number; nodes: number; bytes: number; files: string[] };
  readonly report: Record<string, unknown>;
  /** A graph as an object, described by lib/schema/graph.json: ONNX's by default, or MXNet's, available even if inference fails. */
  graph(which?: 'onnx' | 'mxnet', options?: CallOptions): Promise<Record<string, unknown>>;
  /** The graph as text for people, with a node on each line. */
  graphText(which?: 'onnx' | 'mxnet', options?: CallOptions): Promise<string>;
}

export const version: string;
export const versionNumber: number;
export const features: { readonly zip: boolean; readonly tar: boolean; readonly catalogue: boolean };
export const opsets: { readonly oldest: number; readonly newest: number; readonly default: number };
export function targets(): { name: string; text: string }[];
export function knownOperators(): KnownOperator[];
