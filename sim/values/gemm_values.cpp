#include "sim/values/gemm_values.hpp"

#include "models/functional/execute.hpp"
#include "sim/values/element.hpp"
#include "sim/values/packed_weights.hpp"
#include "sim/values/reference_product.hpp"
#include "sim/values/row_blocks.hpp"
#include "sim/values/sparse_operand.hpp"

namespace tcsim::values {
namespace {

using kernels::GemmProblem;
using kernels::Layout;

constexpr std::uint32_t kStreamA = 0;
constexpr std::uint32_t kStreamB = 1;

Matrix drawn(const GemmRun& run, const OperandSource& source, std::uint32_t stream,
             std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
  if (source.given) return *source.given;
  const NumberKind kind = run.real_operands ? NumberKind::kReal : NumberKind::kInt8;
  Matrix matrix{matrices, rows, columns, {}};
  matrix.values = draw(source.distribution, kind, run.seed, stream,
                       static_cast<std::size_t>(matrix.elements()));
  return matrix;
}

Placement placement_a(const GemmProblem& problem) {
  return {problem.input, problem.layout_a == Layout::kNormal};
}
Conversion store_a(const Matrix& a, const GemmRun& run, functional::GlobalMemory& memory) {
  if (!run.problem.sparse) return store(a, placement_a(run.problem), memory.buffer("A"));
  return store_sparse(a, run.problem, run.tile, memory.buffer("A"), memory.buffer("E"));
}

Matrix load_a(const GemmRun& run, const functional::GlobalMemory& memory) {
  const GemmProblem& problem = run.problem;
  if (problem.sparse) return load_sparse(problem, run.tile, memory.buffer("A"), memory.buffer("E"));
  return load(memory.buffer("A"), placement_a(problem), problem.batch, problem.m, problem.k);
}

Placement placement_b(const GemmProblem& problem) {
  return {problem.input, problem.layout_b == Layout::kNormal};
}

Conversion store_b(const Matrix& b, const GemmProblem& problem, functional::GlobalMemory& memory) {
  if (!problem.weights.are_packed()) return store(b, placement_b(problem), memory.buffer("B"));
  return store_weights(b, problem, {memory.buffer("B"), memory.buffer("scale_b")});
}

Matrix load_b(const GemmProblem& problem, const functional::GlobalMemory& memory) {
  const auto load_from = [&](std::span<const std::uint8_t> bytes) {
    return load(bytes, placement_b(problem), problem.matrices_b(), problem.k, problem.n);
  };
  if (!problem.weights.are_packed()) return load_from(memory.buffer("B"));
  return load_from(dense_weights(problem, {memory.buffer("B"), memory.buffer("scale_b")}));
}

/// Counts rows that have a matrix of B.
std::int64_t count_differences(const std::vector<std::uint8_t>& got,
                               const std::vector<std::uint8_t>& want, const GemmProblem& problem,
                               std::span<const std::int64_t> matrices) {
  std::int64_t differences = 0;
  std::int64_t i = 0;
  for (const std::int64_t matrix : matrices)
    for (const std::int64_t end = i + problem.n; i < end; ++i)
      if (matrix != kUndefined &&
          pattern_at(got, i, problem.output) != pattern_at(want, i, problem.output))
        ++differences;
  return differences;
}

/// The same rows of D.
std::vector<double> defined(const Matrix& d, std::span<const std::int64_t> matrices) {
  std::vector<double> values;
  values.reserve(d.values.size());
  auto row = d.values.begin();
  for (const std::int64_t matrix : matrices) {
    if (matrix != kUndefined) values.insert(values.end(), row, row + d.columns);
    row += d.columns;
  }
  return values;
}

/// k of the MMAs that the first kernel uses; 0: it has none.
std::int64_t mma_k(std::span<const isa::KernelLaunch> stream) {
  for (const isa::WarpProgram& program : stream.front().programs)
    for (const isa::Instruction& instruction : program.instructions)
      if (isa::is_mma(instruction.opcode) || isa::is_group_mma(instruction.opcode))
        return isa::opcode_info(instruction.opcode).k;
  return 0;
}

}  // namespace

Matrix matrix_a(const GemmRun& run) {
  Matrix a = drawn(run, run.a, kStreamA, run.problem.batch, run.problem.m, run.problem.k);
  return run.problem.sparse ? pruned(std::move(a), run.problem.input) : a;
}

Matrix matrix_b(const GemmRun& run) {
  return drawn(run, run.b, kStreamB, run.problem.matrices_b(), run.problem.k, run.problem.n);
}

numerics::Result<GemmValues> execute_gemm(const GemmRun& run,
                                          std::span<const isa::KernelLaunch> stream,
                                          const Matrix& a, const Matrix& b,
                                          functional::MmaEngine* engine,
                                          const functional::Poll& poll) {
  const GemmProblem& problem = run.problem;
  functional::GlobalMemory memory(stream);
  GemmValues values;
  values.a = store_a(a, run, memory);
  values.b = store_b(b, problem, memory);
  const auto executed = functional::execute(stream, run.core, memory, engine, poll);
  if (!executed.has_value()) return executed.refusal();
  values.racing_bytes = executed.value().racing_bytes;
  const std::span<const std::uint8_t> d_bytes = memory.buffer("D");
  values.d.assign(d_bytes.begin(), d_bytes.end());
  const std::vector<std::int64_t> matrices = matrices_of_rows(problem);
  values.differences = count_differences(
      values.d,
      reference_product(problem, run.tile, run.core, memory, run.cuts, mma_k(stream), poll),
      problem, matrices);
  const numerics::ElementType output = type_of(problem.output);
  const Matrix d =
      load(values.d, {problem.output, /*row_major=*/true}, problem.batch, problem.m, problem.n);
  values.elements = problem.multiplied_rows() * problem.n;
  values.specials = count_specials(defined(d, matrices), output);
  const Matrix stored_a = load_a(run, memory);
  const Matrix stored_b = load_b(problem, memory);
  values.arithmetic = error_of_product(stored_a, stored_b, d, output, matrices, poll);
  if (!values.a.is_exact() || !values.b.is_exact())
    values.conversion = error_of_product(a, b, d, output, matrices, poll);
  return values;
}

}  // namespace tcsim::values
