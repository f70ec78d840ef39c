#pragma once

#include <chrono>
#include <string>

#include "sim/gpu/simulation.hpp"

namespace tcsim::cli {

/// "34.1 %  87 of 256 CTAs  cycle 123,456  8.1 M warp instructions/s  ETA 12 s" for a run that has
/// taken `wall_s` so far. Share and ETA count forecast warp instructions, or CTAs if there
/// is no forecast; the ETA is missing before the first of them is done.
std::string progress_text(const gpu::Progress& progress, double wall_s);

constexpr double kProgressSeconds = 5;  ///< between plain lines, by default

/// Writes progress to standard error: a line that rewrites itself on a terminal, else a plain line
/// every `every_s` seconds.
class ProgressLine {
 public:
  ProgressLine(bool enabled, bool terminal, double every_s = kProgressSeconds);
  /// Erases the line of a terminal.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const gpu::Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  const bool enabled_;
  const bool terminal_;
  const std::chrono::milliseconds interval_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = Clock::now();
  bool shown_ = false;
};

}  // namespace tcsim::cli
