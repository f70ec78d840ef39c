#pragma once

#include <systemc>

#include "sim/gpu/systemc_context.hpp"

namespace tcsim::rtl {

/// Clock and reset of a Verilated module in a separate SystemC context. It is the base class of
/// everything that steps such a module, so that signals and module are created after the context.
/// The module may be stepped from inside another simulation.
class ClockedModule {
 public:
  ClockedModule() : context_(), clk_i("clk"), rst_ni("rst_n") {}

 protected:
  /// Ends the elaboration; from here on every step is made in a visit.
  void reset() {
    for (int i = 0; i < 2; ++i) edge();
    rst_ni.write(true);
    settle();
    context_.leave();
  }

  /// Makes the module's context current for the lifetime of the result.
  [[nodiscard]] gpu::SystemcContext::Visit visit() { return gpu::SystemcContext::Visit(context_); }

  /// A rising edge and the fall after it.
  void edge() {
    clk_i.write(true);
    sc_core::sc_start(1, sc_core::SC_NS);
    clk_i.write(false);
    sc_core::sc_start(1, sc_core::SC_NS);
  }

  /// Propagates written signals.
  static void settle() {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

 private:
  gpu::SystemcContext context_;

 protected:
  sc_core::sc_signal<bool> clk_i;
  sc_core::sc_signal<bool> rst_ni;
};

}  // namespace tcsim::rtl
