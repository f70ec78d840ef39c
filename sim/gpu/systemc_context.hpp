#pragma once

#include <systemc>

namespace tcsim::gpu {

/// SystemC keeps one context; whoever elaborates modules does so in one of his own, so that a
/// process can simulate again after a simulation ended. One instance at a time.
class SystemcContext {
 public:
  SystemcContext();
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;

 private:
  sc_core::sc_simcontext* previous_;
  sc_core::sc_simcontext* own_;
};

}  // namespace tcsim::gpu
