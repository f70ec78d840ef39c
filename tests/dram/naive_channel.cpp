#include "tests/dram/naive_channel.hpp"

#include <algorithm>

namespace tcsim::dram::test {
namespace {

constexpr Cycle kMemory =
    1000;  // clocks after which no command matters any more, in all machines of the tests

PlainRequest plain(const Burst& burst, const Location& place, std::uint64_t age) {
  return {age, place.row, place.dram_bank, burst.write, burst.source};
}

bool is_column(Command command) { return command == Command::kRead || command == Command::kWrite; }

}  // namespace

NaiveChannel::NaiveChannel(const DramTiming& timing, const DramParams& params)
    : timing_(timing),
      params_(params),
      mapping_(params.address_mapping, params),
      scheduling_(plain_schedulings().at(params.scheduling)(params.row_hit_cap)),
      open_rows_(banks(), -1) {
  bypassed_[0].assign(banks(), 0);
  bypassed_[1].assign(banks(), 0);
}

void NaiveChannel::push(Cycle now, const Burst& burst) {
  const Location place =
      mapping_.visit([&](const auto& mapping) { return mapping.locate(burst.address); });
  waiting_.push_back({burst, place, now, pushed_++});
}

/// Least distance between the two commands by their pair alone; 0 when nothing relates them.
Cycle NaiveChannel::gap(const Issued& before, Command command, int dram_bank) const {
  const bool same_bank = before.dram_bank == dram_bank;
  const bool same_group = group(before.dram_bank) == group(dram_bank);
  if (is_column(before.command) && is_column(command)) {
    if (before.command == Command::kRead && command == Command::kRead &&
        stack_id(before.dram_bank) != stack_id(dram_bank))
      return timing_.ccd_r_clocks;
    if (before.command == command) return same_group ? timing_.ccd_l_clocks : timing_.ccd_s_clocks;
    if (before.command == Command::kRead) return timing_.rtw_clocks;
    return timing_.cwl_clocks + timing_.burst_clocks +
           (same_group ? timing_.wtr_l_clocks : timing_.wtr_s_clocks);
  }
  if (!same_bank) {
    const bool activates = before.command == Command::kActivate && command == Command::kActivate;
    return activates ? timing_.rrd_clocks : 0;
  }
  const bool opens = command == Command::kActivate || command == Command::kRefresh;
  switch (before.command) {
    case Command::kActivate:
      if (command == Command::kRead) return timing_.rcd_read_clocks;
      if (command == Command::kWrite) return timing_.rcd_write_clocks;
      return command == Command::kPrecharge ? timing_.ras_clocks : timing_.rrd_clocks;
    case Command::kPrecharge:
      return opens ? timing_.rp_clocks : 0;
    case Command::kRefresh:
      return opens ? timing_.rfc_clocks : 0;
    case Command::kRead:
      return command == Command::kPrecharge ? timing_.rtp_clocks : 0;
    case Command::kWrite:
      return command == Command::kPrecharge
                 ? timing_.cwl_clocks + timing_.burst_clocks + timing_.wr_clocks
                 : 0;
  }
  return 0;
}

bool NaiveChannel::is_legal(Command command, int dram_bank, Cycle now) const {
  int activates_in_window = 0;
  for (auto before = commands_.rbegin(); before != commands_.rend(); ++before) {
    const Cycle since = now - before->at;
    if (since > kMemory) break;
    if (since < gap(*before, command, dram_bank)) return false;
    if (before->command == Command::kActivate && since < timing_.faw_clocks) ++activates_in_window;
  }
  return command != Command::kActivate || activates_in_window < 4;
}

const NaiveChannel::Waiting* NaiveChannel::oldest(int dram_bank, bool write, Cycle now) const {
  for (const Waiting& request : waiting_) {
    if (request.arrival <= now && request.burst.write == write &&
        (dram_bank < 0 || request.place.dram_bank == dram_bank)) {
      return &request;
    }
  }
  return nullptr;
}

int NaiveChannel::count(bool write, Cycle now) const {
  return static_cast<int>(
      std::count_if(waiting_.begin(), waiting_.end(), [&](const Waiting& request) {
        return request.arrival <= now && request.burst.write == write;
      }));
}

bool NaiveChannel::is_hit(const Waiting& request) const {
  return open_rows_[request.place.dram_bank] == request.place.row;
}

const NaiveChannel::Waiting* NaiveChannel::next(int dram_bank, bool write, Cycle now) const {
  std::vector<PlainRequest> requests;
  for (const Waiting& each : waiting_)
    if (each.arrival <= now && each.burst.write == write && each.place.dram_bank == dram_bank)
      requests.push_back(plain(each.burst, each.place, each.age));
  if (requests.empty()) return nullptr;
  const std::uint64_t age =
      scheduling_->next(requests, open_rows_[dram_bank], bypassed_[write][dram_bank]).age;
  return &*std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Waiting& each) { return each.age == age; });
}

bool NaiveChannel::precedes(const Waiting& left, const Waiting& right) const {
  return scheduling_->precedes(plain(left.burst, left.place, left.age),
                               plain(right.burst, right.place, right.age));
}

void NaiveChannel::look(Cycle now) {
  std::vector<PlainRequest> requests;
  for (const Waiting& each : waiting_)
    if (each.arrival <= now) requests.push_back(plain(each.burst, each.place, each.age));
  scheduling_->look(requests);
}

void NaiveChannel::update_turn(Cycle now) {
  const int mine = count(writing_, now);
  const int theirs = count(!writing_, now);
  const int low = params_.queue_entries * params_.write_low_watermark_percent / 100;
  const int high =
      std::max(low + 1, params_.queue_entries * params_.write_high_watermark_percent / 100);
  if (theirs == 0) return;
  if (mine > 0) {
    if (quota_ > 0) return;
    if (!writing_ && theirs < high && quota_ > -Turn::kReadsPerTurn) return;
    const std::uint64_t age = oldest(-1, writing_, now)->age;
    if (age == left_age_[writing_] && turns_missed_[writing_] >= Turn::kMissedTurnsCap) return;
    turns_missed_[writing_] = age == left_age_[writing_] ? turns_missed_[writing_] + 1 : 0;
    left_age_[writing_] = age;
  } else {
    turns_missed_[writing_] = 0;
    left_age_[writing_] = 0;
  }
  writing_ = !writing_;
  if (!writing_ || (theirs <= low && mine > 0)) {
    quota_ = theirs;
  } else {
    quota_ = std::max(0, theirs - low);
  }
}

const NaiveChannel::Waiting* NaiveChannel::choose_column(Cycle now) const {
  const Command command = writing_ ? Command::kWrite : Command::kRead;
  const Waiting* best = nullptr;
  for (int dram_bank = 0; dram_bank < banks(); ++dram_bank) {
    if (refresh_due_ && dram_bank == refreshes_ % banks()) continue;
    const Waiting* request = next(dram_bank, writing_, now);
    if (request == nullptr || !is_hit(*request) || !is_legal(command, dram_bank, now)) continue;
    if (best == nullptr || precedes(*request, *best)) best = request;
  }
  return best;
}

/// The request on whose behalf a row command issues.
const NaiveChannel::Waiting* NaiveChannel::choose_row(Cycle now) const {
  const Waiting* best = nullptr;
  for (const bool write : {writing_, !writing_}) {
    for (int dram_bank = 0; dram_bank < banks(); ++dram_bank) {
      if (refresh_due_ && dram_bank == refreshes_ % banks()) continue;
      if (write != writing_ && oldest(dram_bank, writing_, now) != nullptr) continue;
      const Waiting* request = next(dram_bank, write, now);
      if (request == nullptr || is_hit(*request)) continue;
      const Command command = is_open(dram_bank) ? Command::kPrecharge : Command::kActivate;
      if (!is_legal(command, dram_bank, now)) continue;
      if (best == nullptr || precedes(*request, *best)) best = request;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

void NaiveChannel::issue(Command command, int dram_bank, std::int64_t row, Cycle now) {
  commands_.push_back({now, command, dram_bank, row});
}

void NaiveChannel::serve(std::uint64_t age, Cycle now) {
  const auto request = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiting& each) { return each.age == age; });
  const Burst burst = request->burst;
  const Location place = request->place;
  const bool was_oldest = oldest(place.dram_bank, burst.write, now) == &*request;
  int& bypassed = bypassed_[burst.write][place.dram_bank];
  bypassed = was_oldest ? 0 : bypassed + 1;
  waiting_.erase(request);
  --quota_;
  issue(burst.write ? Command::kWrite : Command::kRead, place.dram_bank, place.row, now);
  const Cycle latency = burst.write ? timing_.cwl_clocks : timing_.cl_clocks;
  done_.push_back({burst.tag, now + latency + timing_.burst_clocks, burst.write});
}

void NaiveChannel::tick(Cycle now) {
  if ((refreshes_ + 1) * timing_.refi_clocks / banks() <= now) refresh_due_ = true;
  look(now);
  update_turn(now);
  const Waiting* column = choose_column(now);
  const int refresh_bank = static_cast<int>(refreshes_ % banks());
  const Command for_refresh = is_open(refresh_bank) ? Command::kPrecharge : Command::kRefresh;
  const bool refreshes = refresh_due_ && is_legal(for_refresh, refresh_bank, now);
  const Waiting* row = refreshes ? nullptr : choose_row(now);
  const Location row_place = row != nullptr ? row->place : Location{refresh_bank, -1, 0};
  if (column != nullptr) serve(column->age, now);
  if (refreshes && for_refresh == Command::kRefresh) {
    issue(Command::kRefresh, refresh_bank, -1, now);
    refresh_due_ = false;
    ++refreshes_;
  } else if (refreshes || row != nullptr) {
    const int dram_bank = row_place.dram_bank;
    if (is_open(dram_bank)) {
      issue(Command::kPrecharge, dram_bank, open_rows_[dram_bank], now);
      open_rows_[dram_bank] = -1;
    } else {
      issue(Command::kActivate, dram_bank, row_place.row, now);
      open_rows_[dram_bank] = row_place.row;
    }
  }
  if (column != nullptr) {
    look(now);
    update_turn(now);
  }
}

}  // namespace tcsim::dram::test
