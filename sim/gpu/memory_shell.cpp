#include "sim/gpu/memory_shell.hpp"

#include <algorithm>

namespace tcsim::gpu {

MemoryShell::MemoryShell(const sc_core::sc_module_name& name, memory::MemorySystem& model,
                         const std::vector<std::unique_ptr<SmShell>>& sms,
                         const sc_core::sc_signal<Cycle>& boundary)
    : sc_core::sc_module(name), model_(model), sms_(sms), boundary_(boundary), inbox_(sms.size()) {
  SC_METHOD(exchange);
  sensitive << boundary_;
  dont_initialize();
}

void MemoryShell::exchange() {
  const Cycle now = boundary_.read();
  by_cycle_.resize(std::max(by_cycle_.size(), static_cast<std::size_t>(now - exchanged_until_)));
  for (const auto& sm : sms_) {
    taken_.clear();
    sm->requests.take(taken_);
    for (const memory::LineRequest& request : taken_) {
      by_cycle_[static_cast<std::size_t>(request.cycle - exchanged_until_)].push_back(request);
    }
  }
  for (auto& requests : by_cycle_) {
    for (const memory::LineRequest& request : requests) model_.inject(request);
    requests.clear();
  }
  model_.advance(now, inbox_);
  exchanged_until_ = now;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    for (const memory::LineResponse& response : inbox_[sm]) sms_[sm]->responses.post(response);
    inbox_[sm].clear();
  }
}

}  // namespace tcsim::gpu
