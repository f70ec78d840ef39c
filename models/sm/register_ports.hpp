#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Given the free cycles among eight (bit i for cycle i): which ones to take.
class PortSlots {
 public:
  static constexpr int kCycles = 8;

  /// Chooses `number` of the `free` cycles, every other one first, so that a fragment read over
  /// many cycles leaves slots in each short window (assumption: HMMA reads pairs while other
  /// instructions proceed). Takes at most as many as are free.
  static std::uint8_t choose(std::uint8_t free, int number) {
    return table()[free][static_cast<std::size_t>(number)];
  }

 private:
  /// Indexed by the free cycles, then by the number to take.
  using Table = std::array<std::array<std::uint8_t, kCycles + 1>, 256>;

  static constexpr Table make_table() {
    Table table{};
    for (unsigned free = 0; free < 256; ++free) {
      int taken = 0;
      unsigned chosen = 0;
      for (const int cycle : {0, 2, 4, 6, 1, 3, 5, 7}) {
        if ((free >> cycle & 1) == 0) continue;
        chosen |= 1U << cycle;
        table[free][static_cast<std::size_t>(++taken)] = static_cast<std::uint8_t>(chosen);
      }
    }
    return table;
  }

  static const Table& table() {
    static constexpr Table kTable = make_table();
    return kTable;
  }
};

/// Read ports of a sub-core's register file. An instruction issues only if all its source reads
/// find port slots within its operand window (HUE25: the Allocate stage holds it back until they
/// do).
class RegisterPorts {
 public:
  /// Requires that banks and ports are within the limits of the schema, and that windows are at
  /// most 32 cycles.
  explicit RegisterPorts(const RegisterFileParams& params)
      : banks_(static_cast<std::size_t>(params.banks)),
        ports_(static_cast<std::size_t>(params.read_ports_per_bank)) {
    assert(banks_ <= kMaxRegisterBanks && ports_ <= kMaxPorts);
  }

  /// True if `reads` (per bank) fit into the `window` cycles from `now` on. `now` must not decrease
  /// between calls.
  bool can_read(Cycle now, const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    move_to(now);
    const std::uint32_t inside = cycles_in(window);
    const std::uint64_t* busy = busy_.data();
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      int free = 0;
      for (std::size_t port = 0; port < ports_; ++port)
        free += std::popcount(free_of(*busy++, inside));
      if (free < reads[bank]) return false;
    }
    return true;
  }

  /// Reserves the slots. Requires can_read(now, reads, window).
  void read(const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    const std::uint32_t inside = cycles_in(window);
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      std::uint64_t* busy = &busy_[bank * ports_];
      for (int left = reads[bank]; left > 0; ++busy) left -= take(*busy, inside, left);
    }
  }

 private:
  static constexpr std::size_t kMaxPorts = 4;

  static std::uint32_t cycles_in(int window) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << window) - 1);
  }
  /// The cycles among `inside`, counted from now_, in which a port with the mask `busy` is free.
  static std::uint32_t free_of(std::uint64_t busy, std::uint32_t inside) {
    return static_cast<std::uint32_t>(~busy) & inside;
  }

  /// Takes up to `number` of the free cycles of a port within `inside`, the first eight cycles
  /// first. Returns how many it took.
  static int take(std::uint64_t& busy, std::uint32_t inside, int number) {
    std::uint32_t free = free_of(busy, inside);
    int left = number;
    for (int first = 0; free != 0; first += PortSlots::kCycles) {
      const auto part = static_cast<std::uint8_t>(free);
      const int taken = std::min(left, std::popcount(part));
      busy |= std::uint64_t{PortSlots::choose(part, taken)} << first;
      left -= taken;
      if (left == 0) break;
      free >>= PortSlots::kCycles;
    }
    return number - left;
  }

  /// Bit i of a mask is cycle now_ + i.
  void move_to(Cycle now) {
    const Cycle step = now - now_;
    if (step == 0) return;
    now_ = now;
    const std::size_t masks = banks_ * ports_;
    for (std::size_t i = 0; i < masks; ++i) busy_[i] = step < 64 ? busy_[i] >> step : 0;
  }

  std::size_t banks_;
  std::size_t ports_;
  Cycle now_ = 0;
  std::array<std::uint64_t, kMaxPorts * kMaxRegisterBanks> busy_{};  ///< ports of bank 0 first
};

}  // namespace tcsim::sm
