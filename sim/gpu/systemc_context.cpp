#include "sim/gpu/systemc_context.hpp"

/// The library wants one; programs here have a main of their own and elaborate in a SystemcContext.
int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

namespace tcsim::gpu {

SystemcContext::SystemcContext()
    : previous_(sc_core::sc_curr_simcontext), own_(new sc_core::sc_simcontext) {
  sc_core::sc_curr_simcontext = own_;
  sc_core::sc_default_global_context = own_;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

SystemcContext::~SystemcContext() {
  delete own_;
  sc_core::sc_curr_simcontext = previous_;
  sc_core::sc_default_global_context = previous_;
}

}  // namespace tcsim::gpu
