#include "tests/library/small_library.hpp"

#include <stdexcept>

namespace tcsim::library::testing {

std::string small_library() {
  return R"(name: small
description: "three tiles"
costs:
  fill_cycles: 900
  turn_round_cycles: 1500
  epilogue_cycles: 500
  sliced_epilogue_cycles: 900
  epilogue_write_share: 0.75
  load_latency_cycles: 500
  hand_over_cycles: 50
  sliced_hand_over_cycles: 130
  staged_hand_over_cycles: 180
  staged_issue_share: 0.3
  staged_queue_share: 0
  dram_efficiency: 0.8
  half_line_efficiency: 0.6
  single_move_cycles: 8
  reduction_cycles: 200
  reduction_cycles_per_slice: 65
  reduction_l2_share: 0.5
menus:
  few:
    - {tile: 128x128x32, warps: 2x2, stages: 3-4}
    - {tile: 64x64x32, warps: 2x2, stages: 3}
    - {tile: 64x64x64, warps: 1x2, stages: 5, sliced_k: 2}
kernels:
  products:
    computes: [product]
    multiply: mma
    load: [copy]
    operands: [fp16]
    results: [fp16, fp32]
    menu: few
    k_unit: two_bytes
    preferences:
      smallest_side: 64
      with_slices: true
      factors:
        - {tile: 64x64, sliced_k: 1, factor: 1}
    slices:
      operands: [fp16]
      counts: [2, 4]
      margin: 1.1
      most_waves: 2
      least_k_tiles: 16
      least_k_tiles_of_more: 16
)";
}

std::string small_library_with(const std::string& from, const std::string& to) {
  std::string text = small_library();
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::invalid_argument("no '" + from + "'");
  return text.replace(at, from.size(), to);
}

}  // namespace tcsim::library::testing
