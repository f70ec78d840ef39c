#include "sim/cli/machine_command.hpp"

#include <fmt/ostream.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/area_view.hpp"
#include "sim/cli/command_tree.hpp"
#include "sim/cli/machine_views.hpp"
#include "sim/config/error.hpp"
#include "sim/config/json_schema.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/name.hpp"

namespace tcsim::cli {
namespace {

struct MachineOptions {
  std::vector<std::string> words;
  std::vector<std::string> machines;
  std::vector<std::string> overrides;
  std::string format = "text";
};

CLI::App* add_view(CLI::App& parent, const std::string& name, const std::string& sentence,
                   const std::shared_ptr<MachineOptions>& options) {
  CLI::App* view = parent.add_subcommand(name, sentence);
  view->add_option("-f,--format", options->format, "text, json, csv or md (default: text)");
  return view;
}

void add_overrides(CLI::App* view, const std::shared_ptr<MachineOptions>& options) {
  add_repeatable(*view, "--set", options->overrides,
                 "key.path=value on top of the file; repeatable");
}

/// Throws unless exactly `count` words were given.
void expect_words(const MachineOptions& options, std::size_t count, const std::string& command,
                  const std::string& words) {
  if (options.words.size() == count) return;
  throw config::ConfigError(
      {fmt::format("{}: {} given; write tcsim {} {}", command,
                   options.words.empty() ? "nothing" : text::counted(options.words.size(), "word"),
                   command, words)});
}

void add_list(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* view = add_view(command, "list", "The shipped machines in one line each", options);
  view->callback([options, &status] {
    fmt::print(std::cout, "{}", list_machines(parse_format(options->format)));
    status = 0;
  });
}

void add_show(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* view =
      add_view(command, "show", "Every effective value of a machine with its source", options);
  view->get_option("-f")->description(
      "text, json, csv, md or yaml: a complete file (default: text)");
  view->add_option("machine", options->words, "Name or file");
  add_overrides(view, options);
  view->callback([options, &status] {
    expect_words(*options, 1, "machine show", "MACHINE");
    const std::string& machine = options->words[0];
    fmt::print(std::cout, "{}",
               options->format == "yaml" ? machine_yaml(machine, options->overrides)
                                         : show_machine(machine, options->overrides,
                                                        parse_format(options->format, "yaml")));
    status = 0;
  });
}

/// A name that is one for a file too.
void check_name(const std::string& name) {
  constexpr std::string_view kEnding = ".yaml";
  if (name.ends_with(kEnding) && name.size() > kEnding.size())
    throw config::ConfigError(
        {fmt::format("machine new: {} is the name of a file; the name of the machine is {}",
                     files::shown(name), name.substr(0, name.size() - kEnding.size()))});
  if (const std::string mistake = text::name_mistake(name); !mistake.empty())
    throw config::ConfigError({"machine new: " + mistake});
}

void add_new(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  const auto base = std::make_shared<std::string>();
  CLI::App* view = command.add_subcommand(
      "new", "Write NAME.yaml, a machine file with only the differences from another machine");
  view->add_option("name", options->words, "Name of the machine");
  view->add_option("--from", *base, "Name or file of the machine that it builds on");
  add_overrides(view, options);
  view->callback([options, base, &status] {
    expect_words(*options, 1, "machine new", "NAME --from MACHINE");
    const std::string& name = options->words[0];
    check_name(name);
    if (base->empty())
      throw config::ConfigError(
          {"machine new: --from is missing; tcsim machine list has the shipped machines"});
    const std::string file = name + ".yaml";
    const std::string text = new_machine({name, *base, options->overrides});
    if (std::filesystem::exists(file))
      throw config::ConfigError({fmt::format("machine new: {}: the file already exists", file)});
    files::write_atomically(file, text);
    fmt::print(std::cout, "{}: builds on {}\n", file, *base);
    status = 0;
  });
}

void add_explain(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* view =
      add_view(command, "explain",
               "What a key means, its range and its value on each machine; without a key: all keys",
               options);
  view->add_option("key", options->words,
                   "Path of a key or of a section; sm.tensor INSTRUCTION: how the timing of an "
                   "instruction follows from the tensor cores");
  add_repeatable(*view, "-m,--machine", options->machines,
                 "With sm.tensor INSTRUCTION: only on this machine; repeatable");
  add_overrides(view, options);
  view->callback([options, &status] {
    const Format format = parse_format(options->format);
    if (options->words.empty()) {
      fmt::print(std::cout, "{}", explain_all(format));
    } else if (options->words.size() == 2 && options->words[0] == "sm.tensor") {
      fmt::print(
          std::cout, "{}",
          explain_instruction(options->words[1], options->machines, options->overrides, format));
    } else {
      if (!options->machines.empty() || !options->overrides.empty())
        throw config::ConfigError(
            {"machine explain: -m and --set go with: machine explain sm.tensor INSTRUCTION"});
      expect_words(*options, 1, "machine explain", "KEY, or sm.tensor INSTRUCTION");
      fmt::print(std::cout, "{}", explain_key(options->words[0], format));
    }
    status = 0;
  });
}

void add_area(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* view = add_view(
      command, "area", "Die area of a machine by unit, and the cells of its tensor core", options);
  view->add_option("machine", options->words, "Name or file");
  add_overrides(view, options);
  view->callback([options, &status] {
    expect_words(*options, 1, "machine area", "MACHINE");
    fmt::print(
        std::cout, "{}",
        area_of_machine(options->words[0], options->overrides, parse_format(options->format)));
    status = 0;
  });
}

void add_schema(CLI::App& command, int& status) {
  command.add_subcommand("schema", "JSON Schema of machine files, for editors")
      ->callback([&status] {
        fmt::print(std::cout, "{}", config::machine_json_schema());
        status = 0;
      });
}

void add_diff(CLI::App& command, int& status) {
  const auto options = std::make_shared<MachineOptions>();
  CLI::App* view = add_view(command, "diff", "Values that differ between two machines", options);
  view->add_option("machines", options->words, "Two names or files");
  view->callback([options, &status] {
    expect_words(*options, 2, "machine diff", "A B");
    fmt::print(std::cout, "{}",
               diff_machines(options->words[0], options->words[1], parse_format(options->format)));
    status = 0;
  });
}

}  // namespace

void add_machine_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("machine", "List, show, explain and compare machines");
  command->require_subcommand(0, 1);
  add_list(*command, status);
  add_show(*command, status);
  add_new(*command, status);
  add_explain(*command, status);
  add_area(*command, status);
  add_schema(*command, status);
  add_diff(*command, status);
  command->callback([command] {
    if (command->get_subcommands().empty())
      throw config::ConfigError(
          {"machine: nothing given; write tcsim machine list, show, new, explain, area, schema or "
           "diff"});
  });
}

}  // namespace tcsim::cli
