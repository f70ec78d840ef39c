#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "models/functional/lanes.hpp"
#include "models/isa/program.hpp"

namespace tcsim::functional {

/// Content of a register that no instruction has written: a NaN as FP32 and, in the upper half, as
/// FP16 and BF16, so that a use of it is noticed.
inline constexpr std::uint32_t kUnwritten = 0x7fffdead;

/// The 255 registers of every lane of a warp; the zero register reads as zero.
class RegisterFile {
 public:
  RegisterFile() {
    for (LaneWords& words : registers_) words.fill(kUnwritten);
    registers_[isa::kZeroRegister].fill(0);
  }

  /// The register `index` places after `first`; after the zero register, the zero register itself.
  /// Requires a sum of at most 255.
  [[nodiscard]] const LaneWords& read(isa::Register first, std::size_t index = 0) const {
    return registers_[place(first, index)];
  }

  /// Sets the lanes of `mask`. A write to the zero register has no effect.
  void write(isa::Register first, std::size_t index, const LaneWords& words,
             LaneMask mask = kAllLanes) {
    if (first == isa::kZeroRegister) return;
    LaneWords& target = registers_[place(first, index)];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (is_on(mask, lane)) target[lane] = words[lane];
  }

 private:
  static std::size_t place(isa::Register first, std::size_t index) {
    if (first == isa::kZeroRegister) return isa::kZeroRegister;
    assert(first + index < isa::kZeroRegister);
    return first + index;
  }

  std::array<LaneWords, isa::kZeroRegister + 1> registers_;
};

}  // namespace tcsim::functional
