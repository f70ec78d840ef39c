#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "models/dram/command.hpp"
#include "models/dram/request.hpp"
#include "models/dram/timing.hpp"

namespace tcsim::dram {

/// The banks that a constraint affects, relative to the bank that received the preceding command.
enum class Scope : std::uint8_t { kBank, kBankGroup, kOtherStackIds, kChannel };

/// After a command of `preceding`, no command of `following` may issue to a bank in `scope` for
/// `delay` clocks. With `window` = w > 1 the delay counts from the w-th last such command: at most
/// w of them fit into `delay`.
struct Constraint {
  Scope scope;
  CommandSet preceding;
  CommandSet following;
  Cycle delay;
  int window;
};

/// All regular constraints of a channel, one row each.
std::vector<Constraint> constraint_table(const DramTiming& timing);

/// Computes from the commands issued so far when each command may next issue to each bank. Banks
/// are numbered bank_group * banks_per_group + bank; those of a stack ID are consecutive. It does
/// not track open rows.
class CommandClock {
 public:
  CommandClock(const std::vector<Constraint>& table, int bank_groups, int banks_per_group,
               int stack_ids = 1);

  /// First clock at which no constraint forbids `command` to `dram_bank`.
  [[nodiscard]] Cycle earliest(Command command, int dram_bank) const {
    const Limits& limits = limits_of(command);
    return std::max({limits.banks[static_cast<std::size_t>(dram_bank)],
                     limits.groups[group_of(dram_bank)], limits.stacks[stack_of(dram_bank)],
                     limits.channel});
  }
  /// The part of earliest() that is the same for all banks.
  [[nodiscard]] Cycle of_channel(Command command) const { return limits_of(command).channel; }
  /// The subset of `banks` that must wait beyond `now` because of commands to the bank itself, its
  /// group or another stack ID. `now` must not decrease between calls.
  [[nodiscard]] BankSet late(Command command, BankSet banks, Cycle now) {
    Limits& limits = limits_[static_cast<std::size_t>(command)];
    for (BankSet rest = banks & limits.late; rest != 0; rest &= rest - 1)
      if (limits.banks[static_cast<std::size_t>(std::countr_zero(rest))] <= now)
        limits.late &= ~(rest & -rest);
    for (BankSet rest = banks & limits.late_groups; rest != 0;) {
      const int first = std::countr_zero(rest);
      const BankSet group = group_mask_ << (first >> group_shift_ << group_shift_);
      if (std::max(limits.groups[group_of(first)], limits.stacks[stack_of(first)]) <= now)
        limits.late_groups &= ~group;
      rest &= ~group;
    }
    return banks & (limits.late | limits.late_groups);
  }
  /// The commands that `command` delays in banks other than its own.
  [[nodiscard]] CommandSet puts_off_elsewhere(Command command) const {
    return elsewhere_[static_cast<std::size_t>(command)];
  }

  /// Records that `command` issues to `dram_bank` at `now`. Requires now >= earliest(command,
  /// dram_bank).
  void issue(Command command, int dram_bank, Cycle now);

 private:
  /// When one command may next issue, by the commands in each scope.
  struct Limits {
    std::vector<Cycle> banks;
    std::vector<Cycle> groups;
    std::vector<Cycle> stacks;  ///< by stack ID
    Cycle channel = 0;
    BankSet late = 0;         ///< all banks whose own limit may still be in the future
    BankSet late_groups = 0;  ///< the same for the limits of their group and stack ID
  };
  /// One row of the table for one preceding and one following command, with the history for its
  /// window.
  struct Rule {
    Scope scope;
    Command following;
    Cycle delay;
    std::vector<Cycle> history;  ///< ring of the last `window` issue times; empty without one
    std::size_t oldest = 0;
  };

  [[nodiscard]] const Limits& limits_of(Command command) const {
    return limits_[static_cast<std::size_t>(command)];
  }
  [[nodiscard]] std::size_t group_of(int dram_bank) const {
    return static_cast<std::size_t>(dram_bank >> group_shift_);
  }
  [[nodiscard]] std::size_t stack_of(int dram_bank) const {
    return static_cast<std::size_t>(dram_bank >> stack_shift_);
  }
  void put_off(const Rule& rule, int dram_bank, Cycle until);

  int group_shift_;
  int stack_shift_;
  BankSet group_mask_;  ///< the banks of the first group
  BankSet stack_mask_;  ///< the banks of the first stack ID
  std::array<std::vector<Rule>, kCommandCount> rules_;
  std::array<CommandSet, kCommandCount> elsewhere_{};
  std::array<Limits, kCommandCount> limits_;
};

}  // namespace tcsim::dram
