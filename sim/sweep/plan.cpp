#include "sim/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "sim/area/area.hpp"
#include "sim/area/core_cells.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/machine_text.hpp"
#include "sim/config/named_files.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/program.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "sim/sweep/input_name.hpp"
#include "sim/sweep/plot_checks.hpp"
#include "sim/sweep/spec_checks.hpp"
#include "sim/text/number.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::sweep {
namespace {

namespace fs = std::filesystem;
using config::Mistakes;

/// The text of an input of the sweep.
std::string input_text(const fs::path& path) {
  return files::read_file(path, files::FileKind::kInput);
}

/// One thing that a part of a workload comes down to.
struct Work {
  std::string words;    ///< for the command, relative to the sweep's folder
  std::string content;  ///< what determines it
  std::optional<workload::Workload> workload{};  ///< nothing: a network
  std::string here{};  ///< words for a network before the sweep has a folder
};

/// An option that a point cannot have.
struct Misfit {
  NamedText option;
  std::string reason;
};

class Planner {
 public:
  Planner(const Spec& spec, Plan& plan, Mistakes& mistakes)
      : spec_(spec), plan_(plan), mistakes_(mistakes) {}

  /// Records what is wrong with machines and workloads by themselves, for a SPEC that has no points
  /// because of other mistakes.
  void check_parts() {
    for (const MachineEntry& machine : spec_.machines)
      if (!machine.base.empty()) check_base(machine);
    for (const WorkloadEntry& workload : spec_.workloads)
      for (const WorkloadPart& part : workload.parts)
        for (const std::string& words : known_texts(spec_, part.words))
          if (!words.empty()) check_workload({words, part.count, part.place});
  }

  void add(const Configuration& configuration, int number) {
    const config::MachineFile* machine = machine_of(configuration);
    for (const WorkloadPart& part : configuration.parts) {
      for (const Work& work : works_of(part)) {
        if (machine == nullptr || is_full_) continue;
        if (plan_.points.size() < kMostPoints)
          add_point(configuration, number, *machine, part, work);
        else
          refuse_more(part);
      }
    }
  }

  /// Records options that no point can have.
  void refuse_misfits() {
    for (const auto& [id, misfit] : misfits_)
      if (!fitting_.contains(id))
        mistakes_.add(misfit.option.place, "options." + misfit.option.name, misfit.reason);
  }

 private:
  void check_base(const MachineEntry& machine) {
    const std::string label = label_of({{"machine", machine.name}});
    const auto refuse = [&](const std::string& reason) {
      mistakes_.add(machine.place, "machines", fmt::format("{}: {}", label, reason));
    };
    try {
      (void)library::read_machine(machine.base);
    } catch (const config::ConfigError& error) {
      std::ranges::for_each(error.messages(), refuse);
    } catch (const IoError& error) {
      refuse(error.what());
    }
  }

  void check_workload(const WorkloadPart& part) {
    try {
      (void)works_of(part);
    } catch (const IoError& error) {
      mistakes_.add(part.place, "workloads", error.what());
    }
  }

  void add_point(const Configuration& configuration, int number, const config::MachineFile& machine,
                 const WorkloadPart& part, const Work& work) {
    Point point;
    point.number = static_cast<int>(plan_.points.size()) + 1;
    point.configuration = number;
    point.name = configuration.name;
    point.parameters = configuration.parameters;
    point.part = work.words;
    point.count = part.count;
    if (const auto area = area::area_mm2(machine.machine))
      point.area_mm2 = std::round(*area * 10) / 10;  // a proxy has no more digits
    if (const auto core = area::core_design(machine.machine))
      point.core_gates = std::round(area::core_cells(*core).gate_equivalents());
    const std::string effective = config::canonical_text(machine);
    point.machine = report::hash_text(effective);
    std::string content = effective + '\0' + work.content;
    for (const NamedText& option : configuration.options) {
      content += '\0' + ("--" + option.name);
      if (option.text != "true") content += '\0' + option.text;
    }
    point.inputs = report::hash_text(content);
    point.key = report::hash_text(content + '\0' + plan_.revision);
    const run::RunRequest request = request_of(configuration, machine, work);
    point.expected = expected_of(request, configuration, machine, work);
    point.command = {"run"};
    std::ranges::move(run::command_words(request), std::back_inserter(point.command));
    for (const char* word : {"-f", "json", "-q", "--no-files"}) point.command.emplace_back(word);
    plan_.points.push_back(std::move(point));
  }

  std::optional<Expected> expected_of(const run::RunRequest& request,
                                      const Configuration& configuration,
                                      const config::MachineFile& machine, const Work& work) {
    if (const std::string& reason = contradiction_in(request, configuration); !reason.empty()) {
      note_misfit(configuration, reason, /*is_of_value=*/false);
      return {};
    }
    for (const NamedText& option : configuration.options) fitting_.insert(option.name);
    try {
      const run::Forecast told = work.workload
                                     ? run::forecast_of(request, *work.workload, machine, cost_)
                                     : forecast_of_network(request, configuration, work);
      for (const NamedText& option : configuration.options) fitting_.insert(id_of(option));
      return Expected{run::asked_seconds(request, told), told.sampled_s, told.memory_mib};
    } catch (const NotCovered&) {
      return {};
    } catch (const UsageError& error) {
      note_misfit(configuration, error.what(), /*is_of_value=*/true);
      return {};
    }
  }

  static std::string id_of(const NamedText& option) { return option.name + '=' + option.text; }

  /// Why the options of `configuration`, which `request` has too, cannot stand together; "" if they
  /// can.
  const std::string& contradiction_in(const run::RunRequest& request,
                                      const Configuration& configuration) {
    const bool is_network = run::is_network(request.workload);
    run::GivenFields given;
    for (const NamedText& option : configuration.options) {
      const run::Field& field = field_of_option(option.name);
      if (is_network || !field.is_of_networks)  // else told by request_of
        given[field.name] = {option.text};
    }
    std::string id = is_network ? "net" : "";
    for (const auto& [name, texts] : given) id += '\n' + name + '=' + texts.front();
    const auto [known, is_new] = contradictions_.try_emplace(id);
    if (!is_new) return known->second;
    try {
      run::check_fields(request, given);
    } catch (const run::RequestError& error) {
      known->second = error.what();
    }
    return known->second;
  }

  /// An option that one point cannot have: where the reason begins with "--tile: ", with its value
  /// if `is_of_value`, or beside the other options. A mistake if no other point can.
  void note_misfit(const Configuration& configuration, const std::string& reason,
                   bool is_of_value) {
    const std::string label = label_of(configuration.parameters);
    for (const NamedText& option : configuration.options) {
      const std::string word = "--" + option.name;
      const bool is_its_own = reason.starts_with(word + ": ");
      if (!is_its_own && !reason.starts_with(word + " ")) continue;
      misfits_.emplace(
          is_its_own && is_of_value ? id_of(option) : option.name,
          Misfit{option, fmt::format("{} (at {})",
                                     is_its_own ? reason.substr(word.size() + 2) : reason, label)});
    }
  }

  /// All steps together. The folder that `request` names its files in is not there yet.
  static run::Forecast forecast_of_network(run::RunRequest request,
                                           const Configuration& configuration, const Work& work) {
    request.workload = work.here;
    request.machines = {configuration.machine->base};
    run::Forecast all;
    for (const run::Forecast& step : run::forecast_network(request)) {
      all.seconds += step.seconds;
      all.sampled_s += step.sampled_s;
      all.memory_mib = std::max(all.memory_mib, step.memory_mib);
    }
    return all;
  }

  run::RunRequest request_of(const Configuration& configuration, const config::MachineFile& machine,
                             const Work& work) {
    run::RunRequest request;
    request.workload = work.words;
    request.machines = {machine_input(configuration.machine->base)};
    request.overrides = configuration.overrides;
    for (std::string& change : request.overrides)
      if (change.starts_with("libraries="))
        change = "libraries=" + copied_libraries(machine, kInputFolder);
    request.jobs = 1;
    for (const NamedText& option : configuration.options) {
      if (field_of_option(option.name).is_of_networks && work.workload)
        mistakes_.add(option.place, "options." + option.name, "belongs to networks (net:NAME)");
      try {
        field_of_option(option.name).take(request, option.text);
      } catch (const run::RequestError& error) {
        mistakes_.add(option.place, "options." + option.name, error.what());
      }
    }
    return request;
  }

  void refuse_more(const WorkloadPart& part) {
    is_full_ = true;
    mistakes_.add(part.place, "workloads",
                  fmt::format("the configurations times the parts of their workloads are more than "
                              "{} points, the most that a sweep may have",
                              kMostPoints));
  }

  /// The effective machine; null, and a mistake once, if there is none.
  const config::MachineFile* machine_of(const Configuration& configuration) {
    std::string id = configuration.machine->base;
    for (const std::string& change : configuration.overrides) id += '\n' + change;
    const auto known = machines_.find(id);
    if (known != machines_.end()) return known->second ? &*known->second : nullptr;
    if (machines_.size() >= kMostMachines) machines_.clear();
    auto& machine = machines_[id];
    try {
      (void)machine_input(configuration.machine->base);
      machine = library::read_machine(configuration.machine->base, configuration.overrides);
      return &*machine;
    } catch (const config::ConfigError& error) {
      for (const std::string& message : error.messages()) add_mistake(configuration, message);
    }
    return nullptr;
  }

  /// A mistake in the machine of `configuration`, at what gave the value if the machine's file did
  /// not.
  void add_mistake(const Configuration& configuration, const std::string& message) {
    constexpr std::string_view kOverride = "--set #";
    const std::string label = label_of(configuration.parameters);
    const std::size_t end = message.find(": ");
    if (message.starts_with(kOverride) && end != std::string::npos) {
      const auto number = text::number_of<std::size_t>(
          std::string_view(message).substr(kOverride.size(), end - kOverride.size()));
      mistakes_.add(configuration.places.at(number.value() - 1), "",
                    fmt::format("{} (at {})", message.substr(end + 2), label));
      return;
    }
    mistakes_.add(configuration.machine->place, "machines", fmt::format("{}: {}", label, message));
  }

  const std::vector<Work>& works_of(const WorkloadPart& part) {
    const auto known = works_.find(part.words);
    if (known != works_.end()) return known->second;
    std::vector<Work>& works = works_[part.words];
    if (run::is_network(part.words)) {
      if (auto work = network_work(part)) works.push_back(std::move(*work));
      return works;
    }
    try {
      for (const workload::Workload& work : workload::parse_workload(located(part.words)))
        works.push_back(work_of(work, part));
    } catch (const InputError& error) {
      for (const std::string& message : error.messages())
        mistakes_.add(part.place, "workloads", message);
    }
    return works;
  }

  /// A network of ours by its name, a file by what stands in it; nothing, and a mistake, if there
  /// is none.
  std::optional<Work> network_work(const WorkloadPart& part) {
    const std::string words = located(part.words);
    const std::string name = words.substr(words.find(':') + 1);
    try {
      const std::string text = networks::network_yaml(networks::load_network(name));
      return Work{"net:" + (networks::is_shipped(name) ? name : input(name)),
                  "net:" + report::hash_text(text), std::nullopt, words};
    } catch (const config::ConfigError& error) {
      for (const std::string& message : error.messages())
        mistakes_.add(part.place, "workloads", message);
    } catch (const UsageError& error) {
      mistakes_.add(part.place, "workloads", error.what());
    }
    return std::nullopt;
  }

  Work work_of(const workload::Workload& work, const WorkloadPart& part) {
    if (const auto* missing = std::get_if<workload::Unsupported>(&work.work))
      mistakes_.add(part.place, "workloads", missing->operation + ": " + missing->reason);
    const std::size_t colon = work.text.find(':');
    if (work.text.substr(0, colon) != "trace") return {work.text, work.text, work};
    const std::string path = work.text.substr(colon + 1);
    return {"trace:" + input(path), "trace:" + report::hash_text(input_text(path)), work};
  }

  /// `words` with a file beside the SPEC named by its path.
  [[nodiscard]] std::string located(const std::string& words) const {
    const std::size_t colon = words.find(':');
    const std::string kind = words.substr(0, colon);
    if (colon == std::string::npos || (kind != "csv" && kind != "trace" && kind != "net"))
      return words;
    if (kind == "net" && networks::is_shipped(words.substr(colon + 1))) return words;
    const fs::path beside = fs::path(spec_.file).parent_path() / words.substr(colon + 1);
    return fs::exists(beside) ? kind + ":" + beside.string() : words;
  }

  /// The name under which the sweep's folder holds `path`.
  std::string input(const std::string& path) {
    const auto known = inputs_.find(path);
    return known != inputs_.end() ? known->second : add_input(path, input_text(path));
  }

  /// The same of the machine `base`, complete, so that it needs no base beside it. Throws as
  /// library::read_machine.
  std::string machine_input(const std::string& base) {
    const auto known = machine_inputs_.find(base);
    if (known != machine_inputs_.end()) return known->second;
    config::MachineFile machine = library::read_machine(base);
    const auto libraries = std::ranges::find(machine.settings, "libraries", &config::Setting::key);
    libraries->value = copied_libraries(machine, "./");
    return machine_inputs_[base] = add_input(machine.file, config::machine_text(machine.settings));
  }

  /// The list of the libraries of `machine` with copies, in `folder`, in place of files.
  std::string copied_libraries(const config::MachineFile& machine, std::string_view folder) {
    nlohmann::ordered_json words = nlohmann::ordered_json::array();
    for (const std::string& word : machine.machine.libraries)
      words.push_back(config::is_path(word)
                          ? library_input(word).replace(0, kInputFolder.size(), folder)
                          : word);
    return files::json_text(words);
  }

  std::string library_input(const std::string& file) {
    const auto known = inputs_.find(file);
    return known != inputs_.end() ? known->second
                                  : add_input(file, library::complete_library_text(file));
  }

  std::string add_input(const std::string& path, std::string text) {
    std::string name = input_name(path, text);
    plan_.inputs.push_back({name, std::move(text)});
    return inputs_[path] = std::move(name);
  }

  const Spec& spec_;
  Plan& plan_;
  Mistakes& mistakes_;
  const run::SimulationCost cost_ = run::read_simulation_cost();
  bool is_full_ = false;
  std::map<std::string, std::optional<config::MachineFile>> machines_;
  std::map<std::string, std::vector<Work>> works_;
  std::map<std::string, std::string> inputs_;          ///< names by paths
  std::map<std::string, std::string> machine_inputs_;  ///< names by bases
  std::map<std::string, std::string> contradictions_;  ///< by the options together
  std::set<std::string> fitting_;  ///< options that some point can have, with and without values
  std::map<std::string, Misfit> misfits_;  ///< those that some cannot
};

}  // namespace

Plan make_plan(const std::string& file, const std::string& text) {
  Mistakes mistakes(file);
  const Spec spec = read_spec(file, text, mistakes);
  Plan plan;
  Planner planner(spec, plan, mistakes);
  std::vector<Configuration> configurations;
  if (mistakes.empty()) configurations = expand(spec, mistakes);
  if (!mistakes.empty()) planner.check_parts();
  mistakes.finish();
  plan.name = spec.name;
  plan.description = spec.description;
  plan.spec_text = text;
  plan.revision = run::model_revision();
  plan.limits = spec.limits;
  plan.plots = spec.plots;
  for (const auto& [name, value] : configurations.front().parameters)
    plan.parameters.push_back(name);
  int number = 0;
  for (const Configuration& configuration : configurations) planner.add(configuration, ++number);
  planner.refuse_misfits();
  mistakes.finish();
  check_plots(spec, plan);
  return plan;
}

}  // namespace tcsim::sweep
