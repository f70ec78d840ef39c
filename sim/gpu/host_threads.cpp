#include "sim/gpu/host_threads.hpp"

#include <utility>

namespace tcsim::gpu {

namespace {

constexpr unsigned kHalf = 32;

constexpr std::uint64_t packed(std::uint64_t first, std::uint64_t end) {
  return first << kHalf | end;
}
constexpr std::uint64_t first_of(std::uint64_t share) { return share >> kHalf; }
constexpr std::uint64_t end_of(std::uint64_t share) { return share & ~std::uint32_t{0}; }

}  // namespace

HostThreads::HostThreads(int threads) {
  for (int i = 0; i < threads; ++i) shares_.emplace_back();
  threads_.reserve(shares_.size());
  try {
    for (std::size_t i = 1; i < shares_.size(); ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (...) {
    // No more threads can be started: the existing ones make the calls.
  }
}

HostThreads::~HostThreads() {
  ends_ = true;
  ++round_;
  round_.notify_all();
}

void HostThreads::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  const std::size_t threads = threads_.size() + 1;
  for (std::size_t i = 0; i < threads; ++i)
    shares_[i].left = packed(count * i / threads, count * (i + 1) / threads);
  work_ = &work;
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  make_calls(0);
  for (int busy = busy_; busy > 0; busy = busy_) busy_.wait(busy);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void HostThreads::serve(std::size_t thread) {
  for (std::uint64_t seen = 0;; ++seen) {
    round_.wait(seen);
    if (ends_) return;
    make_calls(thread);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void HostThreads::make_calls(std::size_t thread) {
  try {
    while (const auto call = take_first(shares_[thread])) (*work_)(*call);
    for (std::size_t i = 1; i < shares_.size(); ++i)
      while (const auto call = take_last(shares_[(thread + i) % shares_.size()])) (*work_)(*call);
  } catch (...) {
    const std::scoped_lock lock(failure_access_);
    if (!failure_) failure_ = std::current_exception();
  }
}

std::optional<std::size_t> HostThreads::take_first(Share& share) {
  std::uint64_t left = share.left;
  while (first_of(left) < end_of(left))
    if (share.left.compare_exchange_weak(left, packed(first_of(left) + 1, end_of(left))))
      return first_of(left);
  return {};
}

std::optional<std::size_t> HostThreads::take_last(Share& share) {
  std::uint64_t left = share.left;
  while (first_of(left) < end_of(left))
    if (share.left.compare_exchange_weak(left, packed(first_of(left), end_of(left) - 1)))
      return end_of(left) - 1;
  return {};
}

}  // namespace tcsim::gpu
