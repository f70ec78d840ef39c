#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "models/sm/observer.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::run {

/// What ends work before it is done.
enum class StopCause : std::uint8_t { kNone, kSignal, kLimit };

/// In the words of manifests: "interrupted", "time limit".
std::string_view name(StopCause cause);

/// The observer of an SM (gpu::SimulationOptions::observer); empty: none.
using Observers = std::function<sm::Observer*(int sm, Cycle origin)>;

/// Receives the progress of one simulation; destroyed at its end.
using ProgressListener = std::function<void(const gpu::Progress&)>;

/// Thrown by Hooks::poll.
struct Stopped {};

/// How the caller of a run observes and stops it while it is running. Every function may be empty.
struct Hooks {
  std::function<void(const std::string&)> note{};  ///< what the user should know
  std::function<ProgressListener()> progress{};    ///< called at the start of a simulation
  std::function<StopCause()> stop{};  ///< called many times a second; ends the work unless kNone
  Observers observers{};

  void tell(const std::string& text) const {
    if (note) note(text);
  }
  [[nodiscard]] StopCause stop_cause() const { return stop ? stop() : StopCause::kNone; }
  /// Throws Stopped if the caller ends the work.
  void poll() const {
    if (stop_cause() != StopCause::kNone) throw Stopped{};
  }
};

/// In the words of manifests, why work has not finished: `stop`, unless the hooks ended it.
std::string reason_of_stop(const Hooks& hooks, gpu::StopReason stop);

}  // namespace tcsim::run
