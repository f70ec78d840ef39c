#pragma once

#include <chrono>
#include <string>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/simulate_run.hpp"

namespace tcsim::cli {

/// When the user wants a run of several simulations to end, from its construction on.
class StopConditions {
 public:
  explicit StopConditions(double timeout_s) : timeout_s_(timeout_s) {}

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool keep_going() {
    timed_out_ = timeout_s_ > 0 && seconds() >= timeout_s_;
    return !timed_out_ && InterruptGuard::pending_signal() == 0;
  }
  /// Why a simulation has stopped, in the words of manifests.
  [[nodiscard]] std::string reason() const {
    if (timed_out_) return std::string(kTimeLimit);
    return InterruptGuard::pending_signal() != 0 ? "interrupted" : "cycle limit or deadlock";
  }

 private:
  const double timeout_s_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool timed_out_ = false;
};

}  // namespace tcsim::cli
