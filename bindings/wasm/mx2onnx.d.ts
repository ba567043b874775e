/** Converts MXNet models to ONNX: libmx2onnx as WebAssembly, for node 18 and later and for browsers. */

import type { Diagnostic, Dim, KnownOperator, Operator, Param, Severity, Value } from "./common.js";
import type { Dtype, Handler, HandlerOptions, Progress, Variable } from "./node.js";
import type { Options } from "./options.js";

export {
  Mx2onnxError, InvalidArgumentError, OutOfMemoryError, FileError, NotFoundError, FormatError, UnsupportedError, ShapeError,
  MissingParameterError, TooLargeError, CancelledError, InternalError,
} from "./common.js";
export type { Diagnostic, Dim, KnownOperator, Operator, Param, Severity, Status, Value } from "./common.js";
export { float } from "./node.js";
export type {
  Attribute, Dtype, Handler, HandlerOptions, Input, InputDim, Node, Operand, Part, Progress, Result, Variable,
} from "./node.js";
export type { Options } from "./options.js";

/** Bytes are copied; a string is UTF-8. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView | string;

/** Bytes that are read where and when they are needed, synchronously, as long as the model lives. */
export interface Reader {
  size: number;
  read(offset: number, size: number): Uint8Array;
}

/** A Reader of a Blob or File. In workers only: a page has no way to read a Blob at once. */
export function blobReader(blob: Blob): Reader;

/** Frees the memory of a buffer immediately, for instance of a piece that was written: collectors wait until hundreds of MB are unused. */
export function discard(buffer: ArrayBuffer): void;

/** A model on its way: load, choose, export. Setters give the model itself; errors are a Mx2onnxError. */
export interface Model {
  /** An archive with a model (.zip, .mar, .model), or a symbol alone. */
  load(data: Bytes | Reader): Model;
  /** The text of a -symbol.json. */
  loadSymbol(data: Bytes): Model;
  /** A .params, .npz or .npy; several may be loaded. */
  loadParams(data: Bytes | Reader): Model;
  /** Sets the whole shape, with the names of dynamic dimensions; null removes it. A shape that is refused changes nothing. */
  inputShape(input: string, dims: Dim[] | null): Model;
  /** Makes a dim dynamic under a name; null: fixed again. */
  inputDimName(input: string, axis: number, name: string | null): Model;
  /** null takes the type back. */
  inputDtype(input: string, dtype: Dtype | null): Model;
  /** Makes the ONNX input (n, h, w, c) although the MXNet model has (n, c, h, w); shapes keep MXNet's order. */
  inputChannelsLast(input: string, on?: boolean): Model;
  inputChannelsReversed(input: string, on?: boolean): Model;
  /** The model gets (x - mean) * scale. Pass a value for each channel, or one for all; [] removes it. */
  inputMean(input: string, values: number[]): Model;
  inputScale(input: string, values: number[]): Model;
  addOutput(name: string): Model;
  /** Removes what addOutput added: the outputs are those of the file again. */
  clearOutputs(): Model;
  /** `from` is the name in the MXNet file; null takes the new name back. */
  rename(from: string, to: string | null): Model;
  /** Sets the value of a variable: of a parameter, or of an input that becomes a constant. The data is copied. */
  setParam(name: string, data: ArrayBufferView, options?: { dtype?: Dtype; dims?: number[] }): Model;
  /** Takes back what setParam set: the array of a file with this name is used again. */
  removeParam(name: string): Model;
  /** What was set for an input by the functions above and usePublished; [] where nothing was. */
  chosen(input: string): { shape: (number | string | null)[] | null; dtype: string | null };
  chosenName(from: string): string | null;
  preprocessing(input: string): { channelsLast: boolean; channelsReversed: boolean; mean: number[]; scale: number[] };
  /** Sets the version with which the ONNX model imports a domain other than ONNX's own; 0 sets it back to 1. */
  setDomainVersion(domain: string, version: number): Model;
  domainVersion(domain: string): number;
  /** An entry of the ONNX model's metadata_props; null removes it. */
  setMetadata(key: string, value: string | null): Model;
  /** Removes all entries that were set. */
  clearMetadata(): Model;
  /** The entries that were set, sorted by key. */
  readonly metadata: Map<string, string>;
  /** The graph for parameters without a symbol: that of the published net of this name, or of the one that they fit. */
  loadNet(name?: string | null): Model;
  /** All published nets that the parameters fit; the title has the sizes. */
  identifyNet(): { name: string; title: string }[];
  /** Uses another catalogue of published models than the one in the library: the bytes of its file. */
  loadCatalogue(data: Bytes): Model;
  /** Chooses what was published with the net for its inputs. */
  usePublished(what: "shapes" | "normalization"): Model;
  /** The published model that the graph was made for, "resnet18_v1 with 10 classes"; null if the graph came from a symbol. */
  readonly netTitle: string | null;
  /** The published nets that the library knows. */
  readonly catalogue: { name: string; text: string }[];
  /** The same nets as objects: name, source, inputs, classes, mean and so on (lib/schema/net.json). */
  readonly nets: ({ name: string; source: string; inputs: (number | null)[][] } & Record<string, unknown>)[];
  /** Choices by name; null is the default, and what is not named stays as it is. */
  setOptions(values: Options): Model;
  readonly options: Required<Options>;
  /** With float16: a node, or every node of an operator; null: as the library decides. */
  setNodePrecision(name: string, precision: "float32" | "float16" | null): Model;
  nodePrecision(name: string): "float32" | "float16" | null;
  /** Called now and then; true stops the call (CANCELLED). null ends it. */
  onProgress(call: ((now: Progress) => boolean | void) | null): Model;
  /** Lines of the severity `least` and graver; by default notes, warnings and errors. */
  onLog(call: ((severity: Severity | "debug", message: string) => void) | null, options?: { least?: Severity | "debug" }): Model;
  /** For nodes whose operator or op_type (MXNet's Custom) is `name`; null takes the handler back, and null for the name, too, all. */
  customOperator(name: string, handler: Handler | null, options?: HandlerOptions): Model;
  customOperator(name: null, handler: null): Model;
  infer(): Model;
  readonly inputs: Value[];
  readonly outputs: Value[];
  readonly params: Param[];
  readonly operators: Operator[];
  /** The variables without a value, in the order of MXNet's list_inputs(). */
  readonly variables: Variable[];
  /** A graph as an object, which lib/schema/graph.json describes: ONNX's, by default, or MXNet's, also where inference fails. */
  graph(which?: "onnx" | "mxnet"): Record<string, unknown>;
  /** The graph as text for people, with a node on each line. */
  graphText(which?: "onnx" | "mxnet"): string;
  readonly written: { opset: number; nodes: number; bytes: number; files: string[] };
  /** The ONNX model. */
  exportBytes(): Uint8Array;
  /** The same piece by piece, so that it is never in memory as a whole. */
  exportTo(write: (bytes: Uint8Array) => void): Model;
  readonly diagnostics: Diagnostic[];
  /** What the library knows of the model and the last export. */
  readonly report: Record<string, unknown>;
  /** For a callback: ends the call that runs (CANCELLED). */
  cancel(): void;
  /** Makes the model as it was made: without what was loaded and chosen, and without functions. */
  reset(): Model;
  /** Gives the memory back; the model cannot be used any more. */
  close(): void;
}

export interface Conversion {
  /** A whole model, or a symbol and its parameters. */
  model?: Bytes | Reader;
  symbol?: Bytes;
  params?: Bytes | Reader | (Bytes | Reader)[];
  inputs?: Record<string, Dim[] | { dims?: Dim[]; dtype?: Dtype }>;
  outputs?: string[];
  options?: Options;
  onProgress?: (now: Progress) => boolean | void;
}

export interface Library {
  readonly version: string;
  readonly opsets: { oldest: number; newest: number; default: number };
  model(): Model;
  knownOperators(): KnownOperator[];
  targets(): { name: string; text: string }[];
  convert(what: Conversion): { onnx: Uint8Array; diagnostics: Diagnostic[] };
}

/** Loads the module: from the folder of this file, or from `wasm` (its bytes, or where it is). */
export default function mx2onnx(options?: { wasm?: Uint8Array | ArrayBuffer | string | URL }): Promise<Library>;
