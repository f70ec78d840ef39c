#pragma once

#include "sim/config/machine.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::config {

/// The result of make_target, for a convolution.
kernels::Target make_conv_target(const Machine& machine, const kernels::ConvProblem& problem);

/// The result of make_target, for an attention.
kernels::Target make_attention_target(const Machine& machine,
                                      const kernels::AttentionProblem& problem);

}  // namespace tcsim::config
