#pragma once

#include <string>
#include <vector>

#include "sim/json/view.hpp"
#include "sim/run/request.hpp"

namespace tcsim::serve {

/// The file of a machine that a client wrote, in the folder of the child that reads it.
inline constexpr const char* kMachineFile = "machine.yaml";

/// A machine of a client: a shipped one or the text of a machine file, with changes.
struct MachineChoice {
  std::string name;  ///< of a shipped machine; empty: `text` is it
  std::string text;
  std::vector<std::string> overrides;  ///< key.path=value

  /// What a command takes for it in a folder with kMachineFile.
  [[nodiscard]] std::string word() const { return name.empty() ? kMachineFile : name; }
};

/// What a client wants to be run. Nothing in it names a file of this machine.
struct Experiment {
  MachineChoice machine;
  run::RunRequest request;  ///< ready for a child in a folder with kMachineFile
};

/// Fields of run::RunRequest that a client may set, in addition to workload, machine and set.
const std::vector<std::string>& option_names();

/// {"machine": NAME} or {"machine_text": TEXT}, and "set": [...]. Throws UsageError for what is
/// wrong, unknown or names a file.
MachineChoice read_machine_choice(const json::View& view);

/// The same with "workload": WORDS and "options": {name: value}.
Experiment read_experiment(const json::View& view);

/// `experiment` as read_experiment reads it, in one form for equal ones. Whole numbers above 2^53
/// are texts, since browsers would change them.
json::Json experiment_json(const Experiment& experiment);

}  // namespace tcsim::serve
