#include "sim/cli/run_values.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/exit_status.hpp"
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
    throw NotCovered(
        fmt::format("{}: --values needs a kernel that tcsim generates; a trace holds "
                    "no data",
                    run.inputs.workload));
  const auto generation = values::generation_of(machine.architecture);
  if (!generation)
    throw NotCovered(fmt::format("{}: the arithmetic of {} is not modelled", machine.name,
                                 machine.architecture));
  const kernels::GemmProblem& problem = run.gemm->problem;
  return {problem,
          run.gemm->tile,
          *generation,
          source(options.a, options, {problem.batch, problem.m, problem.k, "m x k"}, problem.input),
          source(options.b, options, {problem.batch, problem.k, problem.n, "k x n"}, problem.input),
          options.seed};
}

std::string words_of(const std::string& file, const ValueOptions& options) {
  return file.empty() ? std::string(values::name(options.inputs)) : file;
}

}  // namespace

ValuesJob::ValuesJob(const ValueOptions& options, const PreparedRun& run,
                     const config::Machine& machine)
    : options_(options), launch_(run.launches.front()), gemm_(gemm_run(options, run, machine)) {}

report::ValuesRecord ValuesJob::compute() const {
  const auto result = values::execute_gemm(gemm_, launch_, matrix_a(gemm_), matrix_b(gemm_));
  if (!result.has_value()) {
    throw NotCovered(
        fmt::format("{}: its values are not modelled: {}", launch_.name, result.refusal().reason));
  }
  if (result.value().differences != 0 || result.value().racing_bytes != 0) {
    throw InternalError(fmt::format(
        "kernel {}: {} elements of D are not those of the reference product, {} bytes race",
        launch_.name, result.value().differences, result.value().racing_bytes));
  }
  return {words_of(options_.a, options_),
          words_of(options_.b, options_),
          options_.seed,
          std::string(numerics::name(values::type_of(gemm_.problem.input))),
          std::string(numerics::name(values::type_of(gemm_.problem.output))),
          std::string(numerics::name(gemm_.generation)),
          result.value()};
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
