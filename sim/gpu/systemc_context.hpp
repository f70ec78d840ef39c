#pragma once

#include <systemc>

namespace tcsim::gpu {

/// SystemC has one current context. Each elaboration of modules here uses a separate context, so
/// that a process can simulate again after a simulation has ended, and can clock a module from
/// inside a simulation. Current from its construction until leave().
class SystemcContext {
 public:
  SystemcContext();
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;

  /// Restores the context that was current before this one.
  void leave();

  /// Makes a context that was left current again for as long as this object lives.
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
