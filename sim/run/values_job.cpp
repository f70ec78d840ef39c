#include "sim/run/values_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "sim/config/numerics.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/quantize_words.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/tensor_file/npy.hpp"
#include "sim/values/element.hpp"
#include "sim/values/packed_weights.hpp"
#include "sim/values/tensor_matrix.hpp"

namespace tcsim::run {
namespace {

values::OperandSource source(const std::string& file, const ValueRequest& request,
                             const values::OperandShape& shape, kernels::Element element) {
  values::OperandSource operand;
  operand.distribution = request.inputs;
  if (!file.empty())
    operand.given = values::matrix_of(tensor_file::read_npy(file), shape, element, file);
  return operand;
}

values::GemmRun gemm_run(const ValueRequest& request, const PreparedGemm& gemm,
                         const numerics::TensorArithmetic& core) {
  const kernels::GemmProblem& problem = gemm.problem;
  const bool reals = problem.input != kernels::Element::kInt8 || !request.quantize.empty();
  const kernels::Element element = reals ? kernels::Element::kFp32 : kernels::Element::kInt8;
  return {
      problem,
      gemm.tile,
      core,
      source(request.a, request, {problem.batch, problem.m, problem.k, "m x k"}, element),
      source(request.b, request, {problem.matrices_b(), problem.k, problem.n, "k x n"}, element),
      request.seed,
      reals,
      [gemm](std::int64_t row, std::int64_t column) {
        return kernels::stream_k_cuts(gemm.problem, gemm.tile, gemm.target, row, column);
      }};
}

/// Throws NotCovered for recordings, and for operands from files and quantisation, which concern
/// products alone.
void require_drawn(const ValueRequest& request, const PreparedRun& run) {
  for (const isa::KernelLaunch& launch : run.launches)
    if (launch.recording != nullptr)
      throw NotCovered(
          fmt::format("{}: values need programs; kernel {} is recorded, and a recording has none",
                      run.inputs.workload, launch.name));
  if (!request.a.empty() || !request.b.empty())
    throw NotCovered(fmt::format(
        "{}: {} and {} are the operands of a gemm without an epilogue or block scales; the inputs "
        "of other operations are drawn",
        run.inputs.workload, word_of("a"), word_of("b")));
  if (!request.quantize.empty())
    throw NotCovered(fmt::format("{}: {} makes the operands of a gemm without an epilogue",
                                 run.inputs.workload, word_of("quantize")));
}

std::optional<values::QuantizationRequest> quantization(const ValueRequest& request,
                                                        const kernels::GemmProblem& problem) {
  if (request.quantize.empty()) return std::nullopt;
  if (problem.input != kernels::Element::kInt8)
    throw RequestError(word_of("quantize") + " makes INT8 operands; ask for dtype=int8");
  if (problem.output != kernels::Element::kInt32)
    throw RequestError(word_of("quantize") + " converts INT32 sums to reals; ask for out=int32");
  if (problem.batch != 1) throw NotCovered(word_of("quantize") + " takes one matrix, not a batch");
  values::QuantizationRequest wish = parse_quantize(request.quantize, problem.n);
  if (problem.sparse && wish.symmetry == quantization::Symmetry::kAsymmetric)
    throw NotCovered(word_of("quantize") +
                     ": asymmetric needs a dense A: a zero point moves the zeros of a sparse one");
  return wish;
}

/// The value, or the refusal as a mistake of the user in operand `name`.
template <typename Value>
const Value& require(const numerics::Result<Value>& result, const std::string& name) {
  if (!result.has_value()) throw RequestError(fmt::format("{}: {}", name, result.refusal().reason));
  return result.value();
}

/// The values, or the refusal as one of the kernels.
template <typename Values>
const Values& executed(const numerics::Result<Values>& result, const PreparedRun& run) {
  if (!result.has_value())
    throw NotCovered(fmt::format("{}: {}", run.inputs.workload, result.refusal().reason));
  return result.value();
}

/// The first races, a line each, and how many bytes race in all.
std::string races_text(const std::string& workload, const values::ProgramValues& values) {
  constexpr std::size_t kMostRaces = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostRaces, values.races.size()); ++i)
    text += fmt::format("{}: {}\n", workload, values.races[i]);
  return text +
         fmt::format("{}: {} bytes and registers race in all", workload, values.racing_bytes);
}

std::string words_of(const std::string& file, const ValueRequest& request) {
  return file.empty() ? std::string(values::name(request.inputs)) : file;
}

}  // namespace

ValuesJob::ValuesJob(const ValueRequest& request, const PreparedRun& run,
                     const config::Machine& machine)
    : request_(request), run_(run), core_(config::tensor_arithmetic(machine)) {
  if (run.gemm && run.gemm->problem.sparse && run.gemm->problem.epilogue.changes_values())
    throw NotCovered(fmt::format("{}: values of a sparse product are modelled without an epilogue",
                                 run.inputs.workload));
  if (!run.gemm || run.operation) {
    require_drawn(request, run);
    return;
  }
  gemm_ = gemm_run(request, *run.gemm, core_);
  quantization_ = quantization(request, gemm_->problem);
}

values::GemmValues ValuesJob::execute(const values::Matrix& a, const values::Matrix& b,
                                      functional::MmaEngine* engine,
                                      const functional::Poll& poll) const {
  const auto result = values::execute_gemm(*gemm_, run_.launches, a, b, engine, poll);
  const values::GemmValues& values = executed(result, run_);
  if (values.differences != 0 || values.racing_bytes != 0) {
    throw InternalError(
        fmt::format("kernel {}: {} elements of D differ from the reference product, {} bytes race",
                    run_.launches.front().name, values.differences, values.racing_bytes));
  }
  return values;
}

report::ValuesRecord ValuesJob::compute(functional::MmaEngine* engine,
                                        const functional::Poll& poll) const {
  report::ValuesRecord record;
  record.seed = request_.seed;
  record.arithmetic = mmas_of(run_.launches).empty() ? "CUDA cores" : to_string(core_);
  if (gemm_)
    record.computed = product(engine, poll);
  else if (run_.operation)
    record.computed = operation(engine, poll);
  else
    record.computed = program(engine, poll);
  return record;
}

report::ProductRecord ValuesJob::product(functional::MmaEngine* engine,
                                         const functional::Poll& poll) const {
  const kernels::GemmProblem& problem = gemm_->problem;
  report::ProductRecord record;
  record.input_a = words_of(request_.a, request_);
  record.input_b = words_of(request_.b, request_);
  record.input_format = numerics::name(values::type_of(problem.input));
  if (problem.weights.are_packed())
    record.weight_format = fmt::format("int{}", problem.weights.bits);
  record.output_format = numerics::name(values::type_of(problem.output));
  const values::Matrix a = matrix_a(*gemm_);
  const values::Matrix b = matrix_b(*gemm_);
  if (const auto place = values::place_not_finite(b); place && problem.weights.are_packed())
    throw RequestError(
        fmt::format("operand B: {} is not finite, and no integer represents it", *place));
  if (!quantization_) {
    record.result = execute(a, b, engine, poll);
    return record;
  }
  const auto quantized_a = require(values::quantize_a(a, *quantization_), "operand A");
  const auto quantized_b = require(values::quantize_b(b, *quantization_), "operand B");
  record.result = execute(quantized_a.integers, quantized_b.integers, engine, poll);
  const values::Matrix sums =
      values::load(record.result.d, {problem.output, /*row_major=*/true}, 1, problem.m, problem.n);
  record.quantization = require(
      values::quantization_error(a, b, quantized_a, quantized_b, sums, *quantization_), "D");
  return record;
}

report::OperationRecord ValuesJob::operation(functional::MmaEngine* engine,
                                             const functional::Poll& poll) const {
  const auto result = values::execute_operation(*run_.operation, request_.inputs, request_.seed,
                                                core_, run_.launches, engine, poll);
  report::OperationRecord record{std::string(values::name(request_.inputs)),
                                 executed(result, run_)};
  for (const values::TensorResult& tensor : record.result.results) {
    if (tensor.outside == 0 && record.result.racing_bytes == 0) continue;
    throw InternalError(
        fmt::format("kernel {}: {} elements of {} differ by more than rounding explains, the worst "
                    "at [{}]; {} bytes race",
                    run_.launches.front().name, tensor.outside, tensor.shape.name,
                    fmt::join(tensor.worst, ", "), record.result.racing_bytes));
  }
  return record;
}

report::ProgramRecord ValuesJob::program(functional::MmaEngine* engine,
                                         const functional::Poll& poll) const {
  const auto result =
      values::execute_programs(run_.launches, request_.inputs, request_.seed, core_, engine, poll);
  const std::string& workload = run_.inputs.workload;
  if (!result.has_value() && result.refusal().kind == numerics::Refusal::Kind::kMistake)
    throw UsageError(fmt::format("{}: {}", workload, result.refusal().reason));
  report::ProgramRecord record{std::string(values::name(request_.inputs)), executed(result, run_)};
  if (record.result.racing_bytes != 0) throw UsageError(races_text(workload, record.result));
  return record;
}

std::vector<NamedTensor> tensors_of(const report::ValuesRecord& record, const PreparedRun& run) {
  if (const auto* product = std::get_if<report::ProductRecord>(&record.computed))
    return {{"D", values::tensor_of_d(run.gemm->problem, product->result.d)}};
  std::vector<NamedTensor> tensors;
  if (const auto* operation = std::get_if<report::OperationRecord>(&record.computed))
    for (const values::TensorResult& result : operation->result.results)
      tensors.push_back({result.shape.name, values::tensor_of(result.shape, result.bytes)});
  return tensors;
}

}  // namespace tcsim::run
