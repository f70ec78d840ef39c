#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/dram/command.hpp"
#include "models/dram/timing.hpp"

namespace tcsim::dram {

/// Which banks a constraint binds, seen from the bank that received the preceding command.
enum class Scope : std::uint8_t { kBank, kBankGroup, kOtherStackIds, kChannel };

/// After a command of `preceding`, none of `following` may issue to a bank of `scope` for `delay`
/// clocks. With `window` = w > 1 the delay counts from the w-th last such command: at most w of
/// them fit into `delay`.
struct Constraint {
  Scope scope;
  CommandSet preceding;
  CommandSet following;
  Cycle delay;
  int window;
};

/// All regular constraints of a channel, one row each.
std::vector<Constraint> constraint_table(const DramTiming& timing);

/// Knows, from the commands issued so far, when each command may next issue to each bank. Banks are
/// numbered bank_group * banks_per_group + bank, those of a stack ID one after the other. Whether a
/// row is open is not its business.
class CommandClock {
 public:
  CommandClock(const std::vector<Constraint>& table, int bank_groups, int banks_per_group,
               int stack_ids = 1);

  /// First clock at which no constraint forbids `command` to `dram_bank`.
  [[nodiscard]] Cycle earliest(Command command, int dram_bank) const {
    const auto c = static_cast<std::size_t>(command);
    const Cycle bank = banks_[static_cast<std::size_t>(dram_bank)][c];
    const Cycle group = groups_[static_cast<std::size_t>(dram_bank >> group_shift_)][c];
    const Cycle stack = stacks_[static_cast<std::size_t>(dram_bank >> stack_shift_)][c];
    const Cycle local = bank > group ? bank : group;
    const Cycle wide = stack > channel_[c] ? stack : channel_[c];
    return local > wide ? local : wide;
  }

  /// Records that `command` issues to `dram_bank` at `now`. Requires now >= earliest(command,
  /// dram_bank).
  void issue(Command command, int dram_bank, Cycle now);

 private:
  using Earliest = std::array<Cycle, kCommandCount>;
  /// One row of the table for one preceding command, with the history that its window needs.
  struct Rule {
    Scope scope;
    CommandSet following;
    Cycle delay;
    std::vector<Cycle> history;  ///< the last `window` issues as a ring; empty without a window
    std::size_t oldest = 0;
  };

  Earliest& scope_of(Scope scope, int dram_bank);
  static void forbid(Earliest& earliest, CommandSet commands, Cycle until);

  int group_shift_;
  int stack_shift_;
  std::array<std::vector<Rule>, kCommandCount> rules_;
  std::vector<Earliest> banks_;
  std::vector<Earliest> groups_;
  std::vector<Earliest> stacks_;  ///< by stack ID
  Earliest channel_{};
};

}  // namespace tcsim::dram
