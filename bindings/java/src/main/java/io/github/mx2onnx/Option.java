// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

/** A choice that is a number; a switch is 0 or 1. */
public enum Option {
  /** The opset to write; 0, the default: 17, or the oldest above it that the model needs; for a target that does not read 17, the newest that it reads. */
  OPSET,
  /** A Float16. */
  FLOAT16,
  /** Switch: indices of Embedding and take are inside their tables, so a Clip is not written. */
  TRUST_INDICES,
  /** Switch: a BatchNorm after a convolution stays a node and is not folded into the weights. */
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
  /** The number of classes of published models that later loads consider; 0, the default: read from the parameters. */
  CLASSES,
  /** The side of the square images of a published segmentation model; 0, the default: as published. */
  CROP,
  /** The number of segments of a published video model; 0, the default: as published. */
  SEGMENTS,
  /** The number of words of a published language model; 0, the default: read from the parameters. */
  VOCABULARY,
  /** The limit of bytes used by the graph and its constants. */
  MEMORY_LIMIT,
  /** The limit of bytes of unpacked archives and sparse arrays. */
  EXPANSION_LIMIT,
  /** The limit of ONNX nodes that an export writes. */
  NODES_LIMIT,
  /** The limit of bytes that an export writes. */
  OUTPUT_LIMIT,
  /** 1: a factor of an input is merged into the first convolution, too. */
  FOLD_INPUT_SCALE,
  /** 1: each ONNX node's metadata name the MXNet node that it comes from, and its operator. */
  NODE_METADATA,
  /** 1: arrays with the names of Gluon's save_parameters are matched to the symbol's by kind, shape and order. */
  STRUCTURAL_NAMES;

  int code() {
    return ordinal() + 1;
  }
}
