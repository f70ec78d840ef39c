#include "sim/cli/library_command.hpp"

#include <fmt/ostream.h>

#include <iostream>
#include <memory>
#include <string>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/kernel_name_view.hpp"
#include "sim/cli/library_explain_view.hpp"
#include "sim/cli/library_list_view.hpp"
#include "sim/cli/library_score.hpp"
#include "sim/config/error.hpp"
#include "sim/errors/errors.hpp"

namespace tcsim::cli {
namespace {

struct LibraryOptions {
  std::string word;
  ExplainRequest request;
  std::string format = "text";
};

using SharedLibraryOptions = std::shared_ptr<LibraryOptions>;

void expect_word(const LibraryOptions& options, const std::string& command,
                 const std::string& words) {
  if (options.word.empty())
    throw UsageError(
        fmt::format("tcsim {}: nothing given; write tcsim {} {}", command, command, words));
}

CLI::App* add_library_view(CLI::App& parent, const char* name, const char* sentence,
                           const SharedLibraryOptions& options) {
  CLI::App* view = parent.add_subcommand(name, sentence);
  view->add_option("-f,--format", options->format, "text, json, csv or md (default: text)");
  return view;
}

void add_library_list(CLI::App& command, int& status) {
  const auto options = std::make_shared<LibraryOptions>();
  add_library_view(command, "list", "The shipped libraries in one line each", options)
      ->callback([options, &status] {
        fmt::print(std::cout, "{}", list_libraries(parse_format(options->format)));
        status = kDone;
      });
}

void add_library_show(CLI::App& command, int& status) {
  const auto options = std::make_shared<LibraryOptions>();
  CLI::App* view = add_library_view(command, "show", "The kernels and tiles of a library", options);
  view->add_option("library", options->word, "Name or file");
  view->add_option("-m,--machine", options->request.machine,
                   "Mark the tiles that this machine cannot build");
  view->callback([options, &status] {
    expect_word(*options, "library show", "LIBRARY");
    fmt::print(
        std::cout, "{}",
        show_library(options->word, options->request.machine, parse_format(options->format)));
    status = kDone;
  });
}

void add_library_explain(CLI::App& command, int& status) {
  const auto options = std::make_shared<LibraryOptions>();
  CLI::App* view = add_library_view(
      command, "explain", "Which kernel would be picked for a workload, and why", options);
  ExplainRequest& request = options->request;
  view->add_option("workload", options->word, "gemm:m=..,n=..,k=.., conv:... or attn:...");
  view->add_option("-m,--machine", request.machine, "Preset or machine file");
  add_repeatable(*view, "--set", request.overrides,
                 "key.path=value on top of the file; repeatable");
  add_repeatable(*view, "--library", request.libraries,
                 "Library to ask before those of the machine; repeatable");
  view->add_option(
      "--unit", request.unit,
      "tensor or cuda-core (default: tensor, but cuda-core for types that only CUDA cores "
      "multiply)");
  view->callback([options, &status] {
    expect_word(*options, "library explain", "WORKLOAD -m MACHINE");
    options->request.workload = options->word;
    fmt::print(std::cout, "{}", explain_choice(options->request, parse_format(options->format)));
    status = kDone;
  });
}

void add_library_parse(CLI::App& command, int& status) {
  const auto options = std::make_shared<LibraryOptions>();
  CLI::App* view = add_library_view(
      command, "parse", "Decode the name of a library's kernel: tile, types, layout", options);
  view->add_option("name", options->word, "Name of a kernel, as a profiler shows it");
  view->callback([options, &status] {
    expect_word(*options, "library parse", "NAME");
    fmt::print(std::cout, "{}", show_kernel_name(options->word, parse_format(options->format)));
    status = kDone;
  });
}

void add_library_score(CLI::App& command, int& status) {
  const auto options = std::make_shared<LibraryOptions>();
  const auto request = std::make_shared<ScoreRequest>();
  CLI::App* view = add_library_view(
      command, "score", "How often the picked tile is that of the named kernel", options);
  view->add_option("file", options->word, "List of calls and the names of their kernels");
  view->add_option("-m,--machine", request->machine, "Machine to use for every GPU of the list");
  add_repeatable(*view, "--library", request->libraries,
                 "Library to ask before those of the machines; repeatable");
  view->add_flag("--rows", request->shows_rows, "Named tile, pick and nearest tile of every row");
  view->callback([options, request, &status] {
    expect_word(*options, "library score", "FILE");
    request->file = options->word;
    fmt::print(std::cout, "{}", score_library(*request, parse_format(options->format)));
    status = kDone;
  });
}

}  // namespace

void add_library_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "library", "List and show libraries of kernels, explain and score what they pick");
  command->require_subcommand(0, 1);
  add_library_list(*command, status);
  add_library_show(*command, status);
  add_library_explain(*command, status);
  add_library_parse(*command, status);
  add_library_score(*command, status);
  command->callback([command] {
    if (command->get_subcommands().empty())
      throw config::ConfigError(
          {"library: nothing given; write tcsim library list, show, explain, parse or score"});
  });
}

}  // namespace tcsim::cli
