#pragma once

#include <systemc>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "sim/gpu/host_threads.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Runs all SMs for a quantum whenever the window moves on. They share nothing in between but
/// kernels, so it does not matter how host threads divide them.
class SmArray : public sc_core::sc_module {
 public:
  SmArray(const sc_core::sc_module_name& name, const std::vector<std::unique_ptr<SmShell>>& shells,
          const sc_core::sc_signal<Cycle>& window_end);
  SC_HAS_PROCESS(SmArray);

  /// From now on so many threads of the host share the SMs, >= 1.
  void use_threads(int count) { threads_ = std::make_unique<HostThreads>(count); }

  /// From now on `work` is done once a window, beside the SMs; empty: nothing.
  void run_beside(std::function<void()> work) { beside_ = std::move(work); }

 private:
  void run_window();

  const std::vector<std::unique_ptr<SmShell>>& shells_;
  const sc_core::sc_signal<Cycle>& window_end_;
  std::unique_ptr<HostThreads> threads_;
  std::function<void()> beside_;
};

}  // namespace tcsim::gpu
