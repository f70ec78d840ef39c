#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/isa/opcode.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::config {

/// The limits on the rate of one MMA instruction, or of a warp's part of a warpgroup's product, in
/// cycles from one to the next on a sub-core. The largest one decides.
struct MmaInterval {
  isa::Opcode opcode;
  std::int64_t macs = 0;   ///< of one warp instruction, zeros of a sparse A included
  int rate = 0;            ///< multiply-adds per cycle of the tensor cores of a sub-core
  int rate_cycles = 0;     ///< macs over rate
  int pass_cycles = 0;     ///< of the passes through cores of that shape; 0 if the rate is given
  int operand_cycles = 0;  ///< that A and B need to enter the core
  int least_cycles = 0;    ///< least interval of all MMAs
  int min_cycles = 0;      ///< min_interval_cycles of the instruction
  int registers = 0;       ///< that it reads in its operand window, per lane; the mean of its steps
  int port_cycles = 0;     ///< at least, for all banks and read ports to deliver them
  int turn_cycles = 0;     ///< of a warpgroup's product, with the way of its operands to the cores;
                           ///< per part, as the sub-cores execute four of them in a turn
  std::string_view turn_key{};  ///< what makes that longer than rate_cycles

  [[nodiscard]] int cycles() const;
  /// Multiply-adds per cycle that a sub-core can sustain with it.
  [[nodiscard]] double sustained() const { return static_cast<double>(macs) / cycles(); }
  /// True if the tensor cores by themselves could accept it more often.
  [[nodiscard]] bool is_held() const { return rate_cycles < cycles(); }
  [[nodiscard]] bool is_held_by_min() const { return is_held() && min_cycles == cycles(); }
  [[nodiscard]] bool is_held_by_ports() const {
    return is_held() && std::max({min_cycles, pass_cycles, operand_cycles, least_cycles,
                                  turn_cycles}) < cycles();
  }
  /// The keys that set cycles(), for a sentence.
  [[nodiscard]] std::string binding_keys() const;
  /// "HMMA.16816.F32: 6 cycles >= 4", if another key requires `other_cycles`.
  [[nodiscard]] std::string comparison(int other_cycles) const;
  /// "sm.tensor.instructions.HMMA.16816.F32.min_interval_cycles binds (HMMA.16816.F32: 6 cycles >=
  /// 4)" if another key requires `other_cycles`.
  [[nodiscard]] std::string binding_text(int other_cycles) const;
};

/// Nothing if `machine` lacks `opcode` or `opcode` is no MMA and no warpgroup's product.
std::optional<MmaInterval> mma_interval(const Machine& machine, isa::Opcode opcode);

/// The key with the multiply-adds per cycle of the type that MMA `opcode` multiplies:
/// sm.tensor.fp16_macs and the like.
std::string_view rate_key(isa::Opcode opcode);

/// True for the keys that rate_key() returns.
bool is_rate_key(std::string_view key);

}  // namespace tcsim::config
