#include "models/dram/constraints.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tcsim::dram {
namespace {

constexpr Command kAct = Command::kActivate;
constexpr Command kPre = Command::kPrecharge;
constexpr Command kRd = Command::kRead;
constexpr Command kWr = Command::kWrite;
constexpr Command kRef = Command::kRefresh;
constexpr int kFawActivates = 4;  // the F of tFAW

}  // namespace

std::vector<Constraint> constraint_table(const DramTiming& t) {
  const Cycle write_data_end = t.cwl_clocks + t.burst_clocks;
  constexpr auto kOnly = command_set;
  return {
      {Scope::kBank, kOnly(kAct), kOnly(kRd), t.rcd_read_clocks, 1},
      {Scope::kBank, kOnly(kAct), kOnly(kWr), t.rcd_write_clocks, 1},
      {Scope::kBank, kOnly(kAct), kOnly(kPre), t.ras_clocks, 1},
      {Scope::kBank, kOnly(kRd), kOnly(kPre), t.rtp_clocks, 1},
      {Scope::kBank, kOnly(kWr), kOnly(kPre), write_data_end + t.wr_clocks, 1},
      {Scope::kBank, kOnly(kPre), kAct | kRef, t.rp_clocks, 1},
      {Scope::kBank, kOnly(kRef), kAct | kRef, t.rfc_clocks, 1},
      {Scope::kBankGroup, kOnly(kRd), kOnly(kRd), t.ccd_l_clocks, 1},
      {Scope::kBankGroup, kOnly(kWr), kOnly(kWr), t.ccd_l_clocks, 1},
      {Scope::kBankGroup, kOnly(kWr), kOnly(kRd), write_data_end + t.wtr_l_clocks, 1},
      {Scope::kOtherStackIds, kOnly(kRd), kOnly(kRd), t.ccd_r_clocks, 1},
      {Scope::kChannel, kOnly(kRd), kOnly(kRd), t.ccd_s_clocks, 1},
      {Scope::kChannel, kOnly(kWr), kOnly(kWr), t.ccd_s_clocks, 1},
      {Scope::kChannel, kOnly(kRd), kOnly(kWr), t.rtw_clocks, 1},
      {Scope::kChannel, kOnly(kWr), kOnly(kRd), write_data_end + t.wtr_s_clocks, 1},
      {Scope::kChannel, kOnly(kAct), kOnly(kAct), t.rrd_clocks, 1},
      {Scope::kChannel, kOnly(kAct), kOnly(kAct), t.faw_clocks, kFawActivates},
  };
}

CommandClock::CommandClock(const std::vector<Constraint>& table, int bank_groups,
                           int banks_per_group, int stack_ids)
    : group_shift_(std::countr_zero(static_cast<unsigned>(banks_per_group))),
      stack_shift_(
          std::countr_zero(static_cast<unsigned>(bank_groups * banks_per_group / stack_ids))),
      banks_(static_cast<std::size_t>(bank_groups * banks_per_group)),
      groups_(static_cast<std::size_t>(bank_groups)),
      stacks_(static_cast<std::size_t>(stack_ids)) {
  for (const Constraint& row : table) {
    // A window is kept once, so only the scope of which there is one can have it.
    assert(row.window == 1 || row.scope == Scope::kChannel);
    for (int c = 0; c < kCommandCount; ++c) {
      if (!contains(row.preceding, static_cast<Command>(c))) continue;
      Rule rule{row.scope, row.following, row.delay, {}};
      if (row.window > 1) rule.history.assign(static_cast<std::size_t>(row.window), -kNever);
      rules_[static_cast<std::size_t>(c)].push_back(std::move(rule));
    }
  }
}

CommandClock::Earliest& CommandClock::scope_of(Scope scope, int dram_bank) {
  switch (scope) {
    case Scope::kBank:
      return banks_[static_cast<std::size_t>(dram_bank)];
    case Scope::kBankGroup:
      return groups_[static_cast<std::size_t>(dram_bank >> group_shift_)];
    case Scope::kOtherStackIds:  // several, which issue() goes through
    case Scope::kChannel:
      break;
  }
  return channel_;
}

void CommandClock::issue(Command command, int dram_bank, Cycle now) {
  assert(now >= earliest(command, dram_bank));
  for (Rule& rule : rules_[static_cast<std::size_t>(command)]) {
    Cycle from = now;
    if (!rule.history.empty()) {
      rule.history[rule.oldest] = now;
      rule.oldest = rule.oldest + 1 == rule.history.size() ? 0 : rule.oldest + 1;
      from = rule.history[rule.oldest];
    }
    if (rule.scope != Scope::kOtherStackIds) {
      forbid(scope_of(rule.scope, dram_bank), rule.following, from + rule.delay);
      continue;
    }
    const auto own = static_cast<std::size_t>(dram_bank >> stack_shift_);
    for (std::size_t id = 0; id < stacks_.size(); ++id)
      if (id != own) forbid(stacks_[id], rule.following, from + rule.delay);
  }
}

void CommandClock::forbid(Earliest& earliest, CommandSet commands, Cycle until) {
  for (unsigned set = commands; set != 0; set &= set - 1) {
    Cycle& allowed = earliest[static_cast<std::size_t>(std::countr_zero(set))];
    allowed = std::max(allowed, until);
  }
}

}  // namespace tcsim::dram
