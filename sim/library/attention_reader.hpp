#pragma once

#include "sim/config/strict_map.hpp"
#include "workloads/kernels/attention/attention_family.hpp"

namespace tcsim::library {

/// One entry of `attention`, without names. What no kernel is generated for is a mistake: operands
/// that the instructions do not take, rows that do not fit the warps, keys that are no whole steps,
/// splits without partial outputs.
kernels::AttentionFamily read_attention_family(config::StrictMap& map);

}  // namespace tcsim::library
