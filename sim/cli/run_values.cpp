#include "sim/cli/run_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/quantize_words.hpp"
#include "sim/stats/internal_error.hpp"
#include "sim/tensor_file/npy.hpp"
#include "sim/values/element.hpp"
#include "sim/values/tensor_matrix.hpp"

namespace tcsim::cli {
namespace {

values::OperandSource source(const std::string& file, const ValueOptions& options,
                             const values::OperandShape& shape, kernels::Element element) {
  values::OperandSource operand;
  operand.distribution = options.inputs;
  if (!file.empty())
    operand.given = values::matrix_of(tensor_file::read_npy(file), shape, element, file);
  return operand;
}

numerics::Generation modelled_generation(const config::Machine& machine) {
  const auto generation = values::generation_of(machine.architecture);
  if (!generation)
    throw NotCovered(fmt::format("{}: the arithmetic of {} is not modelled", machine.name,
                                 machine.architecture));
  return *generation;
}

values::GemmRun gemm_run(const ValueOptions& options, const PreparedGemm& gemm,
                         numerics::Generation generation) {
  const kernels::GemmProblem& problem = gemm.problem;
  const bool reals = problem.input != kernels::Element::kInt8 || !options.quantize.empty();
  const kernels::Element element = reals ? kernels::Element::kFp32 : kernels::Element::kInt8;
  return {problem,
          gemm.tile,
          generation,
          source(options.a, options, {problem.batch, problem.m, problem.k, "m x k"}, element),
          source(options.b, options, {problem.batch, problem.k, problem.n, "k x n"}, element),
          options.seed,
          reals,
          [gemm](std::int64_t row, std::int64_t column) {
            return kernels::stream_k_cuts(gemm.problem, gemm.tile, gemm.target, row, column);
          }};
}

/// Operands from files and quantisation concern products alone.
void require_drawn(const ValueOptions& options, const PreparedRun& run) {
  if (!run.operation)
    throw NotCovered(fmt::format("{}: values need a generated kernel", run.inputs.workload));
  if (!options.a.empty() || !options.b.empty())
    throw NotCovered(fmt::format(
        "{}: --a and --b are the operands of a gemm without an epilogue; the inputs of other "
        "operations are drawn",
        run.inputs.workload));
  if (!options.quantize.empty())
    throw NotCovered(fmt::format("{}: --quantize makes the operands of a gemm without an epilogue",
                                 run.inputs.workload));
}

std::optional<values::QuantizationRequest> quantization(const ValueOptions& options,
                                                        const kernels::GemmProblem& problem) {
  if (options.quantize.empty()) return std::nullopt;
  if (problem.input != kernels::Element::kInt8)
    throw UsageError("tcsim run: --quantize makes INT8 operands; ask for dtype=int8");
  if (problem.batch != 1) throw NotCovered("tcsim run: --quantize takes one matrix, not a batch");
  return parse_quantize(options.quantize, problem.n);
}

/// The value, or the refusal as a mistake of the user in operand `name`.
template <typename Value>
const Value& require(const numerics::Result<Value>& result, const std::string& name) {
  if (!result.has_value())
    throw UsageError(fmt::format("tcsim run: {}: {}", name, result.refusal().reason));
  return result.value();
}

/// The values, or the refusal as one of the kernels.
template <typename Values>
const Values& executed(const numerics::Result<Values>& result, const PreparedRun& run) {
  if (!result.has_value())
    throw NotCovered(fmt::format("{}: its values are not modelled: {}", run.launches.front().name,
                                 result.refusal().reason));
  return result.value();
}

std::string words_of(const std::string& file, const ValueOptions& options) {
  return file.empty() ? std::string(values::name(options.inputs)) : file;
}

}  // namespace

ValuesJob::ValuesJob(const ValueOptions& options, const PreparedRun& run,
                     const config::Machine& machine)
    : options_(options), run_(run), generation_(modelled_generation(machine)) {
  if (run.gemm && run.gemm->problem.sparse && run.gemm->problem.epilogue.changes_values())
    throw NotCovered(fmt::format("{}: values of a sparse product are modelled without an epilogue",
                                 run.inputs.workload));
  if (!run.gemm || run.operation) {
    require_drawn(options, run);
    return;
  }
  gemm_ = gemm_run(options, *run.gemm, generation_);
  quantization_ = quantization(options, gemm_->problem);
}

values::GemmValues ValuesJob::execute(const values::Matrix& a, const values::Matrix& b,
                                      functional::MmaEngine* engine) const {
  const auto result = values::execute_gemm(*gemm_, run_.launches, a, b, engine);
  const values::GemmValues& values = executed(result, run_);
  if (values.differences != 0 || values.racing_bytes != 0) {
    throw InternalError(fmt::format(
        "kernel {}: {} elements of D are not those of the reference product, {} bytes race",
        run_.launches.front().name, values.differences, values.racing_bytes));
  }
  return values;
}

report::ValuesRecord ValuesJob::compute(functional::MmaEngine* engine) const {
  report::ValuesRecord record;
  record.seed = options_.seed;
  record.arithmetic = numerics::name(generation_);
  if (gemm_)
    record.computed = product(engine);
  else
    record.computed = operation(engine);
  return record;
}

report::ProductRecord ValuesJob::product(functional::MmaEngine* engine) const {
  const kernels::GemmProblem& problem = gemm_->problem;
  report::ProductRecord record;
  record.input_a = words_of(options_.a, options_);
  record.input_b = words_of(options_.b, options_);
  record.input_format = numerics::name(values::type_of(problem.input));
  record.output_format = numerics::name(values::type_of(problem.output));
  const values::Matrix a = matrix_a(*gemm_);
  const values::Matrix b = matrix_b(*gemm_);
  if (!quantization_) {
    record.result = execute(a, b, engine);
    return record;
  }
  const auto quantized_a = require(values::quantize_a(a, *quantization_), "operand A");
  const auto quantized_b = require(values::quantize_b(b, *quantization_), "operand B");
  record.result = execute(quantized_a.integers, quantized_b.integers, engine);
  const values::Matrix sums =
      values::load(record.result.d, {problem.output, /*row_major=*/true}, 1, problem.m, problem.n);
  record.quantization = require(
      values::quantization_error(a, b, quantized_a, quantized_b, sums, *quantization_), "D");
  return record;
}

report::OperationRecord ValuesJob::operation(functional::MmaEngine* engine) const {
  const auto result = values::execute_operation(*run_.operation, options_.inputs, options_.seed,
                                                generation_, run_.launches, engine);
  report::OperationRecord record{std::string(values::name(options_.inputs)),
                                 executed(result, run_)};
  for (const values::TensorResult& tensor : record.result.results) {
    if (tensor.outside == 0 && record.result.racing_bytes == 0) continue;
    throw InternalError(fmt::format(
        "kernel {}: {} elements of {} are further off than roundings explain, the worst "
        "at [{}]; {} bytes race",
        run_.launches.front().name, tensor.outside, tensor.shape.name,
        fmt::join(tensor.worst, ", "), record.result.racing_bytes));
  }
  return record;
}

namespace {

/// Writes one array; returns the names of the files.
std::vector<std::string> write_array(const report::RunDirectory& directory, const std::string& name,
                                     const tensor_file::Tensor& tensor) {
  const std::string file = name + ".npy";
  tensor_file::write_npy(directory.path() / file, tensor);
  const std::string note = file + ".json";
  if (std::filesystem::exists(directory.path() / note)) return {file, note};
  return {file};
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::vector<std::string> write_values(const report::RunDirectory& directory,
                                      const report::ValuesRecord& record, const PreparedRun& run) {
  if (const auto* product = std::get_if<report::ProductRecord>(&record.computed))
    return write_array(directory, "d", values::tensor_of_d(run.gemm->problem, product->result.d));
  std::vector<std::string> files;
  for (const values::TensorResult& result :
       std::get<report::OperationRecord>(record.computed).result.results)
    std::ranges::copy(write_array(directory, lower_case(result.shape.name),
                                  values::tensor_of(result.shape, result.bytes)),
                      std::back_inserter(files));
  return files;
}

}  // namespace tcsim::cli
