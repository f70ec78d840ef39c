#pragma once

#include <memory>
#include <vector>

#include "models/dram/channel.hpp"
#include "tests/dram/plain_scheduling.hpp"
#include "tests/dram/probe.hpp"

namespace tcsim::dram::test {

/// A second channel, written to be simple: in every clock it looks at every waiting request, and
/// decides whether a command is legal by comparing it with each command of the recent past. It
/// shares the types, the address mapping and the figures of turns with Channel, but no mechanism.
class NaiveChannel {
 public:
  NaiveChannel(const DramTiming& timing, const DramParams& params);

  bool can_accept() const { return static_cast<int>(waiting_.size()) < params_.queue_entries; }
  void push(Cycle now, const Burst& burst);
  /// Executes one clock; clocks must be passed in order, without gaps.
  void tick(Cycle now);

  const std::vector<Issued>& commands() const { return commands_; }
  const std::vector<Completion>& done() const { return done_; }

 private:
  struct Waiting {
    Burst burst;
    Location place;
    Cycle arrival;
    std::uint64_t age;
  };

  int banks() const { return params_.bank_groups * params_.banks_per_group; }
  int group(int dram_bank) const { return dram_bank / params_.banks_per_group; }
  int stack_id(int dram_bank) const {
    return group(dram_bank) * params_.stack_ids / params_.bank_groups;
  }
  bool is_open(int dram_bank) const { return open_rows_[dram_bank] >= 0; }
  Cycle gap(const Issued& before, Command command, int dram_bank) const;
  bool is_legal(Command command, int dram_bank, Cycle now) const;
  /// Oldest visible request of the bank and direction, or of the direction when the bank is -1;
  /// null when none.
  const Waiting* oldest(int dram_bank, bool write, Cycle now) const;
  int count(bool write, Cycle now) const;
  /// What the policy serves next in the bank and direction; null when nothing waits.
  const Waiting* next(int dram_bank, bool write, Cycle now) const;
  bool is_hit(const Waiting& request) const;
  bool precedes(const Waiting& left, const Waiting& right) const;
  void look(Cycle now);
  void update_turn(Cycle now);
  const Waiting* choose_column(Cycle now) const;
  const Waiting* choose_row(Cycle now) const;
  void issue(Command command, int dram_bank, std::int64_t row, Cycle now);
  void serve(std::uint64_t age, Cycle now);

  const DramTiming timing_;
  const DramParams params_;
  const AddressMappings mapping_;
  const std::unique_ptr<PlainScheduling> scheduling_;
  std::vector<Waiting> waiting_;  ///< in order of age
  std::vector<std::int64_t> open_rows_;
  std::vector<int> bypassed_[2];
  std::uint64_t pushed_ = 0;
  bool writing_ = false;
  int quota_ = 0;
  std::uint64_t left_age_[2] = {0, 0};
  int turns_missed_[2] = {0, 0};
  Cycle refreshes_ = 0;
  bool refresh_due_ = false;
  std::vector<Issued> commands_;
  std::vector<Completion> done_;
};

}  // namespace tcsim::dram::test
