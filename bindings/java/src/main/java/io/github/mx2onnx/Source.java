// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is read piece by piece. It gives the same bytes each time, as long as the model lives. */
public interface Source {
  /**
   * Its size.
   *
   * @return bytes
   * @throws IOException what comes out of the load
   */
  long size() throws IOException;

  /**
   * Fills the buffer, which can be used by this thread until the function returns.
   *
   * @param offset where to read from
   * @param target to be filled to its limit
   * @throws IOException what comes out of the load, and in an UncheckedIOException out of a later call that reads
   */
  void read(long offset, ByteBuffer target) throws IOException;
}
