#include "sim/cli/validate_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/errors/errors.hpp"
#include "sim/text/number.hpp"

namespace tcsim::cli {
namespace {

std::int64_t number(const char* option, const std::string& text, std::int64_t absent,
                    std::int64_t least) {
  if (text.empty()) return absent;
  const auto value = text::number_of<std::int64_t>(text);
  if (!value || *value < least)
    throw UsageError(fmt::format("tcsim validate: {}: '{}' is not a whole number of at least {}",
                                 option, text, least));
  return *value;
}

}  // namespace

ValidateOptionTexts::ValidateOptionTexts(CLI::App& command) {
  command.add_option("files", options_.files,
                     "Measured times (tests/validation/SOURCES.md); default: tests/validation");
  command.add_option("-m,--machine", options_.machine,
                     "Machine for every row; default: by the name of the GPU");
  add_repeatable(command, "--set", options_.overrides,
                 "key.path=value: change a key of every machine; repeatable");
  command.add_option("--gpu", options_.gpu, "Only rows of this GPU");
  command.add_option("--op", options_.op, "Only rows of this operation");
  command.add_option("--dtype", options_.dtype, "Only rows of this operand type");
  command.add_option("--source", options_.source, "Only rows of this source");
  command.add_option("--sample", sample_, "Only this many rows, drawn at random");
  command.add_option("--seed", seed_, "Seed of the sample (default: 1)");
  command.add_option(
      "--tiles", tiles_,
      "Run every row with this many top-ranked tiles of the chooser, to separate the "
      "error of the model from that of the choice (default: 1)");
  command.add_option("--fidelity", options_.fidelity,
                     "cycle, sampled:E% or auto:E%, as for tcsim run (default: cycle)");
  command.add_option("-j,--jobs", jobs_, "Rows at once; default: the processors of this host");
  command.add_option("-o,--out", out_,
                     "Directory; rows already in it are not run again. Default: the next "
                     "run-NNNN");
  command.add_flag("--no-files", options_.no_files, "Write no directory");
  command.add_option("-f,--format", format_, "text, json, csv or md (default: text)");
  command.add_flag("-q,--quiet", options_.quiet, "No progress");
}

ValidateOptions ValidateOptionTexts::checked() const {
  ValidateOptions options = options_;
  options.sample = static_cast<std::size_t>(number("--sample", sample_, 0, 1));
  options.seed = static_cast<std::uint64_t>(number("--seed", seed_, 1, 0));
  options.tiles = static_cast<std::size_t>(number("--tiles", tiles_, 1, 1));
  const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.jobs =
      static_cast<int>(std::min<std::int64_t>(number("--jobs", jobs_, processors, 1), 1024));
  check_field("tcsim validate", "fidelity", options.fidelity);
  if (options.no_files && !out_.empty())
    throw UsageError("tcsim validate: --no-files and -o contradict each other");
  if (!seed_.empty() && sample_.empty())
    throw UsageError("tcsim validate: --seed has no effect without --sample");
  if (!out_.empty()) options.out = out_;
  options.format = parse_format(format_);
  return options;
}

}  // namespace tcsim::cli
