#include "sim/gpu/counter_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace tcsim::gpu {
namespace {

constexpr std::array kExact{"cycles_issued", "warp_instructions", "mma_instructions",
                            "tensor_macs"};
/// What channels count as they read, besides the reads.
constexpr std::array kOfReads{"activates",  "precharges",    "row_hits",
                              "row_misses", "row_conflicts", "data_bus_busy_clocks"};

}  // namespace

CounterSet::CounterSet(const stats::Group& root, std::uint64_t burst_bytes)
    : burst_bytes_(burst_bytes) {
  std::map<std::string, std::size_t> numbers;
  collect(root, numbers);
  kinds_.resize(numbers.size());
  for (const auto& [name, number] : numbers) kinds_[number] = name;
  for (const std::string& kind : kinds_)
    is_exact_.push_back(std::ranges::any_of(
        kExact, [&kind](const char* name) { return kind == std::string("sub_core.") + name; }));
}

/// `numbers` are those of the kinds so far.
void CounterSet::collect(const stats::Group& group, std::map<std::string, std::size_t>& numbers) {
  SubCore sub_core;
  const std::string scope = group.name().substr(0, group.name().find('[')) + ".";
  for (stats::Counter* const counter : group.counters()) {
    const std::string_view name = counter->name();
    if (name.starts_with("cycles_")) sub_core.cycles.push_back(counters_.size());
    if (name == "cycles_issued") sub_core.issued = counters_.size();
    if (name == "cycles_no_warp") sub_core.no_warp = counters_.size();
    if (name == "warp_instructions") sub_core.instructions = counters_.size();
    if (name == "mma_instructions") sub_core.mmas = counters_.size();
    if (name == "tensor_macs") sub_core.macs = counters_.size();
    if (name == "l2_writeback_bytes") writebacks_.push_back(counters_.size());
    if (group.name().starts_with("channel[")) {
      if (name == "read_bytes") dram_reads_.push_back(counters_.size());
      if (name == "reads") read_bursts_.push_back(counters_.size());
      if (std::ranges::find(kOfReads, name) != kOfReads.end())
        of_reads_.push_back(counters_.size());
      if (name == "write_bytes") dram_writes_.push_back(counters_.size());
      if (name == "writes") write_bursts_.push_back(counters_.size());
    }
    kind_of_.push_back(
        numbers.try_emplace(scope + std::string(counter->name()), numbers.size()).first->second);
    counters_.push_back(counter);
  }
  if (!sub_core.cycles.empty()) sub_cores_.push_back(std::move(sub_core));
  for (const stats::Group* const child : group.children()) collect(*child, numbers);
}

CounterSet::Values CounterSet::read() const {
  Values values(counters_.size());
  std::ranges::transform(counters_, values.begin(), &stats::Counter::value);
  return values;
}

std::uint64_t CounterSet::instructions(const Values& values) const {
  std::uint64_t sum = 0;
  for (const SubCore& sub_core : sub_cores_) sum += values[sub_core.instructions];
  return sum;
}

std::uint64_t CounterSet::dram_bytes(const Values& values) const {
  std::uint64_t sum = 0;
  for (const std::vector<std::size_t>* const counters : {&dram_reads_, &dram_writes_})
    for (const std::size_t counter : *counters) sum += values[counter];
  return sum;
}

std::vector<std::size_t> CounterSet::cycles_without_warp(const std::vector<double>& each) const {
  std::vector<std::size_t> counters;
  for (const SubCore& sub_core : sub_cores_)
    if (each[sub_core.instructions] == 0) counters.push_back(sub_core.no_warp);
  return counters;
}

void CounterSet::add(const Values& amounts) const {
  for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i]->add(amounts[i]);
}

void CounterSet::put(std::size_t sub_core, const sm::IssuedWork& issued, Values& amounts) const {
  const SubCore& counters = sub_cores_[sub_core];
  amounts[counters.issued] = static_cast<std::uint64_t>(issued.instructions);
  amounts[counters.instructions] = amounts[counters.issued];
  amounts[counters.mmas] = static_cast<std::uint64_t>(issued.mmas);
  amounts[counters.macs] = static_cast<std::uint64_t>(issued.macs);
}

void CounterSet::put_total(const sm::IssuedWork& issued, Values& amounts) const {
  const auto scale = [&](std::size_t SubCore::*which, std::int64_t total) {
    double sum = 0;
    for (const SubCore& each : sub_cores_) sum += static_cast<double>(amounts[each.*which]);
    if (sum == 0) return;
    double wanted = 0;  // so far
    std::uint64_t given = 0;
    for (const SubCore& each : sub_cores_) {
      std::uint64_t& amount = amounts[each.*which];
      wanted += static_cast<double>(amount) / sum * static_cast<double>(total);
      amount = static_cast<std::uint64_t>(std::llround(wanted)) - given;
      given += amount;
    }
  };
  scale(&SubCore::instructions, issued.instructions);
  scale(&SubCore::mmas, issued.mmas);
  scale(&SubCore::macs, issued.macs);
  for (const SubCore& each : sub_cores_) amounts[each.issued] = amounts[each.instructions];
}

void CounterSet::put_reads(double bytes, Values& amounts) const {
  double estimated = 0;
  for (const std::size_t counter : dram_reads_) estimated += static_cast<double>(amounts[counter]);
  const double share = estimated > 0 ? bytes / estimated : 0;
  const auto scaled = [share](std::uint64_t amount) {
    return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(amount)));
  };
  if (estimated > 0)
    for (const std::size_t counter : of_reads_) amounts[counter] = scaled(amounts[counter]);
  const double each = bytes / static_cast<double>(dram_reads_.size());
  for (std::size_t i = 0; i < dram_reads_.size(); ++i) {
    const std::uint64_t read = estimated > 0 ? scaled(amounts[dram_reads_[i]])
                                             : static_cast<std::uint64_t>(std::llround(each));
    amounts[read_bursts_[i]] = read / burst_bytes_;
    amounts[dram_reads_[i]] = amounts[read_bursts_[i]] * burst_bytes_;
  }
}

void CounterSet::put_writebacks(std::int64_t bytes, bool only, Values& amounts) const {
  // Lines are spread evenly.
  const auto spread = [&](std::int64_t whole, const std::vector<std::size_t>& counters) {
    const auto places = static_cast<std::int64_t>(counters.size());
    for (std::int64_t i = 0; i < places; ++i) {
      std::uint64_t& amount = amounts[counters[static_cast<std::size_t>(i)]];
      const std::int64_t sum = (only ? 0 : static_cast<std::int64_t>(amount)) +
                               whole * (i + 1) / places - whole * i / places;
      amount = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
    }
  };
  spread(bytes, writebacks_);
  spread(bytes / static_cast<std::int64_t>(burst_bytes_), write_bursts_);
  for (std::size_t i = 0; i < dram_writes_.size(); ++i)
    amounts[dram_writes_[i]] = amounts[write_bursts_[i]] * burst_bytes_;
}

void CounterSet::complete_cycles(Cycle cycles) const {
  for (const SubCore& sub_core : sub_cores_) {
    std::vector<stats::Counter*> by_size;
    std::uint64_t sum = 0;
    for (const std::size_t reason : sub_core.cycles) {
      by_size.push_back(counters_[reason]);
      sum += counters_[reason]->value();
    }
    const stats::Counter* const issued = counters_[sub_core.issued];
    std::ranges::stable_sort(by_size, std::ranges::greater(), [issued](const auto* counter) {
      return std::pair(counter != issued, counter->value());
    });
    const auto wanted = static_cast<std::uint64_t>(cycles);
    if (sum < wanted) by_size.front()->add(wanted - sum);
    for (auto largest = by_size.begin(); sum > wanted; ++largest) {
      const std::uint64_t value = (*largest)->value();
      const std::uint64_t taken = std::min(value, sum - wanted);
      (*largest)->reset();
      (*largest)->add(value - taken);
      sum -= taken;
    }
  }
}

}  // namespace tcsim::gpu
