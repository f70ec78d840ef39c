#pragma once

#include <systemc>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/memory_system.hpp"
#include "sim/gpu/activity.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Passes the requests of the window that has ended to the memory model, in the order (cycle, SM),
/// and the resulting data to the SMs. It does so at the same boundary, or, while the model lags, at
/// the next one. A lagging model is advanced concurrently with the SMs of the window in between; if
/// windows are short enough, its DRAM channels are advanced concurrently with both. No SM needs the
/// data earlier if windows are at most half of MemorySystem::largest_quantum, so results are the
/// same.
class MemoryShell : public sc_core::sc_module {
 public:
  /// Acts whenever `boundary` is written: every SM has then run up to its value.
  MemoryShell(const sc_core::sc_module_name& name, memory::MemorySystem& model,
              const std::vector<std::unique_ptr<SmShell>>& sms,
              const sc_core::sc_signal<Cycle>& boundary);
  SC_HAS_PROCESS(MemoryShell);

  /// From now on the model lags or not, and its channels as well if `channels_too`. While it lags,
  /// windows must be at most half the largest quantum; with channels, at most
  /// MemorySystem::largest_lagging_quantum.
  void lag(bool lags, bool channels_too);
  /// Number of calls that may run concurrently with the SMs and each other, once per window.
  std::size_t calls() const { return channels_lag_ ? 1 + model_.channels() : 1; }
  void call(std::size_t index);
  /// Processes everything before the latest boundary and delivers the data.
  void catch_up();
  /// The SM cycle that L2 and channels have reached.
  Cycle l2_until() const { return advanced_until_; }
  Cycle channels_until() const { return channels_until_; }
  /// From now on `listener` is called whenever one of them reaches another cycle; for L2 on any
  /// thread, once per window.
  void tell(std::function<void(Side, Cycle)> listener) { listener_ = std::move(listener); }

 private:
  void exchange();
  void advance();
  void begin_channels();
  void end_channels();
  void hand_over();

  memory::MemorySystem& model_;
  const std::vector<std::unique_ptr<SmShell>>& sms_;
  const sc_core::sc_signal<Cycle>& boundary_;
  bool lags_ = false;
  bool channels_lag_ = false;
  bool is_behind_ = false;  ///< what has been taken is not processed yet
  Cycle taken_until_ = 0;
  Cycle advanced_until_ = 0;
  Cycle channels_begun_until_ = 0;
  Cycle channels_until_ = 0;
  std::function<void(Side, Cycle)> listener_;
  std::vector<std::vector<memory::LineRequest>> taken_;  ///< by SM, each in order
  /// The same by cycle, from advanced_until_ on.
  std::vector<std::vector<const memory::LineRequest*>> by_cycle_;
  std::vector<std::vector<memory::LineResponse>> inbox_;  ///< by SM
};

}  // namespace tcsim::gpu
