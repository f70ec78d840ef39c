#pragma once

#include <functional>
#include <thread>

#include "sim/run/hooks.hpp"

namespace tcsim::cli {

using run::StopCause;

/// Ends this process on SIGINT, SIGTERM, SIGHUP or its time limit, at any point of its work. A
/// signal ends it at once. With an InterruptGuard, and at the time limit, there is a grace period
/// first, in which work that asks can end by itself and keep its results. A second signal that is
/// SIGINT ends the process at once. SIGHUP stays ignored if it was at the start, as under
/// nohup. Output files are renamed into place when they are complete, so none is cut short;
/// incomplete ones are removed. One per process, in main.
class StopWatch {
 public:
  StopWatch();
  ~StopWatch();
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  /// Sets the time limit, seconds from the start of the process; 0: none.
  static void limit(double seconds);

 private:
  static void watch();

  std::thread thread_;
};

/// Marks work whose results are worth keeping: it asks `stop_cause` or `pending_signal` many times
/// a second and ends in order when there is one.
class InterruptGuard {
 public:
  /// Called from another thread, with the cause, if the work does not ask in time.
  using LastWords = std::function<void(StopCause)>;

  InterruptGuard() : InterruptGuard(LastWords{}) {}
  /// While this lives, `last_words` may run at any moment but those in which the guard is made and
  /// destroyed; then the process ends.
  explicit InterruptGuard(LastWords last_words);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that arrived, or 0. The caller is trusted to end in order if there is one.
  static int pending_signal();
  /// The same for signals and the time limit.
  static StopCause stop_cause();
  /// What the children of this process are to receive: a signal that arrived, SIGTERM once the time
  /// limit has passed, or 0.
  static int signal_for_children();

 private:
  friend class StopWatch;
  LastWords last_words_;
};

}  // namespace tcsim::cli
