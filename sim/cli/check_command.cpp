#include "sim/cli/check_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/config/inert_keys.hpp"
#include "sim/config/load.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/packed.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/run/request_io.hpp"
#include "sim/sweep/plan.hpp"
#include "sim/text/counted.hpp"
#include "workloads/import/csv_list.hpp"

namespace tcsim::cli {
namespace {

using files::FileKind;

/// What a file is that has no mistakes, "machine a100, 300 values", and lines of notes below.
struct Sound {
  std::string what;
  std::vector<std::string> notes{};
};

Sound check_machine(const std::string& file) {
  const config::MachineFile machine = library::read_machine(file);
  return {fmt::format("machine {}, {} values", machine.machine.name, machine.settings.size()),
          config::inert_notes(machine)};
}

Sound sound(const networks::Network& network) {
  return {
      fmt::format("network {}, {}", network.name, text::counted(network.layers.size(), "layer"))};
}

Sound check_network(const std::string& file) {
  return sound(networks::read_network(file, files::read_file(file, FileKind::kNetwork)));
}

Sound check_sweep(const std::string& file) {
  const sweep::Plan plan = sweep::make_plan(file, files::read_file(file, FileKind::kSpec));
  return {fmt::format("sweep {}, {}", plan.name, text::counted(plan.points.size(), "point"))};
}

Sound check_library(const std::string& file) {
  return {"library " + library::read_library(file)->name};
}

Sound check_request(const std::string& file) {
  const run::RunRequest request =
      run::read_request(file, files::read_file(file, FileKind::kRequest));
  return {"request of " + request.workload};
}

Sound check_list(const std::string& file) {
  const auto rows = workload::read_csv_list(files::read_file(file, FileKind::kList), file);
  return {"list of " + text::counted(rows.size(), "workload")};
}

Sound refuse_plan(const std::string& file) {
  throw config::ConfigError({file + ": a plan of a sweep; tcsim sweep status reads it"});
}

Sound refuse_result(const std::string& file) {
  throw config::ConfigError({file + ": a result of a run; tcsim show reads it"});
}

Sound refuse_lab(const std::string& file) {
  throw config::ConfigError({file + ": a lab; tcsim lab list and tcsim lab start read it"});
}

using Check = Sound (*)(const std::string& file);

/// Keys at the top of a file that none but its kind has, or that decide before those below.
struct KeyOfKind {
  std::string_view key;
  Check check;
};
constexpr std::array<KeyOfKind, 14> kKeys{{{"spec", refuse_plan},
                                           {"schema_version", refuse_result},
                                           {"lab", refuse_lab},
                                           {"layers", check_network},
                                           {"blocks", check_network},
                                           {"workloads", check_sweep},
                                           {"axes", check_sweep},
                                           {"machines", check_sweep},
                                           {"kernels", check_library},
                                           {"costs", check_library},
                                           {"menus", check_library},
                                           {"attention", check_library},
                                           {"workload", check_request},
                                           {"machine", check_request}}};

/// By the keys of a YAML or JSON file, or by those of the files on which it builds; a machine file
/// has none of kKeys. What can be read only once is taken for one, and so is a file behind more
/// `bases` than its reader follows.
Check check_by_keys(const std::string& file, int bases = 0) {
  constexpr int kMostBases = 8;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || bases > kMostBases) return check_machine;
  config::Mistakes mistakes(file);
  const config::TreeFile tree =
      config::parse_yaml(file, files::read_file(file, FileKind::kNetwork), mistakes);
  for (const auto& [key, check] : kKeys)
    for (const config::TreeEntry& entry : tree.root.entries)
      if (entry.name.text == key) return check;
  const auto base = std::ranges::find(
      tree.root.entries, "base", [](const config::TreeEntry& entry) { return entry.name.text; });
  if (base == tree.root.entries.end()) return check_machine;
  const std::string& word = base->value.text;
  if (config::is_path(word)) return check_by_keys(config::path_beside(file, word), bases + 1);
  const std::vector<std::string> libraries = library::library_names();
  const bool is_library = std::ranges::find(libraries, word) != libraries.end();
  return is_library ? check_library : check_machine;
}

/// Files that another command reads whole.
struct OtherFile {
  std::string_view extension;
  std::string_view what;
};
constexpr std::array<OtherFile, 5> kOthers{
    {{".onnx", "an ONNX model; tcsim import onnx reads it"},
     {".tct", "a trace; tcsim trace info reads it"},
     {".traceg", "a recorded trace; tcsim trace info reads it"},
     {".tracez", "a recorded trace; tcsim trace info reads it"},
     {".npy", "a tensor; tcsim run --a and --b read it"}}};

Sound check_file(const std::string& word) {
  constexpr std::string_view kNetworkPrefix = "net:";
  if (word.starts_with(kNetworkPrefix))
    return sound(networks::load_network(word.substr(kNetworkPrefix.size())));
  constexpr std::string_view kListPrefix = "csv:";
  if (word.starts_with(kListPrefix)) return check_list(word.substr(kListPrefix.size()));
  const std::string extension =
      std::filesystem::path(files::without_packing(word)).extension().string();
  if (extension == ".csv") return check_list(word);
  const auto other = std::ranges::find(kOthers, extension, &OtherFile::extension);
  if (other != kOthers.end()) throw config::ConfigError({fmt::format("{}: {}", word, other->what)});
  const bool is_path = word.find('/') != std::string::npos || extension == ".yaml" ||
                       extension == ".yml" || extension == ".json";
  if (is_path) return check_by_keys(word)(word);
  const std::vector<std::string> machines = config::machine_names();
  std::error_code ignored;
  if (std::ranges::find(machines, word) == machines.end() &&
      std::filesystem::is_regular_file(word, ignored))
    throw config::ConfigError(
        {word + ": no file that tcsim check reads; those end in .yaml, .yml, .json or .csv"});
  return check_machine(word);
}

void check_files(const std::vector<std::string>& files) {
  if (files.empty()) throw config::ConfigError({"check: no file given; write tcsim check FILE..."});
  std::vector<std::string> mistakes;
  std::string unreadable;
  for (const std::string& file : files) {
    try {
      const Sound sound = check_file(file);
      fmt::print(std::cout, "{}: {}, no mistakes\n", file, sound.what);
      for (const std::string& note : sound.notes) fmt::print(std::cout, "  note: {}\n", note);
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
  command->add_option(
      "files", *files,
      "Files of machines, networks, sweeps, libraries, requests and lists, or names "
      "of machines");
  command->callback([files, &status] {
    check_files(*files);
    status = 0;
  });
}

}  // namespace tcsim::cli
