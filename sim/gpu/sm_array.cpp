#include "sim/gpu/sm_array.hpp"

namespace tcsim::gpu {

SmArray::SmArray(const sc_core::sc_module_name& name,
                 const std::vector<std::unique_ptr<SmShell>>& shells,
                 const sc_core::sc_signal<Cycle>& window_end)
    : sc_core::sc_module(name),
      shells_(shells),
      window_end_(window_end),
      threads_(std::make_unique<HostThreads>(1)) {
  SC_METHOD(run_window);
  sensitive << window_end_;
  dont_initialize();
}

void SmArray::run_window() {
  const Cycle end = window_end_.read();
  for (const auto& shell : shells_) shell->receive();
  threads_->for_each(calls_beside_ + shells_.size(), [&](std::size_t call) {
    if (call < calls_beside_)
      beside_(call);
    else
      shells_[call - calls_beside_]->run(end);
  });
  for (const auto& shell : shells_) shell->send(end, shells_);
}

}  // namespace tcsim::gpu
