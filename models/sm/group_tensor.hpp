#pragma once

#include <algorithm>
#include <deque>

#include "models/isa/cycle.hpp"
#include "models/isa/group_mma.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Bytes of A and B that product `opcode` of a warpgroup reads from shared memory. B is read once
/// for the four sub-cores, without bank conflicts (hopper.md 3). Of a sparse A only what is stored
/// counts (LUO24: with n of 256, 2 KB of A and 16 KB of B take 144 cycles instead of 128).
inline int shared_operand_bytes(isa::Opcode opcode) {
  const isa::GroupMma& mma = isa::group_mma(opcode);
  const int b = mma.n * (mma.sparse ? 2 : 1);
  return isa::kGroupRowBytes * (b + (mma.a_in_registers ? 0 : isa::kGroupRows));
}

/// Warps of a warpgroup on one sub-core, which executes their parts of a product one after the
/// other. More sub-cores than warps leave some without a part.
inline int parts_per_sub_core(const SmParams& params) {
  return ceil_div(isa::kGroupWarps, params.sub_cores);
}

/// Length of the turn of product `opcode` whose passes take `array_cycles`. Moving its operands
/// through the shared-memory path, or the minimum for A in registers, may take longer.
inline int turn_cycles(isa::Opcode opcode, int array_cycles, const SmParams& params) {
  const GroupTensorParams& group = params.group_tensor;
  const int operands = ceil_div(shared_operand_bytes(opcode), params.l1.bytes_per_cycle);
  const int least = isa::group_mma(opcode).a_in_registers ? group.register_least_cycles : 1;
  return std::max({array_cycles, operands, least}) + group.extra_cycles;
}

/// The tensor cores of an SM as shared by the products of its warpgroups: one product after the
/// other, in the order in which the last warps of their groups arrive (FLASHVLA: one warpgroup
/// saturates them, two take turns). MMAs of single warps use the same tensor cores: a product waits
/// for those that have issued, and they wait until no product is left (assumption).
class GroupTensor {
 public:
  explicit GroupTensor(const GroupTensorParams& params) : params_(params) {}

  /// When a product that is ready at `now` may join the queue.
  [[nodiscard]] Cycle room_at(bool a_in_registers, Cycle now) const {
    const auto most = static_cast<std::size_t>(a_in_registers ? params_.register_operations
                                                              : params_.shared_operations);
    const Cycle first = std::max(now, joined_);
    return turns_.size() < most ? first : std::max(first, turns_[turns_.size() - most].end);
  }

  struct Turn {
    Cycle start;
    Cycle end;      ///< of the turn
    Cycle written;  ///< when the sums are in the registers
  };
  /// When the turns of all products that have joined are over.
  [[nodiscard]] Cycle free_at() const { return turns_.empty() ? 0 : turns_.back().end; }
  /// True if the tensor cores work on one of the joined products at `now`.
  [[nodiscard]] bool is_busy(Cycle now) const {
    for (auto turn = turns_.rbegin(); turn != turns_.rend(); ++turn)
      if (turn->start <= now) return now < turn->end;
    return false;
  }
  /// A product that takes `cycles` joins at `now` and starts at `start`. Successive calls must have
  /// non-decreasing `now`; requires room, and that `start` is neither before `now` nor before
  /// free_at().
  Turn join(int cycles, Cycle now, Cycle start) {
    if (turns_.size() == kKeptTurns) turns_.pop_front();
    joined_ = now;
    turns_.push_back({start, start + cycles, start + cycles + params_.result_cycles});
    return turns_.back();
  }

 private:
  static constexpr std::size_t kKeptTurns = 65;  // one more than can be queued

  const GroupTensorParams params_;
  Cycle joined_ = 0;        ///< when the last product joined
  std::deque<Turn> turns_;  ///< the most recent turns, in order
};

}  // namespace tcsim::sm
