#include "sim/cli/progress_line.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iostream>

#include "sim/cli/standard_streams.hpp"
#include "sim/report/layout.hpp"

namespace tcsim::cli {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";
constexpr std::chrono::milliseconds kTerminalInterval(200);

}  // namespace

std::string progress_text(const gpu::Progress& progress, double wall_s) {
  const auto share = [](auto part, auto whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  // Waiting loops issue more than predicted.
  const double done =
      progress.expected_instructions > 0
          ? std::min(1.0, share(progress.warp_instructions, progress.expected_instructions))
          : share(progress.ctas_done, progress.ctas_total);
  std::string text =
      fmt::format("{:.1f} %  {} of {} CTAs  cycle {}", 100 * done, progress.ctas_done,
                  progress.ctas_total, report::with_thousands(progress.now));
  if (wall_s > 0) {
    text += fmt::format("  {:.1f} M warp instructions/s",
                        static_cast<double>(progress.warp_instructions) / wall_s / 1e6);
  }
  if (done > 0) text += fmt::format("  ETA {:.0f} s", wall_s * (1 - done) / done);
  return text;
}

ProgressLine::ProgressLine(bool enabled, bool terminal, double every_s)
    : enabled_(enabled),
      terminal_(terminal),
      interval_(terminal ? kTerminalInterval
                         : std::chrono::milliseconds(static_cast<std::int64_t>(1000 * every_s))) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) steer(std::cerr, kClearLine);
}

void ProgressLine::show(const gpu::Progress& progress) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + interval_;
  const double wall_s = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(progress, wall_s);
  if (terminal_) {
    steer(std::cerr, kClearLine);
    fmt::print(std::cerr, "{}", text);
  } else {
    fmt::print(std::cerr, "{}\n", text);
  }
  shown_ = true;
}

}  // namespace tcsim::cli
