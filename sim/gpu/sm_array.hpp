#pragma once

#include <systemc>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/host_threads.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Runs all SMs for a quantum whenever the window advances. They share nothing during a quantum but
/// kernels, so the division among host threads does not matter.
class SmArray : public sc_core::sc_module {
 public:
  SmArray(const sc_core::sc_module_name& name, const std::vector<std::unique_ptr<SmShell>>& shells,
          const sc_core::sc_signal<Cycle>& window_end);
  SC_HAS_PROCESS(SmArray);

  /// From now on `count` host threads share the SMs, >= 1.
  void use_threads(int count) { threads_ = std::make_unique<HostThreads>(count); }

  /// From now on `work` is called once per window with 0 to `calls` - 1, concurrently with the SMs;
  /// the longest call should be first.
  void run_beside(std::size_t calls, std::function<void(std::size_t)> work) {
    calls_beside_ = calls;
    beside_ = std::move(work);
  }

 private:
  void run_window();

  const std::vector<std::unique_ptr<SmShell>>& shells_;
  const sc_core::sc_signal<Cycle>& window_end_;
  std::unique_ptr<HostThreads> threads_;
  std::size_t calls_beside_ = 0;
  std::function<void(std::size_t)> beside_;
};

}  // namespace tcsim::gpu
