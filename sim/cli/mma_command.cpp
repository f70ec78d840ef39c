#include "sim/cli/mma_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/config/load.hpp"
#include "sim/config/numerics.hpp"
#include "sim/errors/errors.hpp"
#include "sim/mma/calculator.hpp"
#include "sim/mma/check.hpp"
#include "sim/mma/tile.hpp"

namespace tcsim::cli {
namespace {

struct MmaOptions {
  std::vector<std::string> words;
  std::string numerics;
  std::string machine;
  std::vector<std::string> overrides;
  mma::CalculatorOptions calculator;
  std::vector<const CLI::Option*> of_arithmetic;  ///< options that set calculator.arithmetic
};

/// The arithmetic of --numerics or -m; nothing if neither is given.
std::optional<numerics::TensorArithmetic> given_core(const MmaOptions& options) {
  const bool has_arch = !options.calculator.arithmetic.arch.empty();
  const bool has_file = !options.numerics.empty();
  const bool has_machine = !options.machine.empty();
  if (int{has_arch} + int{has_file} + int{has_machine} > 1)
    throw UsageError("mma: --arch, --numerics and -m each set the arithmetic; give one");
  if (!has_machine && !options.overrides.empty())
    throw UsageError("mma: --set changes a machine: name it with -m");
  if (has_file) return config::read_numerics(options.numerics);
  if (!has_machine) return {};
  return config::tensor_arithmetic(config::load_machine(options.machine, options.overrides));
}

int run_mma(const MmaOptions& options) {
  mma::CalculatorOptions calculator = options.calculator;
  calculator.arithmetic.core = given_core(options);
  if (options.words.empty()) {
    mma::calculate(calculator, std::cout);
    return kDone;
  }
  const std::string& verb = options.words[0];
  const bool has_operands =
      !calculator.a.empty() || !calculator.b.empty() || !calculator.c.empty() || calculator.explain;
  if (verb != "check" && verb != "tile")
    throw UsageError(fmt::format("mma: unknown word '{}'; allowed: check FILE, tile FILE", verb));
  if (has_operands)
    throw UsageError(fmt::format("mma: {} takes no --a, --b, --c or --explain", verb));
  const std::vector<std::string> files(options.words.begin() + 1, options.words.end());
  if (verb == "tile") {
    std::vector<std::string> given;
    for (const CLI::Option* option : options.of_arithmetic)
      if (option->count() > 0) given.push_back(option->get_name());
    if (!given.empty())
      throw UsageError(
          fmt::format("mma: tile reads instruction and GPU from the file; leave {} out",
                      fmt::join(given, ", ")));
    return mma::replay_tiles({files, calculator.arithmetic.core}, std::cout) ? kDone : kCheckFailed;
  }
  if (files.size() > 1)
    throw UsageError(fmt::format("mma: check takes one file, got {}", files.size()));
  const std::string file = files.empty() ? "" : files[0];
  return mma::check({calculator.arithmetic, file}, std::cout) ? kDone : kCheckFailed;
}

}  // namespace

void add_mma_command(CLI::App& app, int& status) {
  const auto options = std::make_shared<MmaOptions>();
  CLI::App* command = app.add_subcommand(
      "mma", "Compute tensor-core results bit for bit, or compare them with recorded ones");
  mma::ArithmeticWords& words = options->calculator.arithmetic;
  const auto add_word = [&](const char* name, std::string& word, const char* help) {
    options->of_arithmetic.push_back(command->add_option(name, word, help));
  };
  const auto add_switch = [&](const char* name, bool& on, const char* help) {
    options->of_arithmetic.push_back(command->add_flag(name, on, help));
  };
  command->add_option("words", options->words,
                      "check FILE.csv[.gz]: vectors; tile FILE.jsonl[.gz]: register images; "
                      "neither: one element from --a, --b, --c");
  add_word("--arch", words.arch, "volta, turing, ampere, ada or hopper");
  command->add_option("--numerics", options->numerics,
                      "Instead of --arch: a file with a section numerics, such as a machine file");
  command->add_option("-m,--machine", options->machine,
                      "Instead of --arch: the arithmetic of this machine's tensor cores");
  add_repeatable(*command, "--set", options->overrides, "key.path=value on top of it; repeatable");
  add_word("--dtype", words.dtype,
           "fp16, bf16, tf32, e4m3, e5m2, int8, uint8, int4, uint4, b1 or fp64");
  add_word("--b-dtype", words.b_dtype, "Type of b where it differs from --dtype");
  add_word("--acc", words.acc, "fp16, fp32, fp64 or int32; default: the widest for the type");
  add_word("--instr", words.instr, "mma, wmma or wgmma, where it matters; default mma");
  add_word("--op", words.operation, "b1: xor or and; default xor");
  add_switch("--satfinite", words.satfinite, "Integers: clamp to 32 bits, do not wrap");
  add_switch("--m8n8k4", words.m8n8k4, "fp16: that shape, which CUDA cores compute since Ampere");
  command->add_option("--a", options->calculator.a,
                      "Hexadecimal elements, comma-separated; elements beyond the last are zero");
  command->add_option("--b", options->calculator.b, "As many elements as --a");
  command->add_option("--c", options->calculator.c, "Accumulator in hexadecimal; default 0");
  command->add_flag("--explain", options->calculator.explain,
                    "Show exponents, alignment, dropped bits, sum and rounding");
  command->callback([options, &status] { status = run_mma(*options); });
}

}  // namespace tcsim::cli
