#pragma once

#include <array>
#include <cstdint>

#include "models/isa/launch.hpp"
#include "workloads/traceg/spooled_recording.hpp"

namespace tcsim::traceg {

/// Runs through the program of one warp like the hardware, with addresses and lanes but without
/// values.
class WarpWalk {
 public:
  /// Starts before the first instruction of warp `warp` of the CTA at `cta`. `launch`, which must
  /// outlive the walk, is one that isa::validate accepts and is not recorded.
  WarpWalk(const isa::KernelLaunch& launch, const std::array<std::int64_t, 3>& cta, int warp);

  /// Moves to the next instruction; false after the EXIT that ends the warp.
  bool next();

  /// The position of the walk: the number of the instruction in its program.
  [[nodiscard]] int position() const { return position_; }
  [[nodiscard]] const isa::Instruction& instruction() const {
    return program_.instructions[static_cast<std::size_t>(position_)];
  }
  /// Bit i: lane i takes part; for a copy, it reads.
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  /// Memory instructions: addresses by lane, 0 for lanes that do not take part. For global memory,
  /// including LDGSTS, the address; else the offset in shared memory.
  [[nodiscard]] const std::array<std::int64_t, 32>& addresses() const { return addresses_; }
  /// For SYNCS, isa::BarrierOperand::value. addresses() holds the mbarrier of each lane, with the
  /// rank of its CTA if that is another one.
  [[nodiscard]] std::int64_t value() const { return value_; }
  /// Copies of TMA.
  [[nodiscard]] const ExecutedBox& box() const { return box_; }

 private:
  std::uint32_t passing(const isa::Guard& guard);
  void find_addresses(const isa::MemoryAccess& access);
  void find_barrier(const isa::BarrierOperand& operand);
  void find_box(const isa::TileOperand& operand);
  void find_operands();

  const isa::KernelLaunch& launch_;
  const isa::WarpProgram& program_;
  isa::Bindings bindings_{};
  std::uint32_t alive_ = ~std::uint32_t{0};
  int position_ = isa::kNoIndex;
  std::uint32_t lanes_ = 0;
  std::array<std::int64_t, 32> addresses_{};
  std::int64_t value_ = 0;
  ExecutedBox box_;
};

}  // namespace tcsim::traceg
