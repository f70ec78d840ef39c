#include "workloads/kernels/vector/vector.hpp"

#include <stdexcept>

#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/vector/elementwise.hpp"
#include "workloads/kernels/vector/row_kernel.hpp"

namespace tcsim::kernels {

std::vector<isa::Buffer> vector_buffers(const VectorProblem& problem) {
  const VectorTraits& traits = vector_traits(problem.operation);
  const std::int64_t elements = problem.rows * problem.cols;
  const auto bytes = [&](std::int64_t count, std::optional<Element> element = std::nullopt) {
    return count * element_bytes(element.value_or(problem.element));
  };
  const bool halves = traits.operands == VectorOperands::kHalvesOfX;
  BufferRow row;
  std::vector<isa::Buffer> buffers{
      row.place("X", bytes(halves ? 2 * elements : elements, traits.input), true)};
  if (traits.operands == VectorOperands::kXAndY)
    buffers.push_back(row.place("Y", bytes(elements), true));
  if (traits.has_gamma()) buffers.push_back(row.place("G", bytes(problem.cols), true));
  if (traits.has_beta()) buffers.push_back(row.place("B", bytes(problem.cols), true));
  buffers.push_back(row.place("D", bytes(elements, traits.output), false));
  return buffers;
}

std::int64_t vector_bytes(const VectorProblem& problem) {
  std::int64_t bytes = 0;
  for (const isa::Buffer& buffer : vector_buffers(problem)) bytes += buffer.bytes;
  return bytes;
}

std::string why_no_vector(const VectorProblem& problem, const Target& target) {
  const VectorTraits& traits = vector_traits(problem.operation);
  if (problem.element == Element::kBf16 && !target.features.packed_conversion)
    return "bf16 vector kernels need F2FP.BF16, which " + target.architecture + " lacks";
  if (problem.element == Element::kFp16 && !target.features.packed_half)
    return "no fp16 vector kernels for " + target.architecture;
  if (traits.sums_rows && problem.cols > kMostColumns)
    return "rows of more than " + std::to_string(kMostColumns) +
           " columns do not fit into the registers of a CTA";
  if (traits.output == Element::kE4m3 && !target.features.warpgroups)
    return "conversion to E4M3 (F2FP) is generated for hopper alone, not for " +
           target.architecture;
  const auto is_byte = [](std::optional<Element> element) {
    return element && element_bytes(*element) == 1;
  };
  if ((is_byte(traits.input) || is_byte(traits.output)) && problem.rows * problem.cols % 2 != 0)
    return "no kernel moves an odd number of bytes";
  if (traits.operands == VectorOperands::kHalvesOfX && problem.rows > isa::kLargestGrid[1])
    return "more than 65535 rows exceed a grid's y";
  return {};
}

isa::KernelLaunch make_vector(const VectorProblem& problem, const Target& target) {
  const std::string reason = why_no_vector(problem, target);
  if (!reason.empty())
    throw std::invalid_argument(std::string(vector_name(problem.operation)) + ": " + reason);
  const VectorUnit unit = vector_unit(target);
  isa::KernelLaunch launch;
  if (vector_traits(problem.operation).sums_rows)
    launch = make_row_kernel({.operation = problem.operation,
                              .rows = problem.rows,
                              .cols = problem.cols,
                              .element = problem.element},
                             unit);
  else
    launch = make_elementwise(problem, unit);
  launch.name = vector_name(problem.operation);
  launch.buffers = vector_buffers(problem);
  return launch;
}

}  // namespace tcsim::kernels
