#include "sim/gpu/memory_shell.hpp"

#include <algorithm>

namespace tcsim::gpu {

MemoryShell::MemoryShell(const sc_core::sc_module_name& name, memory::MemorySystem& model,
                         const std::vector<std::unique_ptr<SmShell>>& sms,
                         const sc_core::sc_signal<Cycle>& boundary)
    : sc_core::sc_module(name),
      model_(model),
      sms_(sms),
      boundary_(boundary),
      taken_(sms.size()),
      inbox_(sms.size()) {
  SC_METHOD(exchange);
  sensitive << boundary_;
  dont_initialize();
}

void MemoryShell::lag(bool lags, bool channels_too) {
  catch_up();
  lags_ = lags;
  channels_lag_ = lags && channels_too;
  model_.let_channels_lag(channels_lag_);
  channels_begun_until_ = channels_until_ = advanced_until_;
}

void MemoryShell::call(std::size_t index) {
  if (index == 0)
    advance();
  else
    model_.carry_channel(index - 1);
}

void MemoryShell::exchange() {
  hand_over();
  taken_until_ = boundary_.read();
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) sms_[sm]->requests.take(taken_[sm]);
  is_behind_ = true;
  if (channels_lag_) {
    end_channels();
    begin_channels();
  }
  if (!lags_) catch_up();
}

void MemoryShell::begin_channels() {
  model_.begin_channels();
  channels_begun_until_ = advanced_until_;
}

void MemoryShell::end_channels() {
  model_.end_channels();
  channels_until_ = channels_begun_until_;
  if (listener_) listener_(Side::kChannels, channels_until_);
}

/// Processes the requests that have been taken.
void MemoryShell::advance() {
  if (!is_behind_) return;
  is_behind_ = false;
  by_cycle_.resize(
      std::max(by_cycle_.size(), static_cast<std::size_t>(taken_until_ - advanced_until_)));
  for (const std::vector<memory::LineRequest>& requests : taken_)
    for (const memory::LineRequest& request : requests)
      by_cycle_[static_cast<std::size_t>(request.cycle - advanced_until_)].push_back(&request);
  for (std::vector<const memory::LineRequest*>& requests : by_cycle_) {
    for (const memory::LineRequest* request : requests) model_.inject(*request);
    requests.clear();
  }
  for (std::vector<memory::LineRequest>& requests : taken_) requests.clear();
  model_.advance(taken_until_, inbox_);
  advanced_until_ = taken_until_;
  if (!channels_lag_) channels_until_ = advanced_until_;
  if (listener_) listener_(Side::kL2, advanced_until_);
}

void MemoryShell::hand_over() {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    sms_[sm]->responses.post(inbox_[sm].begin(), inbox_[sm].end());
    inbox_[sm].clear();
  }
}

void MemoryShell::catch_up() {
  if (channels_lag_) end_channels();
  advance();
  if (channels_lag_) {
    begin_channels();
    end_channels();
  }
  hand_over();
}

}  // namespace tcsim::gpu
