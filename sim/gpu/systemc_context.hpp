#pragma once

#include <systemc>

namespace tcsim::gpu {

/// SystemC knows one context, the current one; whoever elaborates modules does so in one of his
/// own, so that a process can simulate again after a simulation ended, and clock a module from
/// inside a simulation. Current from its construction on, until leave().
class SystemcContext {
 public:
  SystemcContext();
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;

  /// Makes the context current that was so before this one.
  void leave();

  /// Makes a context that was left current for as long as this object lives.
  class Visit {
   public:
    explicit Visit(SystemcContext& context);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    sc_core::sc_simcontext* previous_;
  };

 private:
  sc_core::sc_simcontext* previous_;
  sc_core::sc_simcontext* own_;
};

}  // namespace tcsim::gpu
