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

}  // namespace tcsim::cli
