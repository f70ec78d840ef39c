#include "sim/config/operator_target.hpp"

#include "sim/config/target.hpp"

namespace tcsim::config {

kernels::Target make_conv_target(const Machine& machine, const kernels::ConvProblem& problem) {
  return make_target(
      machine, {.input = problem.input, .accumulate = problem.accumulate, .unit = problem.unit});
}

kernels::Target make_attention_target(const Machine& machine,
                                      const kernels::AttentionProblem& problem) {
  return make_target(machine, {.input = problem.element, .unit = problem.unit});
}

}  // namespace tcsim::config
