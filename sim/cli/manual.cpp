#include "sim/cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/completion.hpp"
#include "sim/errors/errors.hpp"

namespace tcsim::cli {
namespace {

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string synopsis(const CLI::App& app) {
  std::string text = path_of(app);
  if (!commands_of(app).empty()) text += " COMMAND";
  for (const CLI::Option* option : app.get_options()) {
    if (is_shown(*option) && is_argument(*option)) text += " " + option->get_name();
  }
  return text + " [OPTION]...";
}

/// Calls `visit` with `app` and every command below it, in the order of their definition.
template <typename Visit>
void walk(const CLI::App& app, const Visit& visit) {
  visit(app);
  for (const CLI::App* command : commands_of(app)) walk(*command, visit);
}

/// Text of a roff line: no backslash, dash or leading dot means anything but itself.
std::string roff(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\n') {
      result += "\n.br\n";
    } else {
      result += c;
    }
  }
  return result;
}

std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string options_roff(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (!is_shown(*option)) continue;
    const std::string name = is_argument(*option)
                                 ? option->get_name()
                                 : fmt::format("{}", fmt::join(spellings(*option), ", "));
    const char* value = !is_argument(*option) && takes_value(*option) ? " VALUE" : "";
    text += fmt::format(".TP\n.B {}{}\n{}\n", roff(name), value, roff(option->get_description()));
  }
  return text;
}

std::string options_markdown(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (!is_shown(*option) || option->get_name() == "--help") continue;
    const std::string name = is_argument(*option)
                                 ? option->get_name()
                                 : fmt::format("{}", fmt::join(spellings(*option), ", "));
    const char* value = !is_argument(*option) && takes_value(*option) ? " VALUE" : "";
    text += fmt::format("| `{}{}` | {} |\n", name, value, cell(option->get_description()));
  }
  return text.empty() ? text : "| | |\n|---|---|\n" + text + "\n";
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(".TH TCSIM 1 \"\" \"tcsim {}\" \"User Commands\"\n", version);
  text += ".SH NAME\ntcsim \\- cycle-level simulator of GPUs around their tensor cores\n";
  text += ".SH SYNOPSIS\n.B " + roff(synopsis(app)) + "\n.SH DESCRIPTION\n" +
          roff(app.get_description()) + "\n.SH COMMANDS\n";
  walk(app, [&](const CLI::App& command) {
    if (command.get_parent() == nullptr) return;
    text += fmt::format(".SS {}\n{}.\n", roff(synopsis(command)), roff(command.get_description()));
    text += options_roff(command);
  });
  return text + ".SH EXIT STATUS\n" + roff(app.get_footer()) + "\n";
}

std::string manual_markdown(const CLI::App& app) {
  std::string text = "# Commands\n\n" + app.get_description() + "\n\n";
  walk(app, [&](const CLI::App& command) {
    if (command.get_parent() == nullptr) return;
    text += fmt::format("## {}\n\n{}.\n\n`{}`\n\n", path_of(command),
                        cell(command.get_description()), synopsis(command));
    text += options_markdown(command);
  });
  return text;
}

void add_manual_commands(CLI::App& app, const std::string& version, int& status) {
  CLI::App* manual = app.add_subcommand("manual", "Print the manual: tcsim manual | man -l -");
  const auto format = std::make_shared<std::string>("man");
  manual->add_option("-f,--format", *format, "man or md (default: man)");
  manual->callback([&app, version, format, &status] {
    if (*format != "man" && *format != "md")
      throw UsageError("tcsim manual: --format: '" + *format + "' is not one of man, md");
    fmt::print(std::cout, "{}",
               *format == "man" ? manual_page(app, version) : manual_markdown(app));
    status = kDone;
  });
  CLI::App* completion = app.add_subcommand("completion", "Print a script that completes commands");
  const auto shell = std::make_shared<std::string>("bash");
  completion->add_option("shell", *shell, fmt::format("{}", fmt::join(completing_shells(), ", ")));
  completion->callback([shell, &status] {
    const std::vector<std::string_view>& shells = completing_shells();
    if (std::ranges::find(shells, *shell) == shells.end())
      throw UsageError(
          fmt::format("tcsim completion: '{}' is not one of {}", *shell, fmt::join(shells, ", ")));
    fmt::print(std::cout, "{}", completion_script(*shell));
    status = kDone;
  });
}

}  // namespace tcsim::cli
