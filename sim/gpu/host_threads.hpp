#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tcsim::gpu {

/// Threads of the host that share the calls of a loop, again and again.
class HostThreads {
 public:
  /// `threads` in all, the caller's among them, >= 1; fewer where the host has no room for more.
  explicit HostThreads(int threads);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Calls `work` with 0 to count - 1, in no order, and returns when all calls have. The first
  /// exception of a call is thrown again here.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_calls();

  std::atomic<std::uint64_t> round_ = 0;  ///< of for_each
  std::atomic<std::size_t> next_ = 0;     ///< call of this round
  std::atomic<int> busy_ = 0;             ///< threads but the caller's in this round
  std::atomic<bool> ends_ = false;
  std::size_t count_ = 0;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::mutex failure_access_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace tcsim::gpu
