#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tcsim::gpu {

/// Threads of the host that share the calls of a loop, again and again. Each makes the calls of its
/// share first, from the front, and then those that others have left of theirs, from the back: so
/// most calls are made by the same thread every time, which has what they work on in its caches.
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
  /// Calls that are left, [first, end) in the two halves of a word.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left = 0;
  };

  void serve(std::size_t thread);
  void make_calls(std::size_t thread);
  static std::optional<std::size_t> take_first(Share& share);
  static std::optional<std::size_t> take_last(Share& share);

  std::atomic<std::uint64_t> round_ = 0;  ///< of for_each
  std::deque<Share> shares_;              ///< by thread, the caller's the first
  std::atomic<int> busy_ = 0;             ///< threads but the caller's in this round
  std::atomic<bool> ends_ = false;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::mutex failure_access_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace tcsim::gpu
