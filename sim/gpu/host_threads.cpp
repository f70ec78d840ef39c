#include "sim/gpu/host_threads.hpp"

#include <system_error>
#include <utility>

namespace tcsim::gpu {

HostThreads::HostThreads(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // No room for one more: those that there are make its calls.
  }
}

HostThreads::~HostThreads() {
  ends_ = true;
  ++round_;
  round_.notify_all();
}

void HostThreads::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  count_ = count;
  work_ = &work;
  next_ = 0;
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  take_calls();
  for (int busy = busy_; busy > 0; busy = busy_) busy_.wait(busy);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void HostThreads::serve() {
  for (std::uint64_t seen = 0;; ++seen) {
    round_.wait(seen);
    if (ends_) return;
    take_calls();
    if (--busy_ == 0) busy_.notify_one();
  }
}

void HostThreads::take_calls() {
  try {
    for (std::size_t call = next_++; call < count_; call = next_++) (*work_)(call);
  } catch (...) {
    const std::scoped_lock lock(failure_access_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace tcsim::gpu
