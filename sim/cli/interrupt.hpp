#pragma once

namespace tcsim::cli {

/// While one exists, SIGINT and SIGTERM are remembered instead of ending the process, so that a run
/// can stop in order and keep its results. The second such signal ends the process at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that arrived, or 0.
  static int pending_signal();
};

}  // namespace tcsim::cli
