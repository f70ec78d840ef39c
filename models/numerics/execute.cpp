#include "models/numerics/execute.hpp"

#include <cassert>
#include <string>

#include "models/numerics/mma.hpp"

namespace tcsim::numerics {

namespace {

std::span<const std::uint32_t> lane_registers(const Fragment& fragment,
                                              std::span<const std::uint32_t> image, int lane) {
  const auto count = static_cast<std::size_t>(fragment.registers_per_lane());
  return image.subspan(static_cast<std::size_t>(lane) * count, count);
}

std::span<std::uint32_t> lane_registers(const Fragment& fragment, std::span<std::uint32_t> image,
                                        int lane) {
  const auto count = static_cast<std::size_t>(fragment.registers_per_lane());
  return image.subspan(static_cast<std::size_t>(lane) * count, count);
}

std::size_t image_size(const Fragment& fragment) {
  return static_cast<std::size_t>(fragment.lanes()) *
         static_cast<std::size_t>(fragment.registers_per_lane());
}

/// B with a column's elements side by side: [n][k].
std::vector<std::uint64_t> transposed(std::span<const std::uint64_t> matrix, int rows,
                                      int columns) {
  std::vector<std::uint64_t> result(matrix.size());
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      result[static_cast<std::size_t>(column * rows + row)] =
          matrix[static_cast<std::size_t>(row * columns + column)];
  return result;
}

std::span<const std::uint64_t> line(std::span<const std::uint64_t> matrix, int index, int length) {
  return matrix.subspan(static_cast<std::size_t>(index) * static_cast<std::size_t>(length),
                        static_cast<std::size_t>(length));
}

}  // namespace

MmaExecutor::MmaExecutor(const MmaInstruction& instruction, const Arithmetic& arithmetic)
    : instruction_(instruction), arithmetic_(arithmetic) {}

Result<MmaExecutor> MmaExecutor::create(const MmaInstruction& instruction, Generation generation,
                                        const UndecidedBehavior& undecided) {
  const auto arithmetic = arithmetic_of(instruction, generation, undecided);
  if (!arithmetic.has_value()) return arithmetic.refusal();
  return MmaExecutor(instruction, arithmetic.value());
}

/// Row-major patterns of one matrix of the operand.
MmaExecutor::Patterns MmaExecutor::gather(const Fragment& fragment,
                                          std::span<const std::uint32_t> image, int matrix) const {
  Patterns patterns(static_cast<std::size_t>(fragment.rows() * fragment.columns()));
  for (int lane = 0; lane < fragment.lanes(); ++lane)
    for (int element = 0; element < fragment.elements_per_lane(); ++element) {
      const MatrixPosition at = fragment.position({lane, element});
      if (at.matrix == matrix)
        patterns[static_cast<std::size_t>(at.row * fragment.columns() + at.column)] =
            fragment.read(lane_registers(fragment, image, lane), element);
    }
  return patterns;
}

std::uint64_t MmaExecutor::accumulator(const Fragment& c, std::span<const std::uint32_t> image,
                                       MatrixPosition position) const {
  const FragmentSlot slot = c.slot(position);
  const std::uint64_t pattern = c.read(lane_registers(c, image, slot.lane), slot.element);
  const bool widen = instruction_.c != instruction_.d;
  return widen ? widen_accumulator(pattern) : pattern;
}

Result<std::vector<std::uint32_t>> MmaExecutor::execute(const MmaOperands& operands) const {
  assert(operands.a.size() == image_size(Fragment(instruction_, OperandRole::kA)));
  assert(operands.c.size() == image_size(Fragment(instruction_, OperandRole::kC)));
  if (instruction_.sparse) return execute_sparse(operands);
  return execute_dense(operands);
}

std::vector<std::uint32_t> MmaExecutor::execute_dense(const MmaOperands& operands) const {
  const MmaShape& shape = instruction_.shape;
  const Fragment a_fragment(instruction_, OperandRole::kA);
  const Fragment c_fragment(instruction_, OperandRole::kC);
  const Fragment d_fragment(instruction_, OperandRole::kD);
  const bool b_in_registers = instruction_.kind == InstructionKind::kMma;
  std::vector<std::uint32_t> d(image_size(d_fragment));
  for (int matrix = 0; matrix < instruction_.matrices(); ++matrix) {
    const Patterns a = gather(a_fragment, operands.a, matrix);
    const Patterns b_rows =
        b_in_registers ? gather(Fragment(instruction_, OperandRole::kB), operands.b, matrix)
                       : Patterns(operands.b_matrix.begin(), operands.b_matrix.end());
    const Patterns b = transposed(b_rows, shape.k, shape.n);
    for (int row = 0; row < shape.m; ++row)
      for (int column = 0; column < shape.n; ++column) {
        const MatrixPosition at{matrix, row, column};
        const FragmentSlot slot = d_fragment.slot(at);
        const std::uint64_t value =
            mma(arithmetic_, line(a, row, shape.k), line(b, column, shape.k),
                accumulator(c_fragment, operands.c, at));
        d_fragment.write(lane_registers(d_fragment, std::span(d), slot.lane), slot.element, value);
      }
  }
  return d;
}

Result<std::vector<std::uint32_t>> MmaExecutor::execute_sparse(const MmaOperands& operands) const {
  const MmaShape& shape = instruction_.shape;
  const int selectors = MetadataLayout::selectors(instruction_);
  if (operands.selector < 0 || operands.selector >= selectors)
    return mistake("sparsity selector " + std::to_string(operands.selector) + " is not in 0.." +
                   std::to_string(selectors - 1));
  const MetadataLayout layout(instruction_, operands.selector);
  const Fragment a_fragment(instruction_, OperandRole::kA);
  const Fragment d_fragment(instruction_, OperandRole::kD);
  const bool b_in_registers = instruction_.kind == InstructionKind::kMma;
  const Patterns a = gather(a_fragment, operands.a, 0);
  const Patterns b_rows = b_in_registers
                              ? gather(Fragment(instruction_, OperandRole::kB), operands.b, 0)
                              : Patterns(operands.b_matrix.begin(), operands.b_matrix.end());
  const Patterns b = transposed(b_rows, shape.k, shape.n);
  std::vector<std::uint32_t> d(image_size(d_fragment));
  std::vector<std::uint8_t> nibbles(static_cast<std::size_t>(layout.chunks_per_row()));
  for (int row = 0; row < shape.m; ++row) {
    for (int chunk = 0; chunk < layout.chunks_per_row(); ++chunk) {
      const auto slot = layout.slot({row, chunk});
      const std::uint32_t word = operands.metadata[static_cast<std::size_t>(slot.lane)];
      nibbles[static_cast<std::size_t>(chunk)] =
          static_cast<std::uint8_t>(word >> (4 * slot.nibble) & 0xf);
    }
    const auto positions =
        selected_positions(instruction_.a, nibbles, instruction_.ordered_metadata);
    if (!positions.has_value())
      return mistake("row " + std::to_string(row) + ": " + positions.refusal().reason);
    for (int column = 0; column < shape.n; ++column) {
      const MatrixPosition at{0, row, column};
      const FragmentSlot slot = d_fragment.slot(at);
      const std::uint64_t value =
          sparse_mma(arithmetic_, line(a, row, shape.k / 2), positions.value(),
                     line(b, column, shape.k), accumulator(d_fragment, operands.c, at));
      d_fragment.write(lane_registers(d_fragment, std::span(d), slot.lane), slot.element, value);
    }
  }
  return d;
}

}  // namespace tcsim::numerics
