#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::gpu {

/// Sums over the whole chip since the start of a run. Work counts when its unit accepts it, so an
/// interval may include some cycles of the following one.
struct ActivityTotals {
  std::uint64_t tensor_issue_slots = 0;  ///< of all tensor pipes
  std::uint64_t tensor_macs = 0;         ///< executed by them
  std::uint64_t cycles_issued = 0;       ///< of all sub-cores
  std::uint64_t sm_memory_cycles =
      0;  ///< of the data paths of shared memory and L1; TMA boxes have a separate count
  std::uint64_t l2_read_bytes = 0;   ///< from L2 to SMs
  std::uint64_t l2_write_bytes = 0;  ///< from SMs to L2
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;
  std::uint64_t l2_writeback_bytes = 0;  ///< handed to DRAM, which writes them later
  std::uint64_t fma_slots = 0;           ///< of all FMA pipes

  bool operator==(const ActivityTotals&) const = default;
};

/// Units whose totals may be read at different times, because memory lags behind the SMs.
enum class Side : std::uint8_t { kSms, kL2, kChannels };

ActivityTotals operator-(const ActivityTotals& after, const ActivityTotals& before);

/// Reads the totals from a counter tree without searching it each time.
class ActivityProbe {
 public:
  /// `root` must outlive the probe. A counter that is not in the tree counts as 0.
  explicit ActivityProbe(const stats::Group& root);
  [[nodiscard]] ActivityTotals read() const;
  /// Sets only the totals of `side`.
  void read(Side side, ActivityTotals& totals) const;

 private:
  struct Source {
    const stats::Counter* counter;
    std::uint64_t ActivityTotals::*total;
    Side side;
  };
  void add(const stats::Group& group);

  std::vector<Source> sources_;
};

/// The state of a run at one moment.
struct ActivitySample {
  Cycle at = 0;  ///< SM cycles from the start of the run
  ActivityTotals totals;
  int resident_warps = 0;  ///< in all SMs

  bool operator==(const ActivitySample&) const = default;
};

/// Samples at equal distances. When there are too many, every other one is dropped and the distance
/// doubles. So a run of any length has between half of kMostSamples and kMostSamples of them.
class ActivityLog {
 public:
  static constexpr Cycle kFirstInterval = 128;
  static constexpr std::size_t kMostSamples = 512;

  /// The next cycle at which a sample is due.
  [[nodiscard]] Cycle due() const { return due_; }
  /// Adds a sample. Requires sample.at == due().
  void add(const ActivitySample& sample);
  /// The totals of the sample at `at`, or nullptr if there is none.
  ActivityTotals* find(Cycle at);
  /// All samples before `last`, followed by `last`, the state at the end of the run.
  [[nodiscard]] std::vector<ActivitySample> finish(const ActivitySample& last) const;

 private:
  Cycle interval_ = kFirstInterval;
  Cycle due_ = kFirstInterval;
  std::vector<ActivitySample> samples_;
};

}  // namespace tcsim::gpu
