#include "sim/gpu/systemc_context.hpp"

/// The library requires one; programs here have their own main and elaborate in a SystemcContext.
__attribute__((visibility("default"))) int sc_main(int /*argc*/, char* /*argv*/[]) { return 0; }

namespace tcsim::gpu {
namespace {

void make_current(sc_core::sc_simcontext* context) {
  sc_core::sc_curr_simcontext = context;
  sc_core::sc_default_global_context = context;
}

}  // namespace

SystemcContext::SystemcContext()
    : previous_(sc_core::sc_curr_simcontext), own_(new sc_core::sc_simcontext) {
  make_current(own_);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

SystemcContext::~SystemcContext() {
  sc_core::sc_simcontext* const now = sc_core::sc_curr_simcontext;
  make_current(own_);  // its destruction uses the current context
  delete own_;
  make_current(now == own_ ? previous_ : now);
}

void SystemcContext::leave() { make_current(previous_); }

SystemcContext::Visit::Visit(SystemcContext& context) : previous_(sc_core::sc_curr_simcontext) {
  make_current(context.own_);
}

SystemcContext::Visit::~Visit() { make_current(previous_); }

}  // namespace tcsim::gpu
