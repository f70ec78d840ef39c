#include "sim/cli/verify_command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/table.hpp"
#include "sim/config/error.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/mma/input_error.hpp"
#include "sim/rtl/verify_rtl.hpp"

namespace tcsim::cli {
namespace {

using numerics::ElementType;

struct Options {
  std::string what;
  std::string unit;
  std::string dtype;
  std::string acc;
  std::string file;
  std::string format = "text";
  bool require_coverage = false;
  rtl::VerifyOptions run;
};

struct Choice {
  const rtl::UnitInfo* unit;
  rtl::Operation operation;
};

constexpr const rtl::UnitInfo* kUnits[] = {&rtl::kUnit4x4x4, &rtl::kUnit8x4x8};

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

/// Every operation that the words leave; none throws NotCovered.
std::vector<Choice> choices(const Options& options) {
  std::optional<ElementType> input;
  std::optional<ElementType> accumulator;
  if (!options.dtype.empty()) input = type_named("--dtype", options.dtype);
  if (!options.acc.empty()) accumulator = type_named("--acc", options.acc);
  std::vector<Choice> found;
  std::string available;
  for (const rtl::UnitInfo* unit : chosen_units(options.unit)) {
    for (const rtl::Operation& operation : unit->operations) {
      available += fmt::format("{}{}: {}", available.empty() ? "" : ", ", unit->name,
                               rtl::to_string(operation));
      if ((!input || *input == operation.input) &&
          (!accumulator || *accumulator == operation.accumulator))
        found.push_back({unit, operation});
    }
  }
  if (found.empty())
    throw NotCovered(fmt::format("tcsim verify: no unit has {}{}{}; there are {}", options.dtype,
                                 options.acc.empty() ? "" : " into ", options.acc, available));
  return found;
}

rtl::UnitReport verify(const Choice& choice, const Options& options) {
  if (options.file.empty()) return verify_random(*choice.unit, choice.operation, options.run);
  try {
    return verify_file(*choice.unit, choice.operation, options.file, options.run);
  } catch (const mma::InputError& error) {
    throw UsageError(error.what());
  }
}

void check(const Options& options) {
  if (options.what.empty()) throw UsageError("tcsim verify: what? Write tcsim verify rtl");
  if (options.what != "rtl") refuse_word("what", options.what, {"rtl"});
  if (options.run.vectors < 1)
    throw UsageError(
        fmt::format("tcsim verify: --vectors: {} is not positive", options.run.vectors));
}

int run(const Options& options) {
  check(options);
  const Format format = parse_format(options.format);
  if (format != Format::kText && format != Format::kJson)
    refuse_word("--format", options.format, {"text", "json"});
  const std::vector<Choice> chosen = choices(options);
  const bool needs_one = !options.file.empty() || !options.run.vcd.empty();
  if (needs_one && chosen.size() > 1)
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
  command->add_option("--unit", options->unit, "4x4x4 or 8x4x8; default: both");
  command->add_option("--dtype", options->dtype, "fp16, bf16, tf32 or int8; default: all");
  command->add_option("--acc", options->acc, "fp16, fp32 or int32; default: all");
  command->add_option("--vectors", options->run.vectors,
                      "Output elements for each operation (default: 100000)");
  command->add_option("--seed", options->run.seed, "Of operands and stalls (default: 1)");
  command->add_option("--file", options->file,
                      "Rows a,b,c,d of a CSV[.gz] in place of random operands");
  command->add_option("--vcd", options->run.vcd, "Write the waveform of one operation");
  command->add_flag("--require-coverage", options->require_coverage,
                    "Fail if a situation never occurred");
  command->add_option("-f,--format", options->format, "text or json (default: text)");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace tcsim::cli
