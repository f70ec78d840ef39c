#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "sim/values/gemm_values.hpp"
#include "sim/values/program_values.hpp"
#include "sim/values/quantized_gemm.hpp"
#include "sim/values/tensor_values.hpp"

namespace tcsim::report {

/// The values of a product and where its operands came from.
struct ProductRecord {
  std::string input_a;  ///< "uniform" or the name of a file
  std::string input_b;
  std::string input_format;
  std::string weight_format{};  ///< "int4": integers that stand for B; empty: there are none
  std::string output_format;
  values::GemmValues result;
  std::optional<values::QuantizationError> quantization;
};

/// The values of any other operation.
struct OperationRecord {
  std::string inputs;  ///< "uniform"
  values::TensorValues result;
};

/// The values of kernels from a file, with which nothing can be compared.
struct ProgramRecord {
  std::string inputs;  ///< "uniform"
  values::ProgramValues result;
};

/// The values of a run.
struct ValuesRecord {
  std::uint64_t seed = 0;  ///< of what was drawn
  std::string arithmetic;  ///< generation of the tensor core, "ampere"; "CUDA cores" without MMAs
  std::variant<ProductRecord, OperationRecord, ProgramRecord> computed;
};

}  // namespace tcsim::report
