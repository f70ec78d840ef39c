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

/// Host threads that repeatedly share the calls of a loop. Each thread makes the calls of its own
/// share first, from the front, then remaining calls of other shares, from the back. So most calls
/// are made by the same thread every time, which has their data in its caches.
class HostThreads {
 public:
  /// `threads` in total, including the caller's, >= 1; fewer if the host cannot start more.
  explicit HostThreads(int threads);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Calls `work` with 0 to count - 1, in any order, and returns when all calls have. Rethrows the
  /// first exception of a call.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work);

 private:
  /// Remaining calls [first, end), in the two halves of a word.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left = 0;
  };

  void serve(std::size_t thread);
  void make_calls(std::size_t thread);
  static std::optional<std::size_t> take_first(Share& share);
  static std::optional<std::size_t> take_last(Share& share);

  std::atomic<std::uint64_t> round_ = 0;  ///< number of for_each calls
  std::deque<Share> shares_;              ///< by thread, the caller's first
  std::atomic<int> busy_ = 0;             ///< threads except the caller's, in this round
  std::atomic<bool> ends_ = false;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::mutex failure_access_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace tcsim::gpu
