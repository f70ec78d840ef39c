#pragma once

#include <string>

#include "sim/values/quantized_gemm.hpp"

namespace tcsim::run {

/// The request that the words of `--quantize` make: per-tensor or per-channel, and, in any order,
/// min-max or entropy, symmetric or asymmetric, requantize, scale-a=X, scale-b=X, where X is a
/// number or a .npy file. `columns` is the number of scales that a per-channel scale-b must have.
/// Throws UsageError with the nearest valid word, ConfigError or a file's error for scales that do
/// not fit.
values::QuantizationRequest parse_quantize(const std::string& words, std::int64_t columns);

}  // namespace tcsim::run
