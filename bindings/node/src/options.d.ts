// SPDX-License-Identifier: Apache-2.0
// Of this package and of that for browsers (bindings/wasm).

/** Choices of a model; null is the default. */
export interface Options {
  /** The opset to write; by default 17, or the newest that the target reads. */
  opset?: number | null;
  /** A float16 model of half the size; inside: inputs and outputs keep their types. */
  float16?: 'off' | 'all' | 'inside' | null;
  /** Indices of Embedding and take are inside their tables: nothing brings them there. */
  trustIndices?: boolean | null;
  /** A BatchNorm after a convolution stays a node, and the weights stay as they are. */
  keepBatchNorm?: boolean | null;
  /** Parameters are graph inputs, too. */
  initializersAsInputs?: boolean | null;
  /** Of random operators. */
  seed?: number | null;
  /** `in-place`: arrays that need no change stay in the parameter file, which is in the model's folder; `link`: or gets a hard link there. */
  externalData?: 'auto' | 'never' | 'always' | 'in-place' | 'link' | null;
  /** The least bytes of an array that is stored outside of the model file. */
  externalThreshold?: number | bigint | null;
  /** Checksums of side files and of parameter files that stay in place are of all bytes, not of samples. */
  fullChecksum?: boolean | null;
  /** Files are flushed to the disk before they get their names. */
  fsync?: boolean | null;
  /** For the loads that follow, of published nets; 0: as the parameters have them. */
  classes?: number | null;
  crop?: number | null;
  segments?: number | null;
  vocabulary?: number | null;
  /** What the model may cost: bytes, or nodes. */
  memoryLimit?: number | bigint | null;
  expansionLimit?: number | bigint | null;
  nodesLimit?: number | bigint | null;
  outputLimit?: number | bigint | null;
  /** A factor of an input goes into the first convolution too; otherwise it stays a node, by which programs know a net that normalises. */
  foldInputScale?: boolean | null;
  /** Each ONNX node's metadata name the MXNet node that it comes from, and its operator; the model has IR version 10. */
  nodeMetadata?: boolean | null;
  /** Arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order. */
  structuralNames?: boolean | null;
  /** A program that does not read all of ONNX: one of targets(). */
  target?: string | null;
  /** The domain of nodes whose operators are not known; by default they are an error. */
  unknownDomain?: string | null;
  /** Names in the symbol and in the parameter files are the same if they are so without this prefix. */
  paramPrefix?: string | null;
  /** producer_name and doc_string of the ONNX model. */
  producer?: string | null;
  docString?: string | null;
  /** The name of the side file for weights, without a folder. */
  sideFile?: string | null;
  /** The name, in messages, of bytes and of what is read piece by piece, for the loads that follow. */
  sourceName?: string | null;
}
