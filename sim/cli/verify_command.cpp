#include "sim/cli/verify_command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/rtl_command.hpp"
#include "sim/cli/table.hpp"
#include "sim/config/load.hpp"
#include "sim/core_rtl/core_source.hpp"
#include "sim/core_rtl/verify_core.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/report/manifest.hpp"
#include "sim/rtl/verify_rtl.hpp"
#include "sim/text/number.hpp"

namespace tcsim::cli {
namespace {

using numerics::ElementType;

struct Options {
  std::string what;
  std::string unit;
  std::string dtype;
  std::string b_dtype;
  std::string acc;
  std::string file;
  std::string machine;
  std::vector<std::string> overrides;
  std::vector<std::string> modules;
  std::string format = "text";
  std::string seed;
  bool require_coverage = false;
  bool counts_vectors = false;  ///< --vectors is given
  rtl::VerifyOptions run;
};

struct Choice {
  const rtl::UnitInfo* unit;
  rtl::Operation operation;
};

constexpr const rtl::UnitInfo* kUnits[] = {&rtl::kUnit4x4x4, &rtl::kUnit8x4x8, &rtl::kUnit8x4x16};

[[noreturn]] void refuse_word(const std::string& option, const std::string& word,
                              const std::vector<std::string_view>& allowed) {
  throw UsageError(fmt::format("tcsim verify: {}: '{}' is not one of {}{}", option, word,
                               fmt::join(allowed, ", "), files::did_you_mean(word, allowed)));
}

ElementType type_named(const std::string& option, const std::string& word) {
  const auto type = numerics::element_type_named(word);
  if (type) return *type;
  std::vector<std::string_view> names(numerics::kElementTypes.size());
  std::transform(numerics::kElementTypes.begin(), numerics::kElementTypes.end(), names.begin(),
                 [](const numerics::ElementTypeInfo& row) { return row.name; });
  refuse_word(option, word, names);
}

std::vector<const rtl::UnitInfo*> chosen_units(const std::string& word) {
  if (word.empty()) return {std::begin(kUnits), std::end(kUnits)};
  std::vector<std::string_view> names;
  for (const rtl::UnitInfo* unit : kUnits) {
    if (unit->name == word) return {unit};
    names.push_back(unit->name);
  }
  refuse_word("--unit", word, names);
}

std::uint64_t seed_of(const std::string& given) {
  const auto value = text::number_of<std::uint64_t>(given);
  if (!value)
    throw UsageError(fmt::format("tcsim verify: --seed: {} is not a whole number from 0 to {}",
                                 files::shown(given), std::numeric_limits<std::uint64_t>::max()));
  return *value;
}

/// Whether --file or --vcd is given, which are for one operation.
bool needs_one(const Options& options) { return !options.file.empty() || !options.run.vcd.empty(); }

/// Every operation that the words leave; none throws NotCovered.
std::vector<Choice> choices(const Options& options) {
  std::optional<ElementType> input;
  std::optional<ElementType> b;
  std::optional<ElementType> accumulator;
  if (!options.dtype.empty()) input = type_named("--dtype", options.dtype);
  if (!options.b_dtype.empty())
    b = type_named("--b-dtype", options.b_dtype);
  else if (needs_one(options))
    b = input;
  if (!options.acc.empty()) accumulator = type_named("--acc", options.acc);
  std::vector<Choice> found;
  std::string available;
  for (const rtl::UnitInfo* unit : chosen_units(options.unit)) {
    for (const rtl::Operation& operation : unit->operations) {
      available += fmt::format("{}{}: {}", available.empty() ? "" : ", ", unit->name,
                               rtl::to_string(operation));
      if ((!input || *input == operation.input) && (!b || *b == operation.b) &&
          (!accumulator || *accumulator == operation.accumulator))
        found.push_back({unit, operation});
    }
  }
  if (found.empty())
    throw NotCovered(fmt::format("tcsim verify: no unit has {}{}{}{}{}; there are {}",
                                 options.dtype.empty() ? "any type" : options.dtype,
                                 options.b_dtype.empty() ? "" : " x ", options.b_dtype,
                                 options.acc.empty() ? "" : " into ", options.acc, available));
  return found;
}

rtl::UnitReport verify(const Choice& choice, const Options& options) {
  if (options.file.empty()) return verify_random(*choice.unit, choice.operation, options.run);
  return verify_file(*choice.unit, choice.operation, options.file, options.run);
}

/// The words that give `tcsim mma` the arithmetic of `plan`, the machine of the options; none if
/// that is the one of its generation.
std::string replay_machine(const Options& options, const core_rtl::CorePlan& plan) {
  if (plan.arithmetic == numerics::TensorArithmetic(plan.arithmetic.base)) return {};
  std::vector<std::string> words{"-m", options.machine};
  for (const std::string& change : options.overrides) {
    words.emplace_back("--set");
    words.push_back(change);
  }
  return report::shell_line(words);
}

/// The cores of a machine against its own numerics and its derived cycles.
int verify_machine(const Options& options, Format format) {
  const config::Machine machine = config::load_machine(options.machine, options.overrides);
  core_rtl::CorePlan plan = core_rtl::plan_core(machine);
  core_rtl::take_modules(plan, options.modules);
  const auto built = build_unless_interrupted(plan);
  if (!built) return kInterrupted;
  rtl::VerifyOptions run = options.run;
  run.machine = replay_machine(options, plan);
  const core_rtl::CoreReport report = core_rtl::verify_core(plan, *built, run);
  fmt::print(std::cout, "{}",
             format == Format::kJson ? core_rtl::to_json(report) : core_rtl::to_text(report));
  const bool covered = !options.require_coverage || report.missed() == 0;
  return report.holds() && covered ? kDone : kCheckFailed;
}

void check(const Options& options) {
  if (options.what.empty()) throw UsageError("tcsim verify: what? Write tcsim verify rtl");
  if (options.what != "rtl") refuse_word("what", options.what, {"rtl"});
  if (options.run.vectors < 1)
    throw UsageError(
        fmt::format("tcsim verify: --vectors: {} is not positive", options.run.vectors));
  const bool of_unit = !options.unit.empty() || !options.dtype.empty() ||
                       !options.b_dtype.empty() || !options.acc.empty() || needs_one(options);
  if (!options.machine.empty() && of_unit)
    throw UsageError(
        "tcsim verify: -m compares all of a machine; --unit, --dtype, --b-dtype, --acc, --file "
        "and --vcd are for the units of V100, A100 and H100");
  if (!options.file.empty() && (options.counts_vectors || options.require_coverage))
    throw UsageError(
        "tcsim verify: --vectors and --require-coverage are for random operands, not for --file");
  if (options.machine.empty() && !options.overrides.empty())
    throw UsageError("tcsim verify: --set changes a machine: name it with -m");
  if (options.machine.empty() && !options.modules.empty())
    throw UsageError("tcsim verify: --rtl changes the cores of a machine: name it with -m");
}

int run(const Options& options) {
  check(options);
  const Format format = parse_format(options.format);
  if (format != Format::kText && format != Format::kJson)
    refuse_word("--format", options.format, {"text", "json"});
  if (!options.machine.empty()) return verify_machine(options, format);
  const std::vector<Choice> chosen = choices(options);
  if (needs_one(options) && chosen.size() > 1)
    throw UsageError(
        fmt::format("tcsim verify: {} is for one operation; name it with --unit, "
                    "--dtype and --acc",
                    options.file.empty() ? "--vcd" : "--file"));
  std::vector<rtl::UnitReport> reports;
  bool holds = true;
  for (const Choice& choice : chosen) {
    reports.push_back(verify(choice, options));
    const rtl::UnitReport& report = reports.back();
    holds =
        holds && report.holds() && !(options.require_coverage && !report.coverage.missed().empty());
    if (format == Format::kText) fmt::print(std::cout, "{}", rtl::to_text(report));
  }
  if (format == Format::kJson) fmt::print(std::cout, "{}", rtl::to_json(reports));
  return holds ? kDone : kCheckFailed;
}

}  // namespace

void add_verify_command(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "Compare the RTL matrix units with the model, bit for bit");
  command->add_option("what", options->what, "rtl");
  command->add_option("-m,--machine", options->machine,
                      "The tensor cores of this machine, built as by tcsim rtl build");
  add_repeatable(*command, "--set", options->overrides, "key.path=value on top of it; repeatable");
  add_repeatable(*command, "--rtl", options->modules, kModulesHelp);
  command->add_option("--unit", options->unit, "4x4x4, 8x4x8 or 8x4x16; default: all");
  command->add_option("--dtype", options->dtype,
                      "fp16, bf16, tf32, e4m3, e5m2 or int8; default: all");
  command->add_option("--b-dtype", options->b_dtype,
                      "Type of b; default: all, with --file or --vcd that of --dtype");
  command->add_option("--acc", options->acc, "fp16, fp32 or int32; default: all");
  const CLI::Option* vectors = command->add_option(
      "--vectors", options->run.vectors, "Output elements for each operation (default: 100000)");
  const CLI::Option* seed =
      command->add_option("--seed", options->seed, "Seed of operands and stalls (default: 1)");
  command->add_option("--file", options->file,
                      "Rows a,b,c,d of a CSV[.gz] instead of random operands");
  command->add_option("--vcd", options->run.vcd, "Write the waveform of one operation");
  command->add_flag("--require-coverage", options->require_coverage,
                    "Fail if a situation never occurred");
  command->add_option("-f,--format", options->format, "text or json (default: text)");
  command->callback([options, vectors, seed, &status] {
    options->counts_vectors = vectors->count() > 0;
    if (seed->count() > 0) options->run.seed = seed_of(options->seed);
    status = run(*options);
  });
}

}  // namespace tcsim::cli
