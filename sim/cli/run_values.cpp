#include "sim/cli/run_values.hpp"

#include <fmt/format.h>

#include <filesystem>

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

values::GemmRun gemm_run(const ValueOptions& options, const PreparedRun& run,
                         const config::Machine& machine) {
  if (!run.gemm)
    throw NotCovered(fmt::format("{}: values need a generated GEMM", run.inputs.workload));
  const auto generation = values::generation_of(machine.architecture);
  if (!generation)
    throw NotCovered(fmt::format("{}: the arithmetic of {} is not modelled", machine.name,
                                 machine.architecture));
  const kernels::GemmProblem& problem = run.gemm->problem;
  const bool reals = problem.input != kernels::Element::kInt8 || !options.quantize.empty();
  const kernels::Element element = reals ? kernels::Element::kFp32 : kernels::Element::kInt8;
  return {problem,
          run.gemm->tile,
          *generation,
          source(options.a, options, {problem.batch, problem.m, problem.k, "m x k"}, element),
          source(options.b, options, {problem.batch, problem.k, problem.n, "k x n"}, element),
          options.seed,
          reals};
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

std::string words_of(const std::string& file, const ValueOptions& options) {
  return file.empty() ? std::string(values::name(options.inputs)) : file;
}

}  // namespace

ValuesJob::ValuesJob(const ValueOptions& options, const PreparedRun& run,
                     const config::Machine& machine)
    : options_(options),
      stream_(run.launches),
      gemm_(gemm_run(options, run, machine)),
      quantization_(quantization(options, gemm_.problem)) {}

values::GemmValues ValuesJob::execute(const values::Matrix& a, const values::Matrix& b,
                                      functional::MmaEngine* engine) const {
  const auto result = values::execute_gemm(gemm_, stream_, a, b, engine);
  if (!result.has_value()) {
    throw NotCovered(fmt::format("{}: its values are not modelled: {}", stream_.front().name,
                                 result.refusal().reason));
  }
  if (result.value().differences != 0 || result.value().racing_bytes != 0) {
    throw InternalError(fmt::format(
        "kernel {}: {} elements of D are not those of the reference product, {} bytes race",
        stream_.front().name, result.value().differences, result.value().racing_bytes));
  }
  return result.value();
}

report::ValuesRecord ValuesJob::compute(functional::MmaEngine* engine) const {
  const kernels::GemmProblem& problem = gemm_.problem;
  report::ValuesRecord record;
  record.input_a = words_of(options_.a, options_);
  record.input_b = words_of(options_.b, options_);
  record.seed = options_.seed;
  record.input_format = numerics::name(values::type_of(problem.input));
  record.output_format = numerics::name(values::type_of(problem.output));
  record.arithmetic = numerics::name(gemm_.generation);
  const values::Matrix a = matrix_a(gemm_);
  const values::Matrix b = matrix_b(gemm_);
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

std::vector<std::string> write_values(const report::RunDirectory& directory,
                                      const report::ValuesRecord& record,
                                      const kernels::GemmProblem& problem) {
  constexpr const char* kFile = "d.npy";
  const std::filesystem::path path = directory.path() / kFile;
  tensor_file::write_npy(path, values::tensor_of_d(problem, record.result.d));
  const std::string note = std::string(kFile) + ".json";
  if (std::filesystem::exists(directory.path() / note)) return {kFile, note};
  return {kFile};
}

}  // namespace tcsim::cli
