#pragma once

#include "sim/config/strict_map.hpp"
#include "workloads/kernels/attention/attention_family.hpp"

namespace tcsim::library {

/// One entry of `attention`, without names. Tiles whose rows their warps do not divide are
/// mistakes.
kernels::AttentionFamily read_attention_family(config::StrictMap& map);

}  // namespace tcsim::library
