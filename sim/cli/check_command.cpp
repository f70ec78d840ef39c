#include "sim/cli/check_command.hpp"

#include <fmt/ostream.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/config/inert_keys.hpp"
#include "sim/config/load.hpp"
#include "sim/library/load.hpp"

namespace tcsim::cli {
namespace {

void check_files(const std::vector<std::string>& files) {
  if (files.empty()) throw config::ConfigError({"check: no file given; write tcsim check FILE..."});
  std::vector<std::string> mistakes;
  std::string unreadable;
  for (const std::string& file : files) {
    try {
      const config::MachineFile machine = library::read_machine(file);
      fmt::print(std::cout, "{}: machine {}, {} values, no mistakes\n", file, machine.machine.name,
                 machine.settings.size());
      for (const std::string& note : config::inert_notes(machine))
        fmt::print(std::cout, "  note: {}\n", note);
    } catch (const config::ConfigError& error) {
      mistakes.insert(mistakes.end(), error.messages().begin(), error.messages().end());
    } catch (const IoError& error) {
      if (!unreadable.empty()) unreadable += '\n';
      unreadable += error.what();
    }
  }
  if (mistakes.empty() && unreadable.empty()) return;
  if (mistakes.empty()) throw IoError(unreadable);
  if (!unreadable.empty()) mistakes.push_back(unreadable);
  throw config::ConfigError(mistakes);
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("check", "Read files and report every mistake; run nothing");
  command->add_option("files", *files, "Machine files, or names of machines");
  command->callback([files, &status] {
    check_files(*files);
    status = 0;
  });
}

}  // namespace tcsim::cli
