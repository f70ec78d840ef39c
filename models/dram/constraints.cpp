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
constexpr int kFawActivates = 4;  // the F of tFAW: activates per window

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
      group_mask_(~BankSet{0} >> (kMaxBanks - banks_per_group)),
      stack_mask_(~BankSet{0} >> (kMaxBanks - bank_groups * banks_per_group / stack_ids)) {
  const auto groups = static_cast<std::size_t>(bank_groups);
  for (Limits& limits : limits_) {
    limits.banks.resize(groups * static_cast<std::size_t>(banks_per_group));
    limits.groups.resize(groups);
    limits.stacks.resize(static_cast<std::size_t>(stack_ids));
  }
  for (const Constraint& row : table) {
    // The history of a window exists once, so only the scope that exists once per channel can have
    // one.
    assert(row.window == 1 || row.scope == Scope::kChannel);
    for (std::size_t before = 0; before < kCommandCount; ++before) {
      if (!contains(row.preceding, static_cast<Command>(before))) continue;
      if (row.scope != Scope::kBank)
        elsewhere_[before] = static_cast<CommandSet>(elsewhere_[before] | row.following);
      for (std::size_t behind = 0; behind < kCommandCount; ++behind) {
        const auto following = static_cast<Command>(behind);
        if (!contains(row.following, following)) continue;
        Rule rule{row.scope, following, row.delay, {}};
        if (row.window > 1) rule.history.assign(static_cast<std::size_t>(row.window), -kNever);
        rules_[before].push_back(std::move(rule));
      }
    }
  }
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
    put_off(rule, dram_bank, from + rule.delay);
  }
}

void CommandClock::put_off(const Rule& rule, int dram_bank, Cycle until) {
  Limits& limits = limits_[static_cast<std::size_t>(rule.following)];
  const auto raise = [until](Cycle& limit) { limit = std::max(limit, until); };
  switch (rule.scope) {
    case Scope::kBank:
      limits.late |= bank_bit(dram_bank);
      return raise(limits.banks[static_cast<std::size_t>(dram_bank)]);
    case Scope::kBankGroup:
      limits.late_groups |= group_mask_ << (group_of(dram_bank) << group_shift_);
      return raise(limits.groups[group_of(dram_bank)]);
    case Scope::kOtherStackIds:
      for (std::size_t id = 0; id < limits.stacks.size(); ++id) {
        if (id == stack_of(dram_bank)) continue;
        limits.late_groups |= stack_mask_ << (id << stack_shift_);
        raise(limits.stacks[id]);
      }
      return;
    case Scope::kChannel:
      return raise(limits.channel);
  }
}

}  // namespace tcsim::dram
