#include "sim/run/prepare/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "sim/config/target.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/values/gemm_operation.hpp"

namespace tcsim::run {
namespace {

using workload::element_name;

/// " + bias + gelu"; empty if nothing follows the sums.
std::string epilogue_words(const kernels::GemmProblem& problem) {
  std::string words;
  for (const char letter : problem.epilogue.text()) {
    if (letter == '_')
      words += " + ";
    else
      words += letter;
  }
  return words;
}

/// " x3": matrices; ", 3 groups of rows, masked"; empty for one product.
std::string count_words(const kernels::GemmProblem& problem) {
  if (!problem.is_grouped()) return problem.batch > 1 ? fmt::format(" x{}", problem.batch) : "";
  return fmt::format(", {} {} group{},", problem.groups.count(),
                     problem.groups.is_masked() ? "masked" : "contiguous",
                     problem.groups.count() == 1 ? "" : "s");
}

/// " int4 weights in groups of 128"; empty where B is not packed.
std::string weight_words(const kernels::PackedWeights& weights) {
  if (!weights.are_packed()) return "";
  return fmt::format(" int{} weights{}", weights.bits,
                     weights.group > 0 ? fmt::format(" in groups of {}", weights.group) : "");
}

/// Rows of masked groups that do not exist, what belongs to groups without rows, and the numbers of
/// contiguous groups but for the sector in which a tile of `tile_rows` finds its own.
report::MinimumTraffic unused_of(const kernels::GemmProblem& problem, std::int64_t tile_rows,
                                 std::int64_t sector_bytes) {
  if (!problem.is_grouped()) return {};
  const kernels::RowGroups& groups = problem.groups;
  const auto bytes_of = [](std::int64_t elements, kernels::Element element) {
    return elements * kernels::element_bytes(element);
  };
  const auto steps = ceil_div<std::int64_t>(problem.k, kernels::kScaledBlock);
  const auto columns = ceil_div<std::int64_t>(problem.n, kernels::kScaledBlock);
  const std::int64_t rows = groups.is_masked() ? problem.batch * problem.m - groups.total() : 0;
  const std::int64_t empty = std::ranges::count(groups.rows, 0);
  report::MinimumTraffic unused{
      .read_bytes = bytes_of((rows + empty * problem.n) * problem.k, problem.input),
      .write_bytes = bytes_of(rows * problem.n, problem.output)};
  if (problem.block_scales)
    unused.read_bytes += bytes_of((rows + empty * columns) * steps, kernels::Element::kFp32);
  const kernels::GemmEpilogue& epilogue = problem.epilogue;
  const int vectors = (epilogue.scale ? 1 : 0) + (epilogue.bias ? 1 : 0);
  unused.read_bytes += bytes_of(empty * problem.n * vectors, kernels::Element::kFp32);
  if (epilogue.residual) unused.read_bytes += bytes_of(rows * problem.n, problem.output);
  if (!groups.is_masked()) {
    const std::int64_t numbers = bytes_of(problem.m, kernels::Element::kInt32);
    unused.read_bytes += numbers - std::min(numbers, problem.m / tile_rows * sector_bytes);
  }
  return unused;
}

}  // namespace

std::string gemm_title(const kernels::GemmProblem& problem) {
  const auto letter = [](kernels::Layout layout) {
    return layout == kernels::Layout::kNormal ? 'N' : 'T';
  };
  return fmt::format(
      "gemm {}x{}x{}{} {}->{} {}{}{}{}{}", problem.m, problem.n, problem.k, count_words(problem),
      element_name(problem.input), element_name(problem.accumulate), letter(problem.layout_a),
      letter(problem.layout_b), output_words({problem.input, problem.accumulate}, problem.output),
      problem.sparse         ? " 2:4 sparse A"
      : problem.block_scales ? " block scales"
                             : weight_words(problem.weights),
      epilogue_words(problem));
}

Settled<kernels::GemmProblem> settled(kernels::GemmProblem problem, const PreparationOptions& asked,
                                      const config::Machine& machine) {
  const Formats formats{problem.input, problem.accumulate};
  PreparationOptions options = asked;
  options.unit = unit_for(asked, formats, machine, problem.sparse);
  if (problem.weights.are_packed() && asked.unit.empty()) {  // no other unit multiplies them
    options.unit = unit_name(kernels::Unit::kTensor);
    options.unit_is_free = false;
  }
  const std::vector<std::string> notes = notes_of(
      {unit_words(asked, options.unit, formats, machine), take_unit(options.unit, problem)});
  const config::PeakRate peak =
      peak_of(problem.unit, {problem.input, problem.accumulate}, options, machine, problem.sparse);
  return {problem, options, peak, config::make_target(machine, problem), notes};
}

kernels::GemmTile tile_of(const Settled<kernels::GemmProblem>& product) {
  const kernels::GemmProblem& problem = product.problem;
  const std::string& asked = product.options.tile;
  std::string reason = kernels::why_no_kernel(problem, product.target);
  const bool has_menu = reason.empty();
  if (asked.empty() && has_menu) return kernels::choose_tile(problem, product.target);
  if (!asked.empty()) {
    const auto tile = kernels::parse_tile(asked, problem, product.target, reason);
    if (tile) return *tile;
    if (has_menu) throw mistake_in("tile", reason);
  }
  throw NotCovered(fmt::format("{}: {}: {}", product.options.machine, gemm_title(problem), reason));
}

PreparedRun prepare_gemm(const kernels::GemmProblem& asked, const PreparationOptions& options,
                         const config::Machine& machine) {
  const Settled<kernels::GemmProblem> product = settled(asked, options, machine);
  const kernels::GemmProblem& problem = product.problem;
  const kernels::GemmTile tile = tile_of(product);
  PreparedRun run;
  run.inputs.notes = product.notes;
  run.launches = kernels::make_gemm_stream(problem, tile, product.target);
  run.gemm = PreparedGemm{problem, tile, product.target};
  run.unused = unused_of(problem, tile.m, machine.l2.sector_bytes);
  if (problem.epilogue.changes_values() || problem.block_scales)
    run.operation = values::gemm_operation(problem, tile.serial_k ? tile.split_k : 1);
  run.inputs.title = gemm_title(problem);
  run.inputs.sparse = problem.sparse;
  run.inputs.kernel_tiles.assign(run.launches.size(), "");
  run.inputs.kernel_tiles.front() = tile.text();
  run.inputs.flop = config::kOperationsPerMac * static_cast<double>(problem.multiplied_rows()) *
                    static_cast<double>(problem.n) * static_cast<double>(problem.k);
  set_peak(run, product.peak, problem.input, options, machine);
  return run;
}

}  // namespace tcsim::run
