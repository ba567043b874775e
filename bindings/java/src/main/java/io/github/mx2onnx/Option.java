// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** A choice that is a number; a switch is 0 or 1. */
public enum Option {
  /** The opset to write; 0, the default: 17, or the newest that the target reads. */
  OPSET,
  /** A Float16. */
  FLOAT16,
  /** Switch: indices of Embedding and take are within their tables, so that nothing needs to clip them. */
  TRUST_INDICES,
  /** Switch: a BatchNorm after a convolution stays a node, and the weights as they are. */
  KEEP_BATCH_NORM,
  /** Switch: parameters are graph inputs, too. */
  INITIALIZERS_AS_INPUTS,
  /** The seed of random operators; -1, the default, leaves it to the runtime. */
  SEED,
  /** An External. */
  EXTERNAL_DATA,
  /** The least bytes of an array that is stored outside of the model file. */
  EXTERNAL_THRESHOLD,
  /** Switch: checksums are of all bytes, not of samples. */
  FULL_CHECKSUM,
  /** Switch: files are flushed to the disk before they get their names. */
  FSYNC,
  /** For the loads that follow: the classes of a published net; 0: as the parameters have them. */
  CLASSES,
  /** The side of the image of a published segmentation net. */
  CROP,
  /** The segments of a published net for videos. */
  SEGMENTS,
  /** The words of a published net. */
  VOCABULARY,
  /** Bytes used by the graph and its constants. */
  MEMORY_LIMIT,
  /** Bytes of unpacked archives and sparse arrays. */
  EXPANSION_LIMIT,
  /** ONNX nodes. */
  NODES_LIMIT,
  /** Bytes of an export. */
  OUTPUT_LIMIT,
  /** 1: a factor of an input goes into the first convolution, too. */
  FOLD_INPUT_SCALE,
  /** 1: each ONNX node's metadata name the MXNet node that it comes from, and its operator. */
  NODE_METADATA,
  /** 1: arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order. */
  STRUCTURAL_NAMES;

  int code() {
    return ordinal() + 1;
  }
}
