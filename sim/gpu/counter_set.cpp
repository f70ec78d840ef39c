#include "sim/gpu/counter_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tcsim::gpu {
namespace {

constexpr std::array kExact{"cycles_issued", "warp_instructions", "mma_instructions",
                            "tensor_macs"};

}  // namespace

CounterSet::CounterSet(const stats::Group& root) {
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
    if (name == "warp_instructions") sub_core.instructions = counters_.size();
    if (name == "mma_instructions") sub_core.mmas = counters_.size();
    if (name == "tensor_macs") sub_core.macs = counters_.size();
    if (name == "l2_writeback_bytes") writebacks_.push_back(counters_.size());
    if (group.name().starts_with("channel[")) {
      if (name == "read_bytes") dram_reads_.push_back(counters_.size());
      if (name == "write_bytes") dram_writes_.push_back(counters_.size());
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
    const std::uint64_t others = sum - largest->value();
    if (others > static_cast<std::uint64_t>(cycles))
      throw std::logic_error("a sub-core of a sampled run has counted more cycles than it took");
    largest->reset();
    largest->add(static_cast<std::uint64_t>(cycles) - others);
  }
}

}  // namespace tcsim::gpu
