#include "sim/cli/rtl_command.hpp"

#include <fmt/ostream.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/table.hpp"
#include "sim/config/load.hpp"
#include "sim/core_rtl/core_source.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

struct RtlOptions {
  std::string machine;
  std::vector<std::string> overrides;
  std::vector<std::string> modules;
  std::string format = "text";
};

std::string build_text(const core_rtl::CorePlan& plan, const core_rtl::BuiltCore& built) {
  const sm::TensorParams& tensor = plan.tensor;
  std::string text =
      fmt::format("{}: RTL of {} of {} per sub-core, {}, {} MMAs\n", plan.machine,
                  text::counted(tensor.cores_per_sub_core, "core"), sm::to_string(tensor.core),
                  tensor.organisation, plan.instructions.size());
  for (const core_rtl::LeftOut& left : plan.left_out)
    text += fmt::format("  without {}: {}\n", left.mnemonic, left.reason);
  for (const core_rtl::SourceFile& own : plan.own_modules)
    text += fmt::format("  with another {}\n", own.name);
  text += built.was_there ? std::string("  built before: ")
                          : fmt::format("  built in {:.1f} s: ", built.seconds);
  return text +
         fmt::format("{}\n  {}, {}\n", built.folder.string(), built.verilator, built.compiler);
}

std::string build_json(const core_rtl::CorePlan& plan, const core_rtl::BuiltCore& built) {
  nlohmann::ordered_json json;
  json["machine"] = plan.machine;
  json["core"] = sm::to_string(plan.tensor.core);
  json["cores_per_sub_core"] = plan.tensor.cores_per_sub_core;
  json["organisation"] = plan.tensor.organisation;
  json["instructions"] = nlohmann::ordered_json::array();
  for (const core_rtl::CoreInstruction& instruction : plan.instructions)
    json["instructions"].push_back(isa::opcode_info(instruction.opcode).mnemonic);
  json["left_out"] = nlohmann::ordered_json::object();
  for (const core_rtl::LeftOut& left : plan.left_out) json["left_out"][left.mnemonic] = left.reason;
  json["own_modules"] = nlohmann::ordered_json::array();
  for (const core_rtl::SourceFile& own : plan.own_modules) json["own_modules"].push_back(own.name);
  json["folder"] = built.folder.string();
  json["built_before"] = built.was_there;
  json["seconds"] = built.seconds;
  json["verilator"] = built.verilator;
  json["compiler"] = built.compiler;
  return files::json_text(json, 2) + "\n";
}

int build(const RtlOptions& options) {
  const Format format = parse_format(options.format);
  if (format != Format::kText && format != Format::kJson)
    throw UsageError("tcsim rtl build: --format: text or json");
  if (options.machine.empty())
    throw UsageError("tcsim rtl build: of which machine? Write tcsim rtl build MACHINE");
  const config::Machine machine = config::load_machine(options.machine, options.overrides);
  core_rtl::CorePlan plan = core_rtl::plan_core(machine);
  core_rtl::take_modules(plan, options.modules);
  const auto built = build_unless_interrupted(plan);
  if (!built) return kInterrupted;
  fmt::print(std::cout, "{}",
             format == Format::kJson ? build_json(plan, *built) : build_text(plan, *built));
  return kDone;
}

}  // namespace

std::optional<core_rtl::BuiltCore> build_unless_interrupted(const core_rtl::CorePlan& plan) {
  const InterruptGuard guard;
  try {
    return core_rtl::build_core(plan,
                                {.note = {}, .pending_signal = InterruptGuard::pending_signal});
  } catch (const IoError& error) {
    if (InterruptGuard::pending_signal() == 0) throw;
    fmt::print(std::cerr, "{}\n", error.what());
    return {};
  }
}

void add_rtl_command(CLI::App& app, int& status) {
  const auto options = std::make_shared<RtlOptions>();
  CLI::App* command = app.add_subcommand("rtl", "The RTL of a machine's tensor cores");
  command->require_subcommand(1);
  CLI::App* view = command->add_subcommand(
      "build", "Verilate and compile the tensor cores of a machine once, for all later uses");
  view->add_option("machine", options->machine, "Name or file");
  add_repeatable(*view, "--set", options->overrides,
                 "key.path=value on top of the file; repeatable");
  add_repeatable(*view, "--rtl", options->modules, kModulesHelp);
  view->add_option("-f,--format", options->format, "text or json (default: text)");
  view->callback([options, &status] { status = build(*options); });
}

}  // namespace tcsim::cli
