#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Free cycles among eight, bit i for cycle i: how many there are, and which ones to take.
class PortSlots {
 public:
  static constexpr int kCycles = 8;

  static int count(std::uint8_t free) { return table().count[free]; }

  /// `number` of the `free` cycles, every other one first, so that a fragment read over many cycles
  /// leaves slots in each short window (assumption: HMMA reads pairs while other instructions go
  /// on). Requires number <= count(free).
  static std::uint8_t choose(std::uint8_t free, int number) {
    return table().chosen[free][static_cast<std::size_t>(number)];
  }

 private:
  struct Table {
    std::array<std::uint8_t, 256> count{};
    std::array<std::array<std::uint8_t, kCycles + 1>, 256> chosen{};
  };

  static constexpr Table make_table() {
    Table table;
    for (unsigned free = 0; free < 256; ++free) {
      int taken = 0;
      unsigned chosen = 0;
      for (const int cycle : {0, 2, 4, 6, 1, 3, 5, 7}) {
        if ((free >> cycle & 1) == 0) continue;
        chosen |= 1U << cycle;
        table.chosen[free][static_cast<std::size_t>(++taken)] = static_cast<std::uint8_t>(chosen);
      }
      table.count[free] = static_cast<std::uint8_t>(taken);
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
  /// Requires as many banks and ports as the schema allows, and windows of at most 32 cycles.
  explicit RegisterPorts(const RegisterFileParams& params)
      : banks_(static_cast<std::size_t>(params.banks)),
        ports_(static_cast<std::size_t>(params.read_ports_per_bank)) {
    assert(banks_ <= kMaxRegisterBanks && ports_ <= kMaxPorts);
  }

  /// True if `reads` (per bank) fit into the `window` cycles from `now` on. `now` must not go back.
  bool can_read(Cycle now, const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    move_to(now);
    const std::uint32_t inside = cycles_in(window);
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      int missing = reads[bank];
      for (std::size_t port = 0; port < ports_ && missing > 0; ++port)
        missing -= count(free_cycles(bank, port, inside));
      if (missing > 0) return false;
    }
    return true;
  }

  /// Takes the slots. Requires can_read(now, reads, window).
  void read(const std::array<std::uint8_t, kMaxRegisterBanks>& reads, int window) {
    const std::uint32_t inside = cycles_in(window);
    for (std::size_t bank = 0; bank < banks_; ++bank) {
      int left = reads[bank];
      for (std::size_t port = 0; port < ports_ && left > 0; ++port) {
        const std::uint32_t free = free_cycles(bank, port, inside);
        for (int first = 0; first < window && left > 0; first += PortSlots::kCycles) {
          const auto part = static_cast<std::uint8_t>(free >> first);
          const int taken = std::min(left, PortSlots::count(part));
          busy_[bank][port] |= std::uint64_t{PortSlots::choose(part, taken)} << first;
          left -= taken;
        }
      }
    }
  }

 private:
  static constexpr int kMaxPorts = 4;

  static std::uint32_t cycles_in(int window) {
    return static_cast<std::uint32_t>((std::uint64_t{1} << window) - 1);
  }
  /// Those of the cycles `inside`, from now_ on, in which the port is free.
  std::uint32_t free_cycles(std::size_t bank, std::size_t port, std::uint32_t inside) const {
    return static_cast<std::uint32_t>(~busy_[bank][port]) & inside;
  }
  static int count(std::uint32_t free) {
    int cycles = PortSlots::count(static_cast<std::uint8_t>(free));
    while ((free >>= PortSlots::kCycles) != 0)
      cycles += PortSlots::count(static_cast<std::uint8_t>(free));
    return cycles;
  }

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
