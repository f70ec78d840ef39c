#include "sim/cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/errors/errors.hpp"

namespace tcsim::cli {
namespace {

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }
bool is_argument(const CLI::Option& option) { return option.get_positional(); }

/// "-m", "--machine".
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

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

std::string words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    if (!is_shown(*option) || is_argument(*option)) continue;
    const std::vector<std::string> names = spellings(*option);
    words.insert(words.end(), names.begin(), names.end());
  }
  return fmt::format("{}", fmt::join(words, " "));
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

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  std::string paths;
  walk(app, [&](const CLI::App& command) {
    if (command.get_parent() != nullptr)
      paths += (paths.empty() ? "'" : "|'") + path_of(command) + "'";
    cases += fmt::format("    '{}') words='{}' ;;\n", path_of(command), words_of(command));
  });
  return "# bash completion of tcsim; load it with: source <(tcsim completion bash)\n"
         "_tcsim() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local path=tcsim known words i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    known=\"$path ${COMP_WORDS[i]}\"\n"
         "    case \"$known\" in\n      " +
         paths +
         ") path=$known ;;\n"
         "    esac\n"
         "  done\n"
         "  if [ \"$before\" = -m ] || [ \"$before\" = --machine ]; then\n"
         "    words=$(tcsim machine list -f csv 2>/dev/null | tail -n +2 | cut -d, -f1)\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F _tcsim tcsim\n";
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
  completion->add_option("shell", *shell, "bash");
  completion->callback([&app, shell, &status] {
    if (*shell != "bash") throw UsageError("tcsim completion: '" + *shell + "' is not one of bash");
    fmt::print(std::cout, "{}", bash_completion(app));
    status = kDone;
  });
}

}  // namespace tcsim::cli
