// SPDX-License-Identifier: Apache-2.0
package io.github.mx2onnx;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The functions of include/mx2onnx.h by their names, through the Foreign Function API. */
final class Native {
  /** Result and arguments: I int32_t, J int64_t, uint64_t and size_t, A an address, V nothing. */
  private static final String FUNCTIONS =
      """
      mx2onnx_status_name AI
      mx2onnx_status_text AI
      mx2onnx_version A
      mx2onnx_version_number I
      mx2onnx_has_feature II
      mx2onnx_dtype_name AI
      mx2onnx_dtype_from_name IA
      mx2onnx_model_new IA
      mx2onnx_model_free VA
      mx2onnx_model_reset IA
      mx2onnx_memory_new AJ
      mx2onnx_memory_free VA
      mx2onnx_load IAA
      mx2onnx_load_memory IAAJAA
      mx2onnx_load_callback IAJAAA
      mx2onnx_load_symbol_file IAA
      mx2onnx_load_symbol_memory IAAJ
      mx2onnx_load_params_file IAA
      mx2onnx_load_params_memory IAAJAA
      mx2onnx_load_params_callback IAJAAA
      mx2onnx_load_net IAA
      mx2onnx_identify_net IA
      mx2onnx_candidate_count JA
      mx2onnx_candidate_name AAJ
      mx2onnx_candidate_title AAJ
      mx2onnx_net_title AA
      mx2onnx_use_published IAI
      mx2onnx_catalogue_count JA
      mx2onnx_catalogue_name AAJ
      mx2onnx_catalogue_text AAJ
      mx2onnx_catalogue_json AAJ
      mx2onnx_load_catalogue_file IAA
      mx2onnx_load_catalogue_memory IAAJ
      mx2onnx_set_param IAAAAA
      mx2onnx_remove_param IAA
      mx2onnx_set_input_shape IAAIAA
      mx2onnx_set_input_dim_name IAAJA
      mx2onnx_set_input_dtype IAAI
      mx2onnx_set_input_channels_last IAAI
      mx2onnx_set_input_channels_reversed IAAI
      mx2onnx_set_input_mean IAAJA
      mx2onnx_set_input_scale IAAJA
      mx2onnx_get_input_shape AAAA
      mx2onnx_get_input_dim_name AAAJ
      mx2onnx_get_input_dtype IAA
      mx2onnx_get_rename AAA
      mx2onnx_get_input_channels_last IAA
      mx2onnx_get_input_channels_reversed IAA
      mx2onnx_get_input_mean AAAA
      mx2onnx_get_input_scale AAAA
      mx2onnx_add_output IAA
      mx2onnx_clear_outputs IA
      mx2onnx_rename IAAA
      mx2onnx_target_count J
      mx2onnx_target_name AJ
      mx2onnx_target_text AJ
      mx2onnx_set_option IAIJ
      mx2onnx_get_option JAI
      mx2onnx_reset_option IAI
      mx2onnx_set_text IAIA
      mx2onnx_get_text AAI
      mx2onnx_set_domain_version IAAI
      mx2onnx_get_domain_version IAA
      mx2onnx_set_metadata IAAA
      mx2onnx_get_metadata AAA
      mx2onnx_metadata_count JA
      mx2onnx_metadata_key AAJ
      mx2onnx_opset_min I
      mx2onnx_opset_max I
      mx2onnx_opset_default I
      mx2onnx_check_external_data IAA
      mx2onnx_set_node_precision IAAI
      mx2onnx_get_node_precision IAA
      mx2onnx_set_log IAIAAA
      mx2onnx_set_progress IAAAA
      mx2onnx_cancel VA
      mx2onnx_set_custom_operator IAAAAA
      mx2onnx_node_name AA
      mx2onnx_node_operator AA
      mx2onnx_node_opset IA
      mx2onnx_node_domain AA
      mx2onnx_node_attribute AAA
      mx2onnx_node_attribute_count JA
      mx2onnx_node_attribute_key AAJ
      mx2onnx_node_attribute_value AAJ
      mx2onnx_node_output_count JA
      mx2onnx_node_input_count JA
      mx2onnx_node_input_name AAJ
      mx2onnx_node_input_dtype IAJ
      mx2onnx_node_input_rank IAJ
      mx2onnx_node_input_dim JAJJ
      mx2onnx_node_input_stored_dtype IAJ
      mx2onnx_node_input_size JAJ
      mx2onnx_node_input_read IAJJAJ
      mx2onnx_node_fail IAA
      mx2onnx_node_set_output_like IAJJ
      mx2onnx_node_set_output IAJIIA
      mx2onnx_node_set_output_dim IAJJJJ
      mx2onnx_node_input_value IAJ
      mx2onnx_node_add_constant IAAA
      mx2onnx_node_add IAAA
      mx2onnx_node_set_result IAJI
      mx2onnx_infer IA
      mx2onnx_input_count JA
      mx2onnx_input_name AAJ
      mx2onnx_input_dtype IAJ
      mx2onnx_input_rank IAJ
      mx2onnx_input_dim JAJJ
      mx2onnx_input_dim_name AAJJ
      mx2onnx_variable_count JA
      mx2onnx_variable_name AAJ
      mx2onnx_variable_kind IAJ
      mx2onnx_output_count JA
      mx2onnx_output_name AAJ
      mx2onnx_output_dtype IAJ
      mx2onnx_output_rank IAJ
      mx2onnx_output_dim JAJJ
      mx2onnx_output_dim_name AAJJ
      mx2onnx_param_count JA
      mx2onnx_param_name AAJ
      mx2onnx_param_dtype IAJ
      mx2onnx_param_rank IAJ
      mx2onnx_param_dims AAJ
      mx2onnx_param_size JAJ
      mx2onnx_param_used IAJ
      mx2onnx_param_read IAJJAJ
      mx2onnx_operator_count JA
      mx2onnx_operator_name AAJ
      mx2onnx_operator_node_count JAJ
      mx2onnx_operator_supported IAJ
      mx2onnx_known_operator_count J
      mx2onnx_known_operator_name AJ
      mx2onnx_known_operator_aliases AJ
      mx2onnx_known_operator_opset IJ
      mx2onnx_known_operator_status AJ
      mx2onnx_known_operator_refuses AJ
      mx2onnx_known_operator_differs AJ
      mx2onnx_export_file IAA
      mx2onnx_export_memory IAAA
      mx2onnx_export_callback IAAAA
      mx2onnx_diagnostic_count JA
      mx2onnx_diagnostic_get IAJA
      mx2onnx_error AA
      mx2onnx_written_opset IA
      mx2onnx_written_node_count JA
      mx2onnx_written_size JA
      mx2onnx_written_file_count JA
      mx2onnx_written_file_name AAJ
      mx2onnx_report_json IAA
      mx2onnx_graph_text IAIA
      mx2onnx_graph_json IAIA
      """;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final SymbolLookup LIBRARY = open();
  private static final Map<String, String> TYPES = types();
  private static final Map<String, MethodHandle> HANDLES = new ConcurrentHashMap<>();

  /** A release function for what memory() gave. */
  static final MemorySegment MEMORY_FREE = LIBRARY.find("mx2onnx_memory_free").orElseThrow();

  private Native() {}

  private static SymbolLookup open() {
    String chosen = System.getProperty("mx2onnx.library", System.getenv("MX2ONNX_LIBRARY"));
    if (chosen != null) {
      return SymbolLookup.libraryLookup(Path.of(chosen), Arena.global());
    }
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String file = os.startsWith("windows") ? "mx2onnx.dll" : os.startsWith("mac") ? "libmx2onnx.dylib" : "libmx2onnx.so.0";
    String kind = os.startsWith("windows") ? "windows" : os.startsWith("mac") ? "macos" : "linux";
    try (InputStream in = Native.class.getResourceAsStream("/natives/" + kind + "-" + System.getProperty("os.arch") + "/" + file)) {
      if (in != null) {
        Path folder = Files.createTempDirectory("mx2onnx");
        Path copy = folder.resolve(file);
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
        copy.toFile().deleteOnExit();
        folder.toFile().deleteOnExit();
        return SymbolLookup.libraryLookup(copy, Arena.global());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return SymbolLookup.libraryLookup(file, Arena.global());
  }

  private static MemoryLayout layout(char type) {
    return switch (type) {
      case 'I' -> ValueLayout.JAVA_INT;
      case 'J' -> ValueLayout.JAVA_LONG;
      default -> ValueLayout.ADDRESS;
    };
  }

  private static FunctionDescriptor descriptor(String types) {
    MemoryLayout[] arguments = types.substring(1).chars().mapToObj(c -> layout((char) c)).toArray(MemoryLayout[]::new);
    return types.charAt(0) == 'V' ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(layout(types.charAt(0)), arguments);
  }

  private static Map<String, String> types() {
    Map<String, String> found = new HashMap<>();
    for (String line : FUNCTIONS.strip().split("\n")) {
      String[] parts = line.strip().split(" ");
      found.put(parts[0].substring("mx2onnx_".length()), parts[1]);
    }
    return Map.copyOf(found);
  }

  /** Bound when it is first called: an older library serves programs that do not use new functions. */
  private static MethodHandle bind(String name) {
    String types = TYPES.get(name);
    if (types == null) {
      throw new AssertionError(name);
    }
    Supplier<UnsatisfiedLinkError> missing =
        () -> new UnsatisfiedLinkError("libmx2onnx has no function mx2onnx_" + name + "; install a newer one");
    return LINKER.downcallHandle(LIBRARY.find("mx2onnx_" + name).orElseThrow(missing), descriptor(types));
  }

  private static Object argument(char type, Object value, Arena arena) {
    return switch (type) {
      case 'I' -> value instanceof Boolean on ? (on ? 1 : 0) : value;
      case 'J' -> ((Number) value).longValue();
      default ->
          switch (value) {
            case null -> MemorySegment.NULL;
            case MemorySegment segment -> segment;
            case String text -> arena.allocateFrom(checkText(text));
            case String[] texts -> {
              MemorySegment all = arena.allocate(ValueLayout.ADDRESS, Math.max(1, texts.length));
              for (int i = 0; i < texts.length; i++) {
                all.setAtIndex(ValueLayout.ADDRESS, i, (MemorySegment) argument('A', texts[i], arena));
              }
              yield all;
            }
            case Structure structure -> structure.allocate(arena);
            case long[] numbers -> arena.allocateFrom(ValueLayout.JAVA_LONG, numbers.length == 0 ? new long[1] : numbers);
            case int[] numbers -> arena.allocateFrom(ValueLayout.JAVA_INT, numbers.length == 0 ? new int[1] : numbers);
            case double[] numbers -> arena.allocateFrom(ValueLayout.JAVA_DOUBLE, numbers.length == 0 ? new double[1] : numbers);
            default -> throw new IllegalArgumentException(value.getClass().getName());
          };
    };
  }

  /** A structure of C after its size: an Integer is an int32_t, a Long a size_t, anything else a pointer. */
  record Structure(Object... members) {
    private MemorySegment allocate(Arena arena) {
      long size = 8;
      for (Object member : members) {
        size = after(size, member);
      }
      MemorySegment all = arena.allocate(size, 8);
      all.set(ValueLayout.JAVA_LONG, 0, size);
      long end = 8;
      for (Object member : members) {
        end = after(end, member);
        switch (member) {
          case Integer number -> all.set(ValueLayout.JAVA_INT, end - 4, number);
          case Long number -> all.set(ValueLayout.JAVA_LONG, end - 8, number);
          case null, default -> all.set(ValueLayout.ADDRESS, end - 8, (MemorySegment) argument('A', member, arena));
        }
      }
      return all;
    }

    /** The end of a member that follows `end` bytes. */
    private static long after(long end, Object member) {
      long size = member instanceof Integer ? 4 : 8;
      return (end + size - 1) / size * size + size;
    }
  }

  /** An mx2onnx_array. */
  static Structure array(Dtype dtype, long[] dims, MemorySegment data, long size) {
    return new Structure(dtype.code, dims.length, dims, data, size);
  }

  /** C reads a text up to a NUL, and Java writes another character for half of a pair; null is none. */
  static String checkText(String text) {
    if (text != null && text.indexOf(0) >= 0) {
      throw new IllegalArgumentException("a text must not contain a NUL character: '" + text.replace("\0", "\\0") + "'");
    }
    if (text != null && !java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new IllegalArgumentException("a text must be Unicode, without half of a surrogate pair: '" + text + "'");
    }
    return text;
  }

  /** Calls a function; texts and arrays are copied for the time of the call. */
  private static Object call(String name, Object... values) {
    MethodHandle function = HANDLES.computeIfAbsent(name, Native::bind);
    String types = TYPES.get(name);
    try (Arena arena = Arena.ofConfined()) {
      Object[] arguments = new Object[values.length];
      for (int i = 0; i < values.length; i++) {
        arguments[i] = argument(types.charAt(i + 1), values[i], arena);
      }
      return function.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  static int integer(String name, Object... values) {
    return (int) call(name, values);
  }

  static long number(String name, Object... values) {
    return (long) call(name, values);
  }

  static String text(String name, Object... values) {
    return text((MemorySegment) call(name, values));
  }

  static MemorySegment address(String name, Object... values) {
    return (MemorySegment) call(name, values);
  }

  static void run(String name, Object... values) {
    call(name, values);
  }

  /** A copy of a text of the library; null for NULL. */
  static String text(MemorySegment address) {
    return address.equals(MemorySegment.NULL) ? null : address.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** Memory of the library for `size` bytes, to be given to MEMORY_FREE. */
  static MemorySegment memory(long size) {
    MemorySegment memory = address("memory_new", Math.max(1, size));
    if (memory.equals(MemorySegment.NULL)) {
      throw new OutOfMemoryError("libmx2onnx cannot allocate " + size + " bytes");
    }
    return memory.reinterpret(Math.max(1, size));
  }

  /** A function pointer that calls `method` of `target`, as long as the arena lives. */
  static MemorySegment stub(Object target, String method, String types, Arena arena) {
    FunctionDescriptor descriptor = descriptor(types);
    MethodType type = descriptor.toMethodType();
    try {
      MethodHandle handle = MethodHandles.lookup().findVirtual(target.getClass(), method, type).bindTo(target);
      return LINKER.upcallStub(handle, descriptor, arena);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
