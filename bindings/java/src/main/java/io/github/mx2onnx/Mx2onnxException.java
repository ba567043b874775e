// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A model cannot be read, converted or written. Every status has its own class below. */
public class Mx2onnxException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final Pattern NAME = Pattern.compile("(?<![^\\s(])mx2onnx_(\\w+)");

  private static final Pattern CHOICE = Pattern.compile("\\bMX2ONNX_(OPTION|TEXT)_(\\w+)");
  private static final Pattern SETTER = Pattern.compile("\\bmx2onnx_set_(?:option|text): "); // the choice's name follows

  private static final Pattern OPTION = Pattern.compile("\\bmx2onnx_set_option: ([A-Z0-9_]+) ");
  private static final Pattern SHAPE = Pattern.compile("\\bmx2onnx_set_input_shape: ([^\\s=]+)=([\\w?,]*[\\w?])");

  /** Functions of the C header whose names are others here; all else is a method in camel case, without "set". */
  private static final Map<String, String> WORDS =
      Map.of(
          "set_custom_operator", "customOperator",
          "model_reset", "Model.reset",
          "catalogue_name", "Model.nets",
          "param_size", "Param.byteCount",
          "load_catalogue_file", "loadCatalogue",
          "node_input_size", "Node.Input.byteCount");

  private final Status status;
  private final ArrayList<Diagnostic> diagnostics; // a list that can be serialised

  Mx2onnxException(Status status, String message, List<Diagnostic> diagnostics) {
    super(message);
    this.status = status;
    this.diagnostics = new ArrayList<>(diagnostics);
  }

  /** What the call came to. */
  public Status status() {
    return status;
  }

  /** Everything that was found. */
  public List<Diagnostic> diagnostics() {
    return Collections.unmodifiableList(diagnostics);
  }

  /** A text of the library, whose advice names functions of the C header, in the words of this package. */
  static String words(String text) {
    if (text == null) {
      return "";
    }
    String plain = OPTION.matcher(text).replaceAll("Option.$1 ");
    plain = SETTER.matcher(plain).replaceAll("");
    plain = SHAPE.matcher(plain).replaceAll(m -> Matcher.quoteReplacement(shape(m.group(1), m.group(2))));
    return NAME.matcher(CHOICE.matcher(plain).replaceAll("$1.$2").replace("OPTION.", "Option.").replace("TEXT.", "Text.")).replaceAll(m -> word(m.group(1)));
  }

  /** "data=1x3xHEIGHT" of the command line, or with commas, as a call: inputShape("data", 1, 3, HEIGHT). A word such as HEIGHT is for the reader. */
  private static String shape(String input, String dims) {
    String[] parts = dims.split(dims.contains(",") ? "," : "x");
    boolean numbers = Arrays.stream(parts).allMatch(d -> d.matches("\\d+|[A-Z]+"));
    String list = Arrays.stream(parts)
        .map(d -> numbers ? d : d.equals("?") ? "Dim.OPEN" : d.matches("\\d+|[A-Z]+") ? "Dim.of(" + d + ")" : "Dim.of(\"" + d + "\")")
        .collect(Collectors.joining(", "));
    return "inputShape(\"" + input + "\", " + list + ")";
  }

  private static String word(String name) {
    if (WORDS.containsKey(name)) {
      return WORDS.get(name);
    }
    String bare = name.replaceFirst("^(set_|node_)", "");
    return Pattern.compile("_(\\w)").matcher(bare).replaceAll(m -> m.group(1).toUpperCase(java.util.Locale.ROOT));
  }

  static Mx2onnxException of(int code, String message, List<Diagnostic> found) {
    Status status = Status.of(code);
    String text = message == null || message.isEmpty() ? status.text() : words(message);
    return switch (status) {
      case INVALID_ARGUMENT -> new InvalidArgumentException(text, found);
      case OUT_OF_MEMORY -> new OutOfMemoryException(text, found);
      case IO -> new FileException(text, found);
      case NOT_FOUND -> new NotFoundException(text, found);
      case FORMAT -> new FormatException(text, found);
      case UNSUPPORTED -> new UnsupportedException(text, found);
      case SHAPE -> new ShapeException(text, found);
      case MISSING_PARAMETER -> new MissingParameterException(text, found);
      case TOO_LARGE -> new TooLargeException(text, found);
      case CANCELLED -> new CancelledException(text, found);
      case INTERNAL -> new InternalException(text, found);
      default -> new Mx2onnxException(status, text, found);
    };
  }

  /** An argument of the call is not valid. */
  public static final class InvalidArgumentException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    InvalidArgumentException(String message, List<Diagnostic> found) {
      super(Status.INVALID_ARGUMENT, message, found);
    }
  }

  /** Out of memory. */
  public static final class OutOfMemoryException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    OutOfMemoryException(String message, List<Diagnostic> found) {
      super(Status.OUT_OF_MEMORY, message, found);
    }
  }

  /** A file cannot be read or written. */
  public static final class FileException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    FileException(String message, List<Diagnostic> found) {
      super(Status.IO, message, found);
    }
  }

  /** No such file, input, output or name. */
  public static final class NotFoundException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    NotFoundException(String message, List<Diagnostic> found) {
      super(Status.NOT_FOUND, message, found);
    }
  }

  /** A file is damaged or not of an MXNet format. */
  public static final class FormatException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    FormatException(String message, List<Diagnostic> found) {
      super(Status.FORMAT, message, found);
    }
  }

  /** An operator, attribute value or type has no form in ONNX. */
  public static final class UnsupportedException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    UnsupportedException(String message, List<Diagnostic> found) {
      super(Status.UNSUPPORTED, message, found);
    }
  }

  /** Shapes or element types do not fit together or are not known. */
  public static final class ShapeException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    ShapeException(String message, List<Diagnostic> found) {
      super(Status.SHAPE, message, found);
    }
  }

  /** The graph needs a parameter that no file holds. */
  public static final class MissingParameterException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    MissingParameterException(String message, List<Diagnostic> found) {
      super(Status.MISSING_PARAMETER, message, found);
    }
  }

  /** A limit of ONNX or of this library is exceeded. */
  public static final class TooLargeException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    TooLargeException(String message, List<Diagnostic> found) {
      super(Status.TOO_LARGE, message, found);
    }
  }

  /** The call was cancelled. */
  public static final class CancelledException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    CancelledException(String message, List<Diagnostic> found) {
      super(Status.CANCELLED, message, found);
    }
  }

  /** An invariant of the library does not hold; please report it. */
  public static final class InternalException extends Mx2onnxException {
    private static final long serialVersionUID = 1;

    InternalException(String message, List<Diagnostic> found) {
      super(Status.INTERNAL, message, found);
    }
  }
}
