#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tcsim::cli {

/// The commands right under `app`, hidden ones too.
inline std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// Names from the program's to that of `app`, as in "tcsim sweep run".
inline std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

/// An option that may be given several times, each time with one value: unless told, CLI11 lets it
/// swallow the words behind that.
inline CLI::Option* add_repeatable(CLI::App& command, const std::string& name,
                                   std::vector<std::string>& values, const std::string& help) {
  return command.add_option(name, values, help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

inline bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }
inline bool is_argument(const CLI::Option& option) { return option.get_positional(); }

/// "-m", "--machine".
inline std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace tcsim::cli
