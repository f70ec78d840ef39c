#pragma once

#include <systemc>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "models/sm/kernel.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/code_map.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Launches the kernels of the stream one after another and dispatches their CTAs in order, one at
/// a time, each to the SM that the placement policy prefers among those with a free slot at that
/// moment.
class CtaScheduler : public sc_core::sc_module {
 public:
  /// Acts whenever `boundary` is written: every SM has then run up to its value.
  CtaScheduler(const sc_core::sc_module_name& name, const config::Machine& machine,
               const std::vector<std::unique_ptr<SmShell>>& shells,
               const std::vector<std::unique_ptr<sm::Sm>>& sms,
               const sc_core::sc_signal<Cycle>& boundary);
  SC_HAS_PROCESS(CtaScheduler);

  /// What to run from the next boundary on, the first launch at cycle `at`. Requires that nothing
  /// is running.
  void enqueue(const std::vector<isa::KernelLaunch>& launches, Cycle at);

  bool is_finished() const { return finished_; }
  /// Lines of code memory that the kernels so far fill.
  std::uint32_t code_lines() const { return code_map_.lines(); }
  /// Where the constants of the launches that were enqueued start, as lines of code memory.
  const std::vector<std::uint32_t>& constant_lines() const { return constant_lines_; }
  const std::vector<KernelSpan>& spans() const { return spans_; }
  std::int64_t ctas_done() const { return ctas_done_; }
  std::int64_t ctas_total() const { return ctas_total_; }
  /// Launch overhead in SM cycles.
  static Cycle overhead_cycles(const config::Machine& machine);

  /// The counters of the SMs have been set to 0, no kernel having issued since it was launched.
  void counters_reset() { instructions_before_ = mmas_before_ = 0; }

 private:
  std::uint32_t next_constant_line();
  void schedule();
  void collect_ended();
  void launch_next(Cycle at);
  void dispatch(Cycle horizon);
  std::size_t preferred_sm() const;
  void close_span();

  const config::Machine& machine_;
  const std::vector<std::unique_ptr<SmShell>>& shells_;
  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  const sc_core::sc_signal<Cycle>& boundary_;
  const isa::TimingTable timing_;
  std::vector<std::size_t> placement_;  ///< SMs in the order in which they get first CTAs
  CodeMap code_map_;
  std::vector<std::unique_ptr<sm::Kernel>> kernels_;
  std::vector<std::uint32_t> constant_lines_;  ///< by launch
  std::uint64_t launches_ = 0;                 ///< so far, those of earlier streams included
  std::vector<KernelSpan> spans_;
  std::size_t running_ = 0;  ///< index of the kernel under way
  bool launched_ = false;    ///< the kernel under way has been launched
  bool finished_ = true;
  std::int64_t next_cta_ = 0;
  std::int64_t ctas_left_ = 0;  ///< of the kernel under way, not ended
  std::int64_t ctas_done_ = 0;
  std::int64_t ctas_total_ = 0;
  Cycle last_end_ = 0;
  std::uint64_t instructions_before_ = 0;
  std::uint64_t mmas_before_ = 0;
  std::vector<int> room_;  ///< by SM: free slots that the scheduler knows of
  std::deque<std::pair<Cycle, std::size_t>>
      released_;  ///< (cycle, SM) of slots that become free, ascending
  Cycle next_dispatch_ = 0;
  std::vector<std::pair<Cycle, std::size_t>> ended_;  ///< scratch
  std::vector<Cycle> taken_;
};

}  // namespace tcsim::gpu
