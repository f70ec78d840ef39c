#pragma once

#include <string>
#include <vector>

#include "sim/cli/simulate_run.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/timeline/recorder.hpp"

namespace tcsim::cli {

/// A window being recorded while a run is simulated; outlives the simulation.
class WindowRecording {
 public:
  /// Throws UsageError if `machine` has no such window.
  WindowRecording(const timeline::Window& window, const config::Machine& machine);
  WindowRecording(const WindowRecording&) = delete;
  WindowRecording& operator=(const WindowRecording&) = delete;

  /// For simulate_run.
  [[nodiscard]] Observers observers();
  /// True if what comes after cycle `now` of the run changes nothing any more; false throughout a
  /// warm-up.
  [[nodiscard]] bool is_complete(Cycle now) const {
    return is_attached_ && recorder_.is_complete(now);
  }
  /// What was recorded, once.
  timeline::Timeline take(const std::string& title, const std::string& machine) {
    return recorder_.take(title, machine, sub_cores_);
  }

 private:
  const int sm_;
  const int sub_cores_;
  bool is_attached_ = false;
  timeline::Recorder recorder_;
};

/// The window packed for a viewer; warns on standard error before making a text of more than
/// 200 MB, which viewers hardly open.
std::string packed_kanata(const timeline::Timeline& recorded);
std::string packed_perfetto(const timeline::Timeline& recorded);

inline constexpr const char* kKanataFile = "timeline.kanata.zst";
inline constexpr const char* kPerfettoFile = "timeline.perfetto.json.gz";

/// Writes both and returns their names. Throws files::IoError.
std::vector<std::string> write_timeline_files(const report::RunDirectory& directory,
                                              const timeline::Timeline& recorded);

}  // namespace tcsim::cli
