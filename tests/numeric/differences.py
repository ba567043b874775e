# SPDX-License-Identifier: Apache-2.0
"""For each line of an operator's "differs" in 'mx2onnx ops', the recorded cases that show that it is converted.

A case of the group "differences" has the values that the line describes: MXNet's result is recorded, and not compared. Where the line is
about sizes at run time, a GPU or another processor, or a use that MXNet stops at, the case is the same conversion with other values. "*"
means that the case must be dynamic. Lines of random operators have no recording: what becomes.py collects is their conversion.
"""

DIFFERENCES = {
    "A number outside of the range of an integer dtype, or NaN: the result depends on the runtime, and MXNet's on the processor.":
        "differences/cast",
    "mode=\"always\": which elements are dropped is random, and differs from MXNet's choice.": "nn_act/dropout_always",
    "use_sequence_length: the result is that of MXNet on a GPU; on a CPU MXNet ignores the lengths.": "rnn/gru_lengths rnn/lstm_lengths",
    "Data without channels: the result is 0; MXNet's is NaN.": "differences/correlation_empty",
    'pooling_convention="full" and pool_type="max", where a window is outside of the data: the result is the '
    "lowest number of the type; MXNet's is -infinity.":
        "differences/pooling_v1_outside",
    "Data without pixels at run time, not at export: the result is 0, or the model fails at run time; MXNet's result is NaN.":
        "nn_pool/adaptive_dynamic*",
    "A scale that makes a dynamic size 0 at run time: ONNX Runtime fails; MXNet's result is empty.": "needless/resize_odd_scale_third*",
    "A shape computed at run time that has numbers below -1, or that does not match the number of elements: the "
    "model fails; MXNet's Reshape has a meaning for numbers below -1, and MXNet 2.0.0b1 does not compare the numbers of elements.":
        "np2_needless/dynamic_reshape_batch*",
    "On a GPU, MXNet rounds differently: the results are those of oneDNN on a CPU.": "quantize/v1 quantize/v2",
    "A range that is empty or below 1e-36 at run time, not at export: MXNet gives 127 for 0 as int8, and runtimes -128, which both represent 0.":
        "quantize/v1_int8_edges quantize/v2 quantize/requantize",
    "A model without calibration: the sum, int32, has the precision of float32; oneDNN rounds it differently.": "needless/add_open_int8",
    "uint8 data: results may differ by 1, because OpenCV computes in fixed point.": "image/resize_whole_uint8",
    "Equal eigenvalues or singular values: their vectors are any basis of the same space, and may differ from MXNet's.":
        "differences/syevd_equal differences/eigh_equal differences/svd_equal",
    "NaN in the data: MXNet's result is NaN; a runtime may ignore NaN.":
        "differences/max differences/min differences/np_max differences/np_min",
    "A dynamic axis that is empty at run time: the result is infinite; MXNet stops with an error.":
        "numpy_reduce/max_0* numpy_reduce/min_0*",
    "A dynamic axis that is 1 at run time, without the attribute axis: it stays; MXNet removes it.":
        "numpy_shape/squeeze* tensor_shape/squeeze_none*",
    "Integer indices, if these or the data are empty: the result keeps the other axes of the data; that of MXNet "
    "2.0.0b1 is an empty vector.":
        "np2_indexing/rows*",
    "NaN in the data: MXNet returns the position of the first NaN; a runtime may ignore NaN.":
        "differences/argmax differences/argmin differences/argmax_channel differences/np_argmax differences/np_argmin",
    "xp that does not ascend, without period: both results are arbitrary.": "np2_more/interp*",
    "Matrices without full rank, and rcond below 1e-6 (float64: 1e-13): singular values that only rounding makes "
    "different from 0 may count in MXNet.":
        "np2_needless/lstsq_deficient",
    "float64 matrices without full rank: singular values that only rounding makes different from 0 may count.":
        "np2_more/rank_float64 np2_more/rank_tol",
    "A dynamic axis that is empty at run time: the result is 0 or NaN, depending on the runtime; that of MXNet 1.x "
    "is 0, that of MXNet 2 NaN.":
        "numpy_reduce/mean_0*",
    "mode=\"maximum\" or \"minimum\" of a dynamic axis that is empty at run time: the padding is infinite; MXNet's is "
    "uninitialised memory.":
        "numpy_shape/pad_maximum* numpy_shape/pad_minimum*",
    "Empty data: the model fails at run time; MXNet returns uninitialised memory.": "numpy_tail/percentile_linear*",
    "Matrices without full rank: MXNet may keep singular values that only rounding makes different from 0.":
        "decompositions/pinv_tensor_square decompositions/pinv_deficient",
    "A dynamic axis that is empty at run time: the result is 0 or NaN, depending on the runtime; MXNet's is NaN.":
        "tensor_reduce/mean_1* tensor_reduce/moments*",
    "A dynamic axis that is empty at run time: the result is 0 or NaN, depending on the runtime; MXNet's is NaN, or 0 with a ddof.":
        "numpy_reduce/std_0* numpy_reduce/var_0*",
    "Matrices without full rank: the rows of V for singular values of 0 are arbitrary.": "differences/svd_deficient",
    "Empty data and an axis: the result keeps the other axes of the data; MXNet's is an empty vector.": "numpy_tail/unique_axis*",
    "An axis that is 0 in one input and 1 in another: it is 0 in the result, as in NumPy; in MXNet's it is 1, or MXNet crashes.":
        "numpy_arith/where_broadcast_dynamic*",
    "A constraint that does not hold: the result is False; MXNet stops with the message.": "numpy_tail/constraint_check*",
    "A scalar: it counts as a vector of one element; MXNet's result is an empty vector.": "needless/nonzero_scalar",
    "quantized=True on a processor without VNNI: oneDNN saturates sums of products there; the results are those with VNNI.":
        "fused/plain fused/dense_int8",
    "float64 data at 0 and the negative integers: the result is infinite; MXNet's is the largest number of float64.":
        "np2_more/digamma_float64",
    "float64 data below 0: both results have the precision of float32, and differ from each other.": "np2_more/digamma_float64",
    "float64 data: the result has the precision of float32; MXNet's has that of float64.": "tensor_unary/erfinv_f64",
    "Negative integers: the result is arbitrary; MXNet's is NaN.": "differences/gamma",
    "Negative zero: the result is infinity; MXNet's is -infinity.": "differences/gamma differences/rcbrt_negative_zero",
    "Negative infinity: the result is NaN; MXNet's is infinity.": "differences/gammaln_infinite",
    "NaN: the result is NaN; MXNet's is 0.": "differences/sign_nan",
    "NaN and an infinite number: the result is NaN; MXNet's is infinity.":
        "differences/hypot_nan_same differences/hypot_nan_broadcast differences/hypot_nan_np differences/hypot_nan_number",
    "int64 beyond 2^53: the result is that of integers; MXNet computes in float64.":
        "differences/mod_wide_same differences/mod_wide_broadcast differences/mod_wide_np differences/mod_wide_mod_scalar "
        "differences/mod_wide_rmod_scalar np2_differences/floor_divide_wide np2_differences/floor_divide_scalar_wide "
        "np2_differences/rfloor_divide_scalar_wide",
    "float16 data and another dtype: the deviations have the precision of that dtype; MXNet's have that of float16.":
        "differences/np_std_float16 differences/np_var_float16",
    "Infinite numbers, and sums that overflow: the result is infinite, or right if a runtime adds in a wider type; MXNet's is infinite or "
    "NaN.":
        "differences/nansum_infinite differences/moments_infinite differences/np_sum_infinite differences/np_mean_infinite "
        "differences/np_std_infinite differences/np_var_infinite differences/np_average_infinite",
    "ord=2 and numbers whose squares are beyond their type (of float32, those above 1.8e19, or all below 1e-19): the result is infinite, "
    "imprecise or 0; MXNet scales the numbers first, so that only that of several infinite ones is NaN.":
        "differences/norm_large differences/np_norm_large",
    "Integer data and ord=2: the result is the norm, cut to an integer; MXNet's is less, as it sums in integers.": "differences/norm_int",
    "Integers whose sum is beyond their type: the result is the mean; MXNet's sum wraps around.":
        "differences/mean_int differences/moments_int",
    "Integers beyond 3 or -3: the result is 1 or -1; MXNet's is 0.": "differences/erf_int",
    "A negative index: it counts from the end of its axis; MXNet adds it to the position in the flat tensor.":
        "differences/scatter_nd_negative differences/scatter_set_nd_negative",
    "A region with a negative image number: its result is 0; MXNet on a CPU sets a single number to 0, possibly of another region.":
        "differences/roi_align_negative",
    "NaN in the data: both results are in an arbitrary order.": "differences/topk_nan differences/argsort_nan differences/sort_nan",
    "More than 16 elements along the axis, some of them equal: of these the one with the lower index comes first; MXNet's order is "
    "arbitrary.":
        "differences/topk_ties differences/argsort_ties",
    "NaN in the data: both results are arbitrary.": "differences/percentile_nan",
    "float16 and another float type: the quotient is that of the other type; MXNet 2.0.0b1 computes that of float16.":
        "np2_differences/floor_divide_halves",
    "Numbers below -103: the result is the number; MXNet's is -infinity.": "np2_arith/log_sigmoid",
    "Rows without an element that is not masked, and temperature below 1: the result is 0; MXNet's is NaN.":
        "np2_masked/masked_softmax_temperature",
    "A dynamic axis that is too short for begin and end at run time: the range is cut, as NumPy does; MXNet stops with an error.":
        "tensor_shape/slice_dynamic* tensor_shape/slice_axis*",
    "Data with four axes, without multi_output and preserve_shape: all axes after the batch are normalised together, as in MXNet without "
    "oneDNN. With it, which is the default on a CPU, MXNet normalises the last axis.":
        "differences/output_flatten_4d",
    "use_length, and NaN after the length: the row is NaN; MXNet does not read these values.": "differences/softmax_length_nan",
    "use_length, a length of 0, and -infinity in the whole row: the row is NaN; MXNet's is 0.": "differences/softmax_length_0",
}
