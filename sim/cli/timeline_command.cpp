#include "sim/cli/timeline_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/repeated_run.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/timeline_files.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/nearest.hpp"
#include "sim/run/window_recording.hpp"
#include "sim/timeline/text_view.hpp"

namespace tcsim::cli {
namespace {

constexpr Cycle kTextCycles = 64;
constexpr Cycle kMostTextCycles = 1000;
constexpr Cycle kViewerCycles = 2000;

struct TimelineOptions {
  std::string run;
  std::string sm = "0";
  std::string sub_core;
  std::string cycles;
  std::string to = "text";
  std::string out;
};

void check(const TimelineOptions& options) {
  if (options.run.empty())
    throw UsageError("tcsim timeline: which run? For example: tcsim timeline run-0001 --sm 0");
  const std::vector<std::string_view>& forms = timeline_forms();
  if (std::ranges::find(forms, options.to) == forms.end())
    throw UsageError(fmt::format("tcsim timeline: --to: '{}' is not one of {}{}", options.to,
                                 fmt::join(forms, ", "), files::did_you_mean(options.to, forms)));
}

/// What `parse` makes of the text of `option`.
template <typename Parse>
auto in_option(const char* option, Parse parse, const std::string& text) {
  return with_command(fmt::format("tcsim timeline: {}", option), [&] { return parse(text); });
}

/// The cycles asked for, or some round the middle of the run.
timeline::Window window_of(const TimelineOptions& options, Cycle run_cycles) {
  timeline::Window window;
  window.sm = in_option("--sm", run::parse_unit_number, options.sm);
  if (!options.sub_core.empty()) {
    window.sub_core = in_option("--sub-core", run::parse_unit_number, options.sub_core);
  } else if (options.to == "text") {
    window.sub_core = 0;
  }
  if (options.cycles.empty()) {
    window.first = run_cycles / 2;
    window.end = window.first + (options.to == "text" ? kTextCycles : kViewerCycles);
  } else {
    const run::CycleRange cycles = in_option("--cycles", run::parse_cycles, options.cycles);
    window.first = cycles.first;
    window.end = cycles.end;
    if (window.first >= run_cycles)
      throw UsageError(fmt::format("tcsim timeline: --cycles: the run has {} cycles", run_cycles));
  }
  if (options.to == "text" && window.end - window.first > kMostTextCycles) {
    throw UsageError(
        fmt::format("tcsim timeline: --cycles: {} cycles are more than the {} that text can show; "
                    "use --to kanata",
                    window.end - window.first, kMostTextCycles));
  }
  return window;
}

timeline::Timeline record(const RepeatedRun& repeated, const timeline::Window& window) {
  const config::Machine& machine = repeated.machine.machine;
  run::WindowRecording recording(window, machine);
  fmt::print(std::cerr, "tcsim timeline: simulating {} on {} again, up to cycle {}\n",
             repeated.run.inputs.workload, repeated.run.inputs.machine, window.end);
  gpu::SimulationOptions settings =
      run::simulation_options(repeated.request, repeated.run, machine);
  settings.observer = recording.observers();
  gpu::Simulation simulation(machine, settings);
  simulation.run(
      repeated.run.launches,
      [&](const gpu::Progress& progress) { return !recording.is_complete(progress.now); },
      run::launches_before(repeated.request, repeated.run));
  return recording.take(repeated.run.inputs.title, repeated.run.inputs.machine);
}

int show(const TimelineOptions& options) {
  check(options);
  const std::filesystem::path directory = options.run;
  const RepeatedRun repeated = repeat_run(directory);
  const timeline::Window window = window_of(options, repeated.cycles);
  const timeline::Timeline recorded =
      with_command("tcsim timeline", [&] { return record(repeated, window); });
  if (options.to == "text" && options.out.empty()) {
    fmt::print(std::cout, "{}", timeline::text_view(recorded));
    return kDone;
  }
  const bool is_kanata = options.to == "kanata";
  std::filesystem::path out = options.out;
  if (out.empty()) out = directory / (is_kanata ? kKanataFile : kPerfettoFile);
  const std::string bytes = options.to == "text" ? timeline::text_view(recorded)
                            : is_kanata          ? packed_kanata(recorded)
                                                 : packed_perfetto(recorded);
  files::write_output(out, bytes);
  fmt::print(std::cout, "{}  {} instructions, {} bytes\n", out.string(), recorded.records.size(),
             bytes.size());
  return kDone;
}

}  // namespace

const std::vector<std::string_view>& timeline_forms() {
  static const std::vector<std::string_view> forms{"text", "kanata", "perfetto"};
  return forms;
}

void add_timeline_command(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("timeline", "Show what the warps of one SM did in a run, cycle by cycle");
  const auto options = std::make_shared<TimelineOptions>();
  command->add_option("run", options->run, "Run directory; the run is simulated again");
  command->add_option("--sm", options->sm, "Number of the SM (default: 0)");
  command->add_option("--sub-core", options->sub_core,
                      "Number of the sub-core (default: 0 in text, all for viewers)");
  command->add_option("--cycles", options->cycles,
                      "FIRST:END from the start of the run (default: from its middle)");
  command->add_option("--to", options->to,
                      "text, kanata (for Konata) or perfetto (trace-event JSON); default: text");
  command->add_option("-o,--out", options->out,
                      "File to write (default: standard output for text, otherwise a file in RUN)");
  command->callback([options, &status] { status = show(*options); });
}

}  // namespace tcsim::cli
