#include "sim/gpu/activity.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tcsim::gpu {
namespace {

struct Row {
  std::string_view group;
  std::string_view counter;
  std::uint64_t ActivityTotals::*total;
  Side side;
};

constexpr std::array kRows{
    Row{"sub_core", "tensor_issue_slots_used", &ActivityTotals::tensor_issue_slots, Side::kSms},
    Row{"sub_core", "tensor_macs", &ActivityTotals::tensor_macs, Side::kSms},
    Row{"sub_core", "fma_slots_used", &ActivityTotals::fma_slots, Side::kSms},
    Row{"sub_core", "cycles_issued", &ActivityTotals::cycles_issued, Side::kSms},
    Row{"memory_pipeline", "memory_pipeline_busy_cycles", &ActivityTotals::sm_memory_cycles,
        Side::kSms},
    Row{"l2_slice", "l2_read_bytes", &ActivityTotals::l2_read_bytes, Side::kL2},
    Row{"l2_slice", "l2_write_bytes", &ActivityTotals::l2_write_bytes, Side::kL2},
    Row{"l2_slice", "l2_writeback_bytes", &ActivityTotals::l2_writeback_bytes, Side::kL2},
    Row{"channel", "read_bytes", &ActivityTotals::dram_read_bytes, Side::kChannels},
    Row{"channel", "write_bytes", &ActivityTotals::dram_write_bytes, Side::kChannels},
};

}  // namespace

ActivityTotals operator-(const ActivityTotals& after, const ActivityTotals& before) {
  ActivityTotals difference;
  for (const Row& row : kRows) difference.*row.total = after.*row.total - before.*row.total;
  return difference;
}

ActivityProbe::ActivityProbe(const stats::Group& root) { add(root); }

void ActivityProbe::add(const stats::Group& group) {
  const std::string_view name = group.name();
  const std::string_view kind = name.substr(0, name.find('['));
  for (const stats::Counter* counter : group.counters()) {
    for (const Row& row : kRows) {
      if (row.group == kind && row.counter == counter->name())
        sources_.push_back({counter, row.total, row.side});
    }
  }
  for (const stats::Group* child : group.children()) add(*child);
}

ActivityTotals ActivityProbe::read() const {
  ActivityTotals totals;
  for (const Source& source : sources_) totals.*source.total += source.counter->value();
  return totals;
}

void ActivityProbe::read(Side side, ActivityTotals& totals) const {
  for (const Row& row : kRows)
    if (row.side == side) totals.*row.total = 0;
  for (const Source& source : sources_)
    if (source.side == side) totals.*source.total += source.counter->value();
}

ActivityTotals* ActivityLog::find(Cycle at) {
  const auto found = std::ranges::lower_bound(samples_, at, {}, &ActivitySample::at);
  return found != samples_.end() && found->at == at ? &found->totals : nullptr;
}

void ActivityLog::add(const ActivitySample& sample) {
  samples_.push_back(sample);
  if (samples_.size() == kMostSamples) {
    // Samples are at 1, 2, 3, ... intervals; the even ones stay.
    for (std::size_t i = 0; i < kMostSamples / 2; ++i) samples_[i] = samples_[2 * i + 1];
    samples_.resize(kMostSamples / 2);
    interval_ *= 2;
  }
  due_ = sample.at + interval_;
}

std::vector<ActivitySample> ActivityLog::finish(const ActivitySample& last) const {
  std::vector<ActivitySample> samples;
  for (const ActivitySample& sample : samples_)
    if (sample.at < last.at) samples.push_back(sample);
  samples.push_back(last);
  return samples;
}

}  // namespace tcsim::gpu
