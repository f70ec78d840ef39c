#pragma once

#include <systemc>

#include <memory>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/memory_system.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Hands the requests of the window that has ended to the memory model, in the order (cycle, SM),
/// and the data that result to the SMs.
class MemoryShell : public sc_core::sc_module {
 public:
  /// Acts whenever `boundary` is written: every SM has then run up to its value.
  MemoryShell(const sc_core::sc_module_name& name, memory::MemorySystem& model,
              const std::vector<std::unique_ptr<SmShell>>& sms,
              const sc_core::sc_signal<Cycle>& boundary);
  SC_HAS_PROCESS(MemoryShell);

 private:
  void exchange();

  memory::MemorySystem& model_;
  const std::vector<std::unique_ptr<SmShell>>& sms_;
  const sc_core::sc_signal<Cycle>& boundary_;
  std::vector<memory::LineRequest> taken_;
  std::vector<std::vector<memory::LineRequest>> by_cycle_;  ///< index: cycle - start of the window
  std::vector<std::vector<memory::LineResponse>> inbox_;    ///< by SM
  Cycle exchanged_until_ = 0;
};

}  // namespace tcsim::gpu
