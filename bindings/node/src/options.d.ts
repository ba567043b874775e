// SPDX-License-Identifier: Apache-2.0
// Of this package and of that for browsers (bindings/wasm).

/** Options of a model: `setOptions({ opset: 13 })`. null sets an option back to its default. */
export interface Options {
  /** The opset to write. The default is 17, or the oldest above it that the model needs; for a target that does not read 17, the newest that it reads. */
  opset?: number | null;
  /** `all`: a float16 model of half the size; `inside`: the same, but inputs and outputs keep their types. The default is `off`. */
  float16?: 'off' | 'all' | 'inside' | null;
  /** Write Embedding and take without a Clip; all indices must be inside their tables. */
  trustIndices?: boolean | null;
  /** Keep BatchNorm after a convolution as a node instead of folding it into the weights. */
  keepBatchNorm?: boolean | null;
  /** List the parameters as graph inputs, too. */
  initializersAsInputs?: boolean | null;
  /** The seed of random operators. With one they return the same values at every run; by default the runtime chooses it. */
  seed?: number | null;
  /**
   * Where the weights are stored. `auto`, the default: in a side file above 2 GiB. `in-place`: arrays that need no change stay in the
   * parameter file, which must be in the model's folder. `link`: the same, and a hard link to the parameter file is made there.
   */
  externalData?: 'auto' | 'never' | 'always' | 'in-place' | 'link' | null;
  /** The least bytes of an array that is stored outside of the model file. The default is 1024. */
  externalThreshold?: number | bigint | null;
  /** Record checksums of whole side files and parameter files, not of samples of them. */
  fullChecksum?: boolean | null;
  /** Flush files to the disk before they are renamed. */
  fsync?: boolean | null;
  /** Without a symbol file: later loads consider only published models of so many classes. By default it is read from the parameters. */
  classes?: number | null;
  /** The same for segmentation models: the side of the square images. The default is as published. */
  crop?: number | null;
  /** The same for video models: the number of segments. The default is as published. */
  segments?: number | null;
  /** The same for language models: the number of words. By default it is read from the parameters. */
  vocabulary?: number | null;
  /** The limit of bytes used by the graph and its constants. */
  memoryLimit?: number | bigint | null;
  /** The limit of bytes of unpacked archives and sparse arrays. */
  expansionLimit?: number | bigint | null;
  /** The limit of ONNX nodes that an export writes. */
  nodesLimit?: number | bigint | null;
  /** The limit of bytes that an export writes. */
  outputLimit?: number | bigint | null;
  /** Merge a factor of an input into the first convolution. By default it is a node, which shows programs that the model normalises. */
  foldInputScale?: boolean | null;
  /** Add the name and operator of the MXNet node to the metadata of each ONNX node; the model then has IR version 10. */
  nodeMetadata?: boolean | null;
  /** Match the names of Gluon's save_parameters to the symbol's by kind, shape and order. */
  structuralNames?: boolean | null;
  /** The program that will read the file, if it does not read all of ONNX: one of targets(). */
  target?: string | null;
  /** The domain in which unknown operators are written. By default they are an error. */
  unknownDomain?: string | null;
  /** A prefix to ignore when names of the symbol and of the parameter files are matched. */
  paramPrefix?: string | null;
  /** The producer_name of the ONNX model. */
  producer?: string | null;
  /** The doc_string of the ONNX model. */
  docString?: string | null;
  /** The name of the side file for weights, without a folder. The default is the name of the model with `.data`. */
  sideFile?: string | null;
  /** The name that messages use for bytes and readers that are loaded after it is set. */
  sourceName?: string | null;
}
