#include "sim/cli/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/cli/command_tree.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "sim/run/tile_search.hpp"
#include "sim/text/number.hpp"

namespace tcsim::cli {
namespace {

constexpr const char* kCommand = "tcsim run";

/// The percent of --sensitivity; nothing for no text.
std::optional<double> percent_of(const std::string& text) {
  if (text.empty()) return {};
  constexpr double kLeast = 1;
  constexpr double kMost = 300;
  const auto percent = text::number_of<double>(text);
  if (!percent || !(*percent >= kLeast) || *percent > kMost)
    throw UsageError(fmt::format("tcsim run: --sensitivity: {} is not a percentage from 1 to 300",
                                 files::shown(text)));
  return percent;
}

/// "-m,--machine", "--tile", "workload".
std::string option_name(const run::Field& field) {
  const bool is_workload = &field == &run::request_fields().front();
  if (is_workload) return field.name;
  return (field.letter.empty() ? "" : "-" + field.letter + ",") + run::word_of(field.name);
}

/// What repeats a run in other ways cannot go with what belongs to one of them.
void refuse_beside(const RunOptions& options, const std::string& option) {
  const run::RunRequest& request = options.request;
  if (options.dry_run)
    throw UsageError(fmt::format("tcsim run: {}: --dry-run simulates nothing", option));
  if (request.machines.size() > 1)
    throw UsageError(
        fmt::format("tcsim run: {} is for one workload on one machine; several are given", option));
  for (const auto& [is_given, name] :
       {std::pair(request.streams > 1, "streams"),
        std::pair(request.timeline.has_value(), "timeline"),
        std::pair(request.rtl_tensor_core, "tensor_core"),
        std::pair(request.clock != run::ClockPolicy::kBoost, "clock"),
        std::pair(request.max_cycles > 0, "max_cycles")})
    if (is_given)
      throw UsageError(
          fmt::format("tcsim run: {} cannot be combined with {}", option, run::word_of(name)));
}

double seconds_in(const std::string& text) {
  constexpr double kLeast = 0.05;
  constexpr double kMost = 3600;
  const auto value = text::number_of<double>(text);
  if (!value || !(*value >= kLeast) || *value > kMost)
    throw UsageError(
        fmt::format("tcsim run: --progress-every: {} is not a number of seconds from "
                    "{} to {}",
                    files::shown(text), kLeast, kMost));
  return *value;
}

}  // namespace

RunOptionTexts::RunOptionTexts(CLI::App& command) {
  for (const run::Field& field : run::request_fields()) {
    const std::string name = option_name(field);
    if (field.kind == run::FieldKind::kFlag) {
      command.add_flag(name, flag_of_[field.name], field.help);
    } else if (field.kind == run::FieldKind::kTexts) {
      add_repeatable(command, name, texts_of_[field.name], field.help);
    } else {
      command.add_option(name, text_of_[field.name], field.help);
    }
  }
  command.add_option("--request", request_file_,
                     "JSON or YAML file with the options above by name (max_cycles), or - for "
                     "standard input; replaces the workload and these options");
  command.add_option("-o,--out", out_, "Run directory; default: the next run-NNNN");
  command.add_flag("--force", force_, "Replace an earlier run in the directory");
  command.add_flag("--no-files", no_files_, "Write no run directory");
  command.add_flag("--dry-run", dry_run_,
                   "Simulate nothing: print what would run, and the time and memory it would need");
  command.add_option("-f,--format", format_, "text, json, csv or md (default: text)");
  command.add_option("--plot", plot_, "ascii: roofline and timeline below the text of a run");
  command.add_flag("--sensitivity{25}", sensitivity_,
                   "Also simulate the machine with each resource this many percent faster, and "
                   "print how the time changes: --sensitivity=10 (default: 25)");
  command.add_flag("--try", try_,
                   "Also simulate the verdict's advice and, for a product, the top-ranked tiles of "
                   "the library; print the gain");
  command.add_flag("-q,--quiet", quiet_, "No progress, no notes");
  command.add_flag("-v,--verbose", verbose_,
                   "Show progress even if standard error is not a terminal");
  command.add_option("--progress-every", progress_every_,
                     "Seconds between lines of -v if standard error is not a terminal "
                     "(default: 5)");
}

run::RunRequest RunOptionTexts::request(const std::string& prefix) const {
  run::GivenFields given;
  for (const auto& [name, text] : text_of_)
    if (!text.empty()) given[name] = {text};
  for (const auto& [name, texts] : texts_of_)
    if (!texts.empty()) given[name] = texts;
  for (const auto& [name, is_given] : flag_of_)
    if (is_given) given[name] = {"true"};
  if (!request_file_.empty()) {
    if (!given.empty())
      throw run::RequestError(fmt::format("{} and --request contradict each other",
                                          option_name(*run::find_field(given.begin()->first))));
    return run::read_request(request_file_,
                             files::read_file(request_file_, files::FileKind::kRequest));
  }
  const auto workload = given.find("workload");
  if (workload != given.end()) workload->second.front().insert(0, prefix);
  return run::make_request(given);
}

RunOptions RunOptionTexts::checked(const std::string& prefix) const {
  if (no_files_ && !out_.empty())
    throw UsageError("tcsim run: --no-files and -o contradict each other");
  if (no_files_ && force_)
    throw UsageError("tcsim run: --no-files and --force contradict each other");
  if (dry_run_ && (!out_.empty() || force_ || !plot_.empty()))
    throw UsageError(
        "tcsim run: --dry-run writes no files and draws nothing; it cannot be combined with -o, "
        "--force or --plot");
  if (quiet_ && verbose_) throw UsageError("tcsim run: -q and -v contradict each other");
  if (!plot_.empty() && plot_ != "ascii")
    throw UsageError("tcsim run: --plot: '" + plot_ + "' is not ascii; pictures: tcsim plot");
  if (plot_ == "ascii" && format_ != "text")
    throw UsageError("tcsim run: --plot ascii and -f " + format_ + " contradict each other");
  RunOptions options;
  options.request = with_command(kCommand, [&] { return request(prefix); });
  for (const auto& [is_given, word] :
       {std::pair(options.request.timeline.has_value(), "--timeline"),
        std::pair(options.request.counts_source, "--source")})
    if (is_given && no_files_)
      throw UsageError(std::string("tcsim run: ") + word +
                       " writes into a run directory; it cannot be combined with --no-files");
  options.is_from_file = !request_file_.empty();
  if (!out_.empty()) options.out = out_;
  options.force = force_;
  options.no_files = no_files_;
  options.dry_run = dry_run_;
  options.format = parse_format(format_);
  options.quiet = quiet_;
  options.verbose = verbose_;
  if (!progress_every_.empty()) options.progress_s = seconds_in(progress_every_);
  options.ascii_plots = plot_ == "ascii";
  options.sensitivity_percent = percent_of(sensitivity_);
  options.tries = try_;
  if (options.sensitivity_percent) refuse_beside(options, "--sensitivity");
  if (options.tries) refuse_beside(options, "--try");
  if (run::tiles_to_try(options.request.tile)) refuse_beside(options, "--tile best");
  return options;
}

void check_field(const std::string& command, std::string_view name, const std::string& text) {
  with_command(command, [&] {
    run::RunRequest request;
    run::take_field(request, name, text);
  });
}

std::vector<std::string> words_of(const RunOptions& options) {
  std::vector<std::string> words = run::command_words(options.request);
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (options.out) add("-o", *options.out);
  if (options.force) words.emplace_back("--force");
  if (options.no_files) words.emplace_back("--no-files");
  if (options.dry_run) words.emplace_back("--dry-run");
  if (options.format != Format::kText) add("-f", std::string(format_word(options.format)));
  if (options.quiet) words.emplace_back("-q");
  if (options.verbose) words.emplace_back("-v");
  if (options.progress_s != kProgressSeconds)
    add("--progress-every", fmt::format("{:g}", options.progress_s));
  if (options.ascii_plots) add("--plot", "ascii");
  if (options.tries) words.emplace_back("--try");
  if (options.sensitivity_percent)
    words.push_back(fmt::format("--sensitivity={}", *options.sensitivity_percent));
  return words;
}

}  // namespace tcsim::cli
