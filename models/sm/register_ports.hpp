#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Read ports of a sub-core's register file. An instruction issues only if all its source reads
/// find port slots within its operand window (HUE25: the Allocate stage holds it back until they
/// do).
class RegisterPorts {
 public:
  /// Requires windows of at most 32 cycles.
  explicit RegisterPorts(const RegisterFileParams& params)
      : banks_(static_cast<std::size_t>(params.banks)),
        ports_(static_cast<std::size_t>(params.read_ports_per_bank)) {}

  /// True if `reads` (per bank) fit into the `window` cycles from `now` on. `now` must not go back.
  bool can_read(Cycle now, const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    move_to(now);
    const std::uint64_t mask = (std::uint64_t{1} << window) - 1;
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      int free = 0;
      for (std::size_t port = 0; port < ports_; ++port)
        free += std::popcount(~busy_[bank][port] & mask);
      if (reads[bank] > free) return false;
    }
    return true;
  }

  /// Takes the slots. Requires can_read(now, reads, window). Every other cycle first, so that a
  /// fragment read over many cycles leaves slots in each short window (assumption: HMMA reads pairs
  /// while other instructions go on).
  void read(const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    const std::uint64_t mask = (std::uint64_t{1} << window) - 1;
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      int left = reads[bank];
      for (const std::uint64_t parity : {kEvenCycles, kEvenCycles << 1}) {
        for (std::size_t port = 0; port < ports_; ++port) {
          for (std::uint64_t free = ~busy_[bank][port] & mask & parity; left > 0 && free != 0;
               --left) {
            const std::uint64_t slot = free & (~free + 1);
            busy_[bank][port] |= slot;
            free ^= slot;
          }
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t kEvenCycles = 0x5555555555555555ULL;
  static constexpr int kMaxPorts = 4;

  /// Bit i of a mask is cycle now_ + i.
  void move_to(Cycle now) {
    const Cycle step = now - now_;
    if (step == 0) return;
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      for (std::size_t port = 0; port < ports_; ++port)
        busy_[bank][port] = step < 64 ? busy_[bank][port] >> step : 0;
    }
    now_ = now;
  }

  std::size_t banks_;
  std::size_t ports_;
  Cycle now_ = 0;
  std::array<std::array<std::uint64_t, kMaxPorts>, kMaxRegisterBanks> busy_{};
};

}  // namespace tcsim::sm
