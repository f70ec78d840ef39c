#include "workloads/kernels/vector/vector.hpp"

#include <array>
#include <stdexcept>

#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/vector/elementwise.hpp"
#include "workloads/kernels/vector/row_kernel.hpp"

namespace tcsim::kernels {
namespace {

constexpr std::array<std::string_view, 17> kNames{
    "softmax", "layernorm", "rms_norm",   "gelu", "silu",   "silu_and_mul",
    "add",     "quantize",  "dequantize", "relu", "mul",    "add_relu",
    "copy",    "to_fp32",   "from_fp32",  "tanh", "sigmoid"};

bool sums_rows(VectorOperation operation) { return operation <= VectorOperation::kRmsNorm; }

struct Sizes {
  std::int64_t x, y, parameters, d;  ///< bytes; parameters: of gamma and of beta each
};

Sizes sizes_of(const VectorProblem& problem) {
  const std::int64_t elements = problem.rows * problem.cols;
  const std::int64_t bytes = elements * element_bytes(problem.element);
  Sizes sizes{bytes, 0, 0, bytes};
  if (takes_two(problem.operation)) sizes.y = bytes;
  constexpr std::int64_t kSingle = 4;
  if (problem.operation == VectorOperation::kToFp32) sizes.d = kSingle * elements;
  if (problem.operation == VectorOperation::kFromFp32) sizes.x = kSingle * elements;
  if (problem.operation == VectorOperation::kSiluAndMul) sizes.x = 2 * bytes;
  if (problem.operation == VectorOperation::kQuantize) sizes.d = elements;
  if (problem.operation == VectorOperation::kDequantize) sizes.x = elements;
  if (sums_rows(problem.operation) && problem.operation != VectorOperation::kSoftmax)
    sizes.parameters = problem.cols * element_bytes(problem.element);
  return sizes;
}

std::vector<isa::Buffer> buffers_of(const VectorProblem& problem) {
  const Sizes sizes = sizes_of(problem);
  BufferRow row;
  std::vector<isa::Buffer> buffers{row.place("X", sizes.x, true)};
  if (sizes.y > 0) buffers.push_back(row.place("Y", sizes.y, true));
  if (sizes.parameters > 0) buffers.push_back(row.place("G", sizes.parameters, true));
  if (problem.operation == VectorOperation::kLayerNorm)
    buffers.push_back(row.place("B", sizes.parameters, true));
  buffers.push_back(row.place("D", sizes.d, false));
  return buffers;
}

}  // namespace

std::string_view vector_name(VectorOperation operation) {
  return kNames.at(static_cast<std::size_t>(operation));
}

std::int64_t vector_bytes(const VectorProblem& problem) {
  const Sizes sizes = sizes_of(problem);
  const int parameters = problem.operation == VectorOperation::kLayerNorm ? 2 : 1;
  return sizes.x + sizes.y + parameters * sizes.parameters + sizes.d;
}

std::string why_no_vector(const VectorProblem& problem, const Target& target) {
  if (problem.element == Element::kBf16 && !target.features.packed_conversion)
    return "bf16 vector kernels need F2FP.BF16, which " + target.architecture + " lacks";
  if (problem.element == Element::kFp16 && !target.features.packed_half)
    return "no fp16 vector kernels for " + target.architecture;
  if (sums_rows(problem.operation) && problem.cols > kMostColumns)
    return "rows of more than " + std::to_string(kMostColumns) +
           " columns do not fit into the registers of a CTA";
  const bool has_int8 = problem.operation == VectorOperation::kQuantize ||
                        problem.operation == VectorOperation::kDequantize;
  if (has_int8 && problem.rows * problem.cols % 2 != 0)
    return "no kernel moves an odd number of int8 elements";
  constexpr std::int64_t kMostRowsInY = 65535;  // programming guide
  if (problem.operation == VectorOperation::kSiluAndMul && problem.rows > kMostRowsInY)
    return "more than 65535 rows exceed a grid's y";
  return {};
}

isa::KernelLaunch make_vector(const VectorProblem& problem, const Target& target) {
  const std::string reason = why_no_vector(problem, target);
  if (!reason.empty())
    throw std::invalid_argument(std::string(vector_name(problem.operation)) + ": " + reason);
  const VectorUnit unit = vector_unit(target);
  isa::KernelLaunch launch;
  if (sums_rows(problem.operation))
    launch = make_row_kernel({.operation = problem.operation,
                              .rows = problem.rows,
                              .cols = problem.cols,
                              .element = problem.element},
                             unit);
  else
    launch = make_elementwise(problem, unit);
  launch.name = vector_name(problem.operation);
  launch.buffers = buffers_of(problem);
  return launch;
}

}  // namespace tcsim::kernels
