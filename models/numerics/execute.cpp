#include "models/numerics/execute.hpp"

#include <cassert>
#include <string>

#include "models/numerics/convert.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::numerics {

namespace {

using Order = RegisterMap::Order;

std::span<const std::uint64_t> line(std::span<const std::uint64_t> matrix, int index, int length) {
  return matrix.subspan(static_cast<std::size_t>(index) * static_cast<std::size_t>(length),
                        static_cast<std::size_t>(length));
}

/// Metadata nibbles of one row, in order of chunks.
std::vector<std::uint8_t> row_nibbles(const MetadataLayout& layout,
                                      std::span<const std::uint32_t> metadata, int row) {
  std::vector<std::uint8_t> nibbles;
  for (int chunk = 0; chunk < layout.chunks_per_row(); ++chunk) {
    const auto slot = layout.slot({row, chunk});
    const std::uint32_t word = metadata[static_cast<std::size_t>(slot.lane)];
    nibbles.push_back(static_cast<std::uint8_t>(word >> (4 * slot.nibble) & 0xf));
  }
  return nibbles;
}

}  // namespace

MmaExecutor::MmaExecutor(const MmaInstruction& instruction, const Arithmetic& arithmetic, bool fast)
    : instruction_(instruction),
      arithmetic_(arithmetic),
      fast_(fast && !instruction.sparse && fast_path_covers(arithmetic)),
      a_map_(Fragment(instruction, OperandRole::kA), Order::kRowMajor),
      c_map_(Fragment(instruction, OperandRole::kC), Order::kColumnMajor),
      d_map_(Fragment(instruction, OperandRole::kD), Order::kColumnMajor) {
  if (instruction.kind == InstructionKind::kMma)
    b_map_ = RegisterMap(Fragment(instruction, OperandRole::kB), Order::kColumnMajor);
  const MmaShape& shape = instruction.shape;
  b_words_.resize(static_cast<std::size_t>(shape.k) * shape.n);
  a_words_.resize(a_map_.matrix_size());
  sums_.resize(d_map_.matrix_size());
  a_patterns_.resize(a_map_.matrix_size());
  b_patterns_.resize(b_words_.size());
  d_patterns_.resize(d_map_.matrix_size());
}

Result<MmaExecutor> MmaExecutor::create(const MmaInstruction& instruction,
                                        const TensorArithmetic& core,
                                        const UndecidedBehavior& undecided, Path path) {
  const auto arithmetic = arithmetic_of(instruction, core, undecided);
  if (!arithmetic.has_value()) return arithmetic.refusal();
  return MmaExecutor(instruction, arithmetic.value(), path == Path::kFastWhereCovered);
}

Result<std::vector<std::uint32_t>> MmaExecutor::execute(const MmaOperands& operands) {
  assert(operands.a.size() == a_map_.image_size());
  assert(operands.b.size() == b_map_.image_size());
  assert(operands.c.size() == c_map_.image_size());
  assert(instruction_.kind == InstructionKind::kMma || operands.b_matrix.size() == b_words_.size());
  if (instruction_.sparse) return execute_sparse(operands);
  std::vector<std::uint32_t> d(d_map_.image_size());
  for (int matrix = 0; matrix < instruction_.matrices(); ++matrix)
    if (fast_)
      execute_fast(operands, matrix, d);
    else
      execute_plain(operands, matrix, d);
  return d;
}

void MmaExecutor::execute_fast(const MmaOperands& operands, int matrix,
                               std::span<std::uint32_t> d) {
  const MmaShape& shape = instruction_.shape;
  a_map_.gather(operands.a, matrix, std::span(a_words_));
  rows_.load(instruction_.a, a_words_, shape.m, shape.k, shape.k, 1);
  if (instruction_.kind == InstructionKind::kMma) {
    b_map_.gather(operands.b, matrix, std::span(b_words_));
    columns_.load(instruction_.b, b_words_, shape.n, shape.k, shape.k, 1);
  } else {
    columns_.load(instruction_.b, operands.b_matrix, shape.n, shape.k, 1, shape.n);
  }
  c_map_.gather(operands.c, matrix, std::span(sums_));
  if (instruction_.c != instruction_.d)
    for (std::uint32_t& sum : sums_) sum = fp16_to_fp32(static_cast<std::uint16_t>(sum));
  fast_mma(arithmetic_, columns_, rows_, sums_, shape.m);
  d_map_.scatter(std::span<const std::uint32_t>(sums_), matrix, d);
}

/// Fills a_patterns_ [m][k], b_patterns_ [n][k] and, with C, d_patterns_ [n][m].
void MmaExecutor::gather_plain(const MmaOperands& operands, int matrix) {
  const MmaShape& shape = instruction_.shape;
  a_map_.gather(operands.a, matrix, std::span(a_patterns_));
  c_map_.gather(operands.c, matrix, std::span(d_patterns_));
  if (instruction_.c != instruction_.d)
    for (std::uint64_t& pattern : d_patterns_)
      pattern = fp16_to_fp32(static_cast<std::uint16_t>(pattern));
  if (instruction_.kind == InstructionKind::kMma) {
    b_map_.gather(operands.b, matrix, std::span(b_patterns_));
    return;
  }
  for (int k = 0; k < shape.k; ++k)
    for (int n = 0; n < shape.n; ++n)
      b_patterns_[static_cast<std::size_t>(n) * shape.k + k] =
          operands.b_matrix[static_cast<std::size_t>(k) * shape.n + n];
}

void MmaExecutor::execute_plain(const MmaOperands& operands, int matrix,
                                std::span<std::uint32_t> d) {
  const MmaShape& shape = instruction_.shape;
  gather_plain(operands, matrix);
  for (int column = 0; column < shape.n; ++column)
    for (int row = 0; row < shape.m; ++row) {
      std::uint64_t& sum = d_patterns_[static_cast<std::size_t>(column) * shape.m + row];
      sum = mma(arithmetic_, line(a_patterns_, row, shape.k), line(b_patterns_, column, shape.k),
                sum);
    }
  d_map_.scatter(std::span<const std::uint64_t>(d_patterns_), matrix, d);
}

Result<std::vector<std::uint32_t>> MmaExecutor::execute_sparse(const MmaOperands& operands) {
  const MmaShape& shape = instruction_.shape;
  const int selectors = MetadataLayout::selectors(instruction_);
  if (operands.selector < 0 || operands.selector >= selectors)
    return mistake("sparsity selector " + std::to_string(operands.selector) + " is not in 0.." +
                   std::to_string(selectors - 1));
  assert(operands.metadata.size() == static_cast<std::size_t>(instruction_.lanes()));
  const MetadataLayout layout(instruction_, operands.selector);
  gather_plain(operands, 0);
  for (int row = 0; row < shape.m; ++row) {
    const auto nibbles = row_nibbles(layout, operands.metadata, row);
    const auto positions =
        selected_positions(instruction_.a, nibbles, instruction_.ordered_metadata);
    if (!positions.has_value())
      return mistake("row " + std::to_string(row) + ": " + positions.refusal().reason);
    for (int column = 0; column < shape.n; ++column) {
      std::uint64_t& sum = d_patterns_[static_cast<std::size_t>(column) * shape.m + row];
      sum = sparse_mma(arithmetic_, line(a_patterns_, row, shape.k / 2), positions.value(),
                       line(b_patterns_, column, shape.k), sum);
    }
  }
  std::vector<std::uint32_t> d(d_map_.image_size());
  d_map_.scatter(std::span<const std::uint64_t>(d_patterns_), 0, d);
  return d;
}

}  // namespace tcsim::numerics
