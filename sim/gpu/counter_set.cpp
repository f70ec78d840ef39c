#include "sim/gpu/counter_set.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace tcsim::gpu {

CounterSet::CounterSet(const stats::Group& root) { collect(root); }

void CounterSet::collect(const stats::Group& group) {
  SubCore sub_core;
  for (stats::Counter* const counter : group.counters()) {
    const std::string_view name = counter->name();
    if (name.starts_with("cycles_")) sub_core.cycles.push_back(counters_.size());
    if (name == "cycles_issued") sub_core.issued = counters_.size();
    if (name == "warp_instructions") sub_core.instructions = counters_.size();
    if (name == "mma_instructions") sub_core.mmas = counters_.size();
    if (name == "tensor_macs") sub_core.macs = counters_.size();
    if (name == "l2_writeback_bytes") writebacks_.push_back(counters_.size());
    if (name == "write_bytes" && group.name().starts_with("channel["))
      dram_writes_.push_back(counters_.size());
    counters_.push_back(counter);
  }
  if (!sub_core.cycles.empty()) sub_cores_.push_back(std::move(sub_core));
  for (const stats::Group* const child : group.children()) collect(*child);
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

void CounterSet::put_writebacks(std::uint64_t bytes, bool only, Values& amounts) const {
  for (const std::vector<std::size_t>* const counters : {&writebacks_, &dram_writes_}) {
    const std::uint64_t places = counters->size();
    for (std::uint64_t i = 0; i < places; ++i) {  // lines are spread evenly
      std::uint64_t& amount = amounts[(*counters)[i]];
      amount = (only ? 0 : amount) + bytes * (i + 1) / places - bytes * i / places;
    }
  }
}

void CounterSet::complete_cycles(Cycle cycles) const {
  for (const SubCore& sub_core : sub_cores_) {
    std::uint64_t sum = 0;
    stats::Counter* largest = counters_[sub_core.cycles.front()];
    for (const std::size_t kind : sub_core.cycles) {
      sum += counters_[kind]->value();
      if (counters_[kind]->value() > largest->value()) largest = counters_[kind];
    }
    const std::uint64_t rest = largest->value() + static_cast<std::uint64_t>(cycles) - sum;
    largest->reset();
    largest->add(rest);
  }
}

}  // namespace tcsim::gpu
