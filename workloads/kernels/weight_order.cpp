#include "workloads/kernels/weight_order.hpp"

#include <algorithm>
#include <bit>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kEighth = 8;  // columns of a fragment of B

std::int64_t group_of(const GemmProblem& problem) {
  if (problem.weights.group > 0) return problem.weights.group;
  const auto whole = std::bit_ceil(static_cast<std::uint64_t>(problem.k));
  return std::max<std::int64_t>(WeightOrder::kBlockK, static_cast<std::int64_t>(whole));
}

}  // namespace

WeightOrder::WeightOrder(const GemmProblem& problem)
    : bits_(problem.weights.bits),
      group_(group_of(problem)),
      groups_(ceil_div(problem.k, group_)),
      steps_(ceil_div<std::int64_t>(problem.k, kBlockK)),
      padded_columns_(ceil_div<std::int64_t>(problem.n, kBlockColumns) * kBlockColumns) {}

// Lane 4 g + q has column 8 j + g of group of eight j and, in register c of its fragment, k = 8 c +
// 2 q and the next. INT4: registers 2 (j % 2) + c of a word are nibbles 16 bits apart. INT8:
// registers c of a word are bytes 16 bits apart.
std::int64_t WeightOrder::integer(std::int64_t k, std::int64_t column) const {
  const std::int64_t block =
      k / kBlockK * (padded_columns_ / kBlockColumns) + column / kBlockColumns;
  const std::int64_t in_block = column % kBlockColumns;
  const std::int64_t eighth = in_block / kEighth;
  const std::int64_t lane = 4 * (in_block % kEighth) + k % kEighth / 2;
  const std::int64_t half = k % kBlockK / kEighth;
  const std::int64_t of_pair = k % 2;
  const bool is_nibble = bits_ == 4;
  const std::int64_t word = is_nibble ? eighth / 2 : eighth;
  const std::int64_t in_word =
      is_nibble ? 2 * (eighth % 2) + half + 4 * of_pair : half + 2 * of_pair;
  constexpr int kWordBits = 32;
  const int of_lane = lane_bytes() * 8 / bits_;
  return (block * isa::kLanes + lane) * of_lane + word * (kWordBits / bits_) + in_word;
}

std::int64_t WeightOrder::scale(std::int64_t k, std::int64_t column) const {
  const std::int64_t in_block = column % kBlockColumns;
  constexpr std::int64_t kEighths = kBlockColumns / kEighth;
  return k / group_ * padded_columns_ + column - in_block + in_block % kEighth * kEighths +
         in_block / kEighth;
}

}  // namespace tcsim::kernels
