#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/values/gemm_values.hpp"
#include "sim/values/quantized_gemm.hpp"

namespace tcsim::report {

/// The values of a run and where its operands came from.
struct ValuesRecord {
  std::string input_a;  ///< "uniform" or the name of a file
  std::string input_b;
  std::uint64_t seed = 0;  ///< of what was drawn
  std::string input_format;
  std::string output_format;
  std::string arithmetic;  ///< generation of the tensor core, "ampere"
  values::GemmValues result;
  std::optional<values::QuantizationError> quantization;
};

}  // namespace tcsim::report
