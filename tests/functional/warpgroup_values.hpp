#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/functional/race_detector.hpp"
#include "models/isa/program.hpp"
#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {

/// A warpgroup kernel on a Hopper of two SMs, so that CTAs have several tiles.
GemmValues on_hopper(const kernels::GemmProblem& problem, const std::string& tile);

/// Why there is no kernel of `tile`.
std::string refusal_on_hopper(const kernels::GemmProblem& problem, const std::string& tile);

/// Executes the product with random operands and expects what values::gemm_operation defines.
void expect_definition(const GemmValues& gemm);
void expect_definition(const kernels::GemmProblem& problem, const char* tile);

/// `gemm` with instructions of `opcode` changed, executed.
std::vector<Race> races_with(const GemmValues& gemm, isa::Opcode opcode,
                             const std::function<void(isa::Instruction&)>& change);

}  // namespace tcsim::functional::testing
