#include "tests/functional/warpgroup_values.hpp"

#include <gmock/gmock.h>

#include "sim/values/gemm_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/small_hopper.hpp"

namespace tcsim::functional::testing {

using kernels::GemmProblem;

GemmValues on_hopper(const GemmProblem& problem, const std::string& tile) {
  const kernels::Target target = small_hopper(problem);
  std::string reason;
  const auto parsed = kernels::parse_tile(tile, problem, target, reason);
  EXPECT_TRUE(parsed.has_value()) << reason;
  return {target, numerics::Generation::kHopper, problem, parsed.value_or(kernels::GemmTile{})};
}

std::string refusal_on_hopper(const GemmProblem& problem, const std::string& tile) {
  std::string reason;
  EXPECT_FALSE(kernels::parse_tile(tile, problem, small_hopper(problem), reason).has_value());
  return reason;
}

void expect_definition(const GemmProblem& problem, const char* tile) {
  expect_definition(on_hopper(problem, tile));
}

void expect_definition(const GemmValues& gemm) {
  const GemmProblem& problem = gemm.problem;
  SCOPED_TRACE(gemm.tile.text() + problem.epilogue.text());
  const auto stream = kernels::make_gemm_stream(problem, gemm.tile, gemm.target);
  const auto values =
      values::execute_operation(values::gemm_operation(problem, 1), values::Distribution::kUniform,
                                /*seed=*/7, gemm.generation, stream);
  ASSERT_TRUE(values.has_value()) << values.refusal().reason;
  EXPECT_EQ(values.value().racing_bytes, 0);
  const values::TensorResult& result = values.value().results.front();
  EXPECT_EQ(result.outside, 0);
  EXPECT_EQ(result.arithmetic.elements, problem.multiplied_rows() * problem.n);
  EXPECT_EQ(result.specials.nans, 0);  // nor what is not written of groups
}

std::vector<Race> races_with(const GemmValues& gemm, isa::Opcode opcode,
                             const std::function<void(isa::Instruction&)>& change) {
  isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  for (isa::WarpProgram& program : launch.programs)
    for (isa::Instruction& instruction : program.instructions)
      if (instruction.opcode == opcode) change(instruction);
  GlobalMemory memory = random_operands(gemm, launch);
  const auto result = execute(launch, gemm.generation, memory);
  EXPECT_TRUE(result.has_value()) << result.refusal().reason;
  return result.has_value() ? result.value().races : std::vector<Race>{};
}

}  // namespace tcsim::functional::testing
