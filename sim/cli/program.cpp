#include "sim/cli/program.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cli/check_command.hpp"
#include "sim/cli/completion.hpp"
#include "sim/cli/examples.hpp"
#include "sim/cli/import_command.hpp"
#include "sim/cli/lab_command.hpp"
#include "sim/cli/leftovers.hpp"
#include "sim/cli/library_command.hpp"
#include "sim/cli/machine_command.hpp"
#include "sim/cli/manual.hpp"
#include "sim/cli/microbench_command.hpp"
#include "sim/cli/mma_command.hpp"
#include "sim/cli/peak_command.hpp"
#include "sim/cli/plot_command.hpp"
#include "sim/cli/rtl_command.hpp"
#include "sim/cli/run_command.hpp"
#include "sim/cli/serve_command.hpp"
#include "sim/cli/stored_run_commands.hpp"
#include "sim/cli/sweep_command.hpp"
#include "sim/cli/timeline_command.hpp"
#include "sim/cli/trace_command.hpp"
#include "sim/cli/validate_command.hpp"
#include "sim/cli/verify_command.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/revision.hpp"

namespace tcsim::cli {
namespace {

/// Prints `message` to standard error and returns `status`.
int report_error(const std::string& message, int status) {
  fmt::print(std::cerr, "{}\n", files::shown_message(message));
  return status;
}

int report_bug(const std::string& message, const std::vector<std::string>& argv,
               std::string_view version) {
  fmt::print(std::cerr,
             "tcsim: internal error: {}\n"
             "This is a defect of tcsim {} ({}), not of your input. Please report it with this "
             "command:\n  {}\n",
             message, version, report::revision(), report::shell_line(argv));
  return kOurBug;
}

/// `tcsim help lab start` as `tcsim lab start --help`; other words as they are.
std::vector<std::string> without_help_command(std::vector<std::string> argv) {
  if (argv.size() < 2 || argv[1] != "help") return argv;
  argv.erase(argv.begin() + 1);
  argv.emplace_back("--help");
  return argv;
}

/// The message of `error`, in which CLI11 counts the values of an option that takes one.
std::string message_of(const CLI::ParseError& error) {
  const std::string words = error.what();
  const std::size_t several = words.find(": At Most 1 required but received ");
  return several == std::string::npos ? words : words.substr(0, several) + ": given twice";
}

/// Parses and runs one command. Every exception of a command ends in run_program below.
int parse_and_run(const std::vector<std::string>& argv, std::string_view version) {
  CLI::App app{"tcsim simulates NVIDIA-style GPUs cycle by cycle around their tensor cores."};
  app.name("tcsim");
  app.set_version_flag("--version", fmt::format("tcsim {} ({})", version, report::revision()));
  app.footer(
      "Statuses: 0 done, 1 a check failed, 2 mistake in the input, 3 not covered by the model, 4 "
      "stopped,\n"
      "5 file trouble, 70 defect of tcsim, 130 interrupted.");
  int status = kDone;
  add_run_command(app, argv, status);
  add_peak_command(app, status);
  add_machine_command(app, status);
  add_library_command(app, status);
  add_check_command(app, status);
  add_microbench_command(app, status);
  add_trace_command(app, status,
                    [&argv](const RunOptions& options) { return run_workload(options, argv); });
  add_validate_command(app, argv, status);
  add_import_command(app, status);
  add_sweep_command(app, status);
  add_plot_command(app, status);
  add_timeline_command(app, status);
  add_show_command(app, status);
  add_compare_command(app, status);
  add_metrics_command(app, status);
  add_serve_command(app, status);
  add_lab_command(app, status);
  add_mma_command(app, status);
  add_rtl_command(app, status);
  add_verify_command(app, status);
  add_manual_commands(app, std::string(version), status);
  add_examples(app);
  if (argv.size() > 2 && argv[1] == "complete" && argv[2] == "--") {  // what shells ask
    for (const std::string& word : completions(app, {argv.begin() + 3, argv.end()}))
      fmt::print(std::cout, "{}\n", word);
    return kDone;
  }
  keep_leftovers(app);
  app.parse_complete_callback([&app] {
    refuse_leftovers(app);
    refuse_empty_out(app);
  });
  try {
    // CLI11 takes the arguments without the program name, last first.
    const std::vector<std::string> words = without_help_command(argv);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::Success& request) {  // --help, --version
    refuse_unknown_command(app);
    app.exit(request);
    return kDone;
  } catch (const CLI::ParseError& error) {
    return report_error(fmt::format("tcsim: {}", message_of(error)), kUserMistake);
  }
  return status;
}

}  // namespace

int run_program(const std::vector<std::string>& argv, std::string_view version) {
  try {
    return parse_and_run(argv, version);
  } catch (const UsageError& error) {
    return report_error(error.what(), kUserMistake);
  } catch (const NotCovered& error) {
    return report_error(error.what(), kNotCovered);
  } catch (const IoError& error) {
    return report_error(error.what(), kFileTrouble);
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = error.path1().string();
    return report_error(
        path.empty() ? error.what() : fmt::format("{}: {}", path, error.code().message()),
        kFileTrouble);
  } catch (const std::bad_alloc& error) {
    return report_error(
        fmt::format("tcsim: not enough memory ({}); tcsim run --dry-run shows how much a run needs",
                    error.what()),
        kStopped);
  } catch (const std::exception& error) {
    return report_bug(error.what(), argv, version);
  }
}

}  // namespace tcsim::cli
