#pragma once

#include <string>

#include "sim/config/machine.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/timeline_window.hpp"
#include "sim/timeline/recorder.hpp"

namespace tcsim::run {

/// Records a window while a run is simulated; outlives the simulation.
class WindowRecording {
 public:
  /// Throws RequestError if `machine` has no such window.
  WindowRecording(const timeline::Window& window, const config::Machine& machine)
      : sm_(window.sm), sub_cores_(machine.sm.sub_cores), recorder_(window) {
    check_window(window, machine);
  }
  WindowRecording(const WindowRecording&) = delete;
  WindowRecording& operator=(const WindowRecording&) = delete;

  /// For the hooks of the simulation.
  [[nodiscard]] Observers observers() {
    return [this](int sm, Cycle origin) -> sm::Observer* {
      if (sm != sm_) return nullptr;
      recorder_.set_origin(origin);
      is_attached_ = true;
      return &recorder_;
    };
  }
  /// True if nothing after cycle `now` of the run changes the recording; false throughout a
  /// warm-up.
  [[nodiscard]] bool is_complete(Cycle now) const {
    return is_attached_ && recorder_.is_complete(now);
  }
  /// The recording, once.
  timeline::Timeline take(const std::string& title, const std::string& machine) {
    return recorder_.take(title, machine, sub_cores_);
  }

 private:
  const int sm_;
  const int sub_cores_;
  bool is_attached_ = false;
  timeline::Recorder recorder_;
};

}  // namespace tcsim::run
