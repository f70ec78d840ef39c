#include "sim/cli/run_hooks.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"

namespace tcsim::cli {

bool shows_progress(const RunOptions& options) {
  return options.verbose || (!options.quiet && ::isatty(STDERR_FILENO) == 1);
}

run::Hooks hooks_of(const RunOptions& options) {
  run::Hooks hooks;
  if (!options.quiet)
    hooks.note = [](const std::string& text) { fmt::print(std::cerr, "{}\n", text); };
  if (shows_progress(options))
    hooks.progress = [every_s = options.progress_s] {
      const auto line =
          std::make_shared<ProgressLine>(/*enabled=*/true, ::isatty(STDERR_FILENO) == 1, every_s);
      return [line](const gpu::Progress& progress) { line->show(progress); };
    };
  hooks.stop = InterruptGuard::stop_cause;
  return hooks;
}

}  // namespace tcsim::cli
