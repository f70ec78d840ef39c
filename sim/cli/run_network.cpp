#include "sim/cli/run_network.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_hooks.hpp"
#include "sim/cli/run_trials.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/words.hpp"
#include "sim/results/network_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/text_views.hpp"
#include "sim/run/network_run.hpp"

namespace tcsim::cli {
namespace {

void announce_step(std::size_t number, std::size_t count, const report::NetworkStep& step) {
  fmt::print(std::cerr, "[{}/{}] {} {}: {}{}\n", number, count, step.layer, step.part, step.title,
             step.is_reused ? " (as before)" : "");
}

std::string report_in(Format format, const report::NetworkRun& run) {
  switch (format) {
    case Format::kText:
      return report::network_text(run);
    case Format::kJson:
      return files::json_text(report::network_json(run), 2) + "\n";
    case Format::kCsv:
      return report::network_csv(run);
    case Format::kMarkdown:
      return report::network_markdown(run);
  }
  return "";
}

std::string report_in(Format format, const report::StreamsRun& run) {
  switch (format) {
    case Format::kText:
      return report::streams_text(run);
    case Format::kJson:
      return files::json_text(report::streams_json(run), 2) + "\n";
    case Format::kCsv:
      return report::streams_csv(run);
    case Format::kMarkdown:
      return report::streams_markdown(run);
  }
  return "";
}

/// The run as its files hold it.
results::StoredNetwork stored(const std::string& name, const report::NetworkRun& run,
                              nlohmann::ordered_json manifest) {
  return results::network_of(name, results::View(report::network_json(run), "network.json"),
                             results::View(std::move(manifest), "manifest.json"));
}

/// Writes all but the manifest. Returns the names.
std::vector<std::string> write_files(report::ResultFiles& files, const report::NetworkRun& run,
                                     const nlohmann::ordered_json& manifest) {
  const results::StoredNetwork network = stored(files.directory().path().string(), run, manifest);
  files.write("network.json", files::json_text(network.network.json(), 2) + "\n");
  files.write("stats.csv", report::network_stats_csv(files.directory().name(), run));
  files.write("layers.csv", report::layers_csv(run));
  files.write("kernels.csv", report::network_kernels_csv(run));
  const results::Document document = results::report_of(network);
  files.write("report.html", results::page(document));
  files.write("report.md", results::document_markdown(document));
  return {"report.html", "report.md", "network.json", "stats.csv", "layers.csv", "kernels.csv"};
}

std::vector<std::string> write_files(report::ResultFiles& files, const report::StreamsRun& run,
                                     const nlohmann::ordered_json& /*manifest*/) {
  files.write("streams.json", files::json_text(report::streams_json(run), 2) + "\n");
  return {"streams.json"};
}

/// Roofline and timeline of the report in characters.
std::string ascii_plots(const report::NetworkRun& run, const nlohmann::ordered_json& manifest) {
  std::string text;
  for (const results::Section& section : results::report_of(stored("", run, manifest)).sections)
    if (section.id == "roofline" || section.id == "timeline")
      text += "\n" + results::section_text(section);
  return text;
}

std::string ascii_plots(const report::StreamsRun& /*run*/,
                        const nlohmann::ordered_json& /*manifest*/) {
  return "";
}

/// Files, report and status of a run that has ended.
template <typename Run>
int finish(const RunOptions& options, const Run& run, RunFiles& run_files) {
  const std::optional<report::RunDirectory>& directory = run_files.directory();
  run_files.note_end(run.wall_s, run.is_complete, run.stopped_by);
  std::vector<std::string> names;
  const std::exception_ptr trouble = held_back([&] {
    if (!directory) return;
    report::ResultFiles files = run_files.results();
    names = write_files(files, run, run_files.manifest_json());
    names.emplace_back("manifest.json");
    files.publish(run_files.manifest_json());
  });
  fmt::print(std::cout, "{}", report_in(options.format, run));
  if (options.format == Format::kText) {
    fmt::print(std::cout, "simulated in {:.1f} s\n", run.wall_s);
    if (options.ascii_plots)
      fmt::print(std::cout, "{}", ascii_plots(run, run_files.manifest_json()));
    if (directory && !trouble)
      fmt::print(std::cout, "\n{}/  {}\n", directory->path().string(), fmt::join(names, "  "));
  }
  if (trouble) std::rethrow_exception(trouble);
  if (run.is_complete) return kDone;
  fmt::print(std::cerr, "tcsim run: {}; results are partial\n", report::stop_words(run.stopped_by));
  return run.stopped_by == "interrupted" ? kInterrupted : kStopped;
}

/// The MMAs of all steps, each once.
std::vector<isa::Opcode> mmas_of(const run::NetworkSession& session) {
  std::set<isa::Opcode> mmas;
  session.visit_steps([&](const networks::Step&, const run::PreparedRun& run, std::int64_t) {
    for (const isa::Opcode mma : run::mmas_of(run.launches)) mmas.insert(mma);
  });
  return {mmas.begin(), mmas.end()};
}

}  // namespace

int run_network(const RunOptions& options, const std::vector<std::string>& command) {
  const run::NetworkSession session(options.request, hooks_of(options));
  RunFiles run_files(options, command);
  const InterruptGuard guard(run_files.last_words());
  if (options.request.streams > 1) return finish(options, session.run_streams(), run_files);
  report::NetworkRun run =
      session.run(shows_progress(options) ? run::NetworkSession::StepListener(announce_step)
                                          : run::NetworkSession::StepListener{});
  if (options.sensitivity_percent && run.is_complete)
    run.sensitivity = sensitivity_of(
        options, {options.request, session.machine(), mmas_of(session), report::time_us(run)});
  const int tried = run.sensitivity ? status_behind_trials() : kDone;
  const int status = finish(options, run, run_files);
  if (status != kDone) return status;
  return InterruptGuard::pending_signal() != 0 ? kInterrupted : tried;
}

}  // namespace tcsim::cli
