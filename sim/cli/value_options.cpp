#include "sim/cli/value_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <utility>

#include "sim/cli/exit_status.hpp"

namespace tcsim::cli {
namespace {

std::uint64_t seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("tcsim run: --seed: '{}' is not a whole number", text));
  return seed;
}

values::Distribution distribution_of(const std::string& text) {
  if (const auto found = values::distribution_named(text)) return *found;
  throw UsageError(fmt::format("tcsim run: --inputs: '{}' is not one of {}", text,
                               fmt::join(values::kDistributionNames, ", ")));
}

}  // namespace

ValueOptionTexts::ValueOptionTexts(CLI::App& command) {
  command.add_flag("--values", values_,
                   "Also execute the kernel for its values and print its errors");
  command.add_option("--inputs", inputs_,
                     "Operands drawn as uniform, normal, integers, zeros or wide (default: "
                     "uniform)");
  command.add_option("--seed", seed_, "Seed of drawn operands (default: 1)");
  command.add_option("--a", a_, "Operand A from a .npy file, m x k");
  command.add_option("--b", b_, "Operand B from a .npy file, k x n");
  command.add_option("--quantize", quantize_,
                     "INT8 from reals: per-tensor or per-channel, then min-max or entropy, "
                     "symmetric or asymmetric, requantize, scale-a=, scale-b= (number or .npy)");
}

ValueOptions ValueOptionTexts::checked() const {
  const std::array<std::pair<const char*, const std::string*>, 5> texts = {
      {{"--inputs", &inputs_},
       {"--seed", &seed_},
       {"--a", &a_},
       {"--b", &b_},
       {"--quantize", &quantize_}}};
  for (const auto& [option, text] : texts) {
    if (!values_ && !text->empty())
      throw UsageError(fmt::format("tcsim run: {} has no effect without --values", option));
  }
  if (!a_.empty() && !b_.empty() && (!inputs_.empty() || !seed_.empty()))
    throw UsageError("tcsim run: --inputs and --seed have no effect with both --a and --b");
  ValueOptions options;
  options.wanted = values_;
  if (!inputs_.empty()) options.inputs = distribution_of(inputs_);
  if (!seed_.empty()) options.seed = seed_of(seed_);
  options.a = a_;
  options.b = b_;
  options.quantize = quantize_;
  return options;
}

std::vector<std::string> ValueOptions::words() const {
  if (!wanted) return {};
  std::vector<std::string> words{"--values"};
  const auto add = [&words](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (a.empty() || b.empty()) {
    add("--inputs", std::string(values::name(inputs)));
    add("--seed", std::to_string(seed));
  }
  if (!a.empty()) add("--a", a);
  if (!b.empty()) add("--b", b);
  if (!quantize.empty()) add("--quantize", quantize);
  return words;
}

}  // namespace tcsim::cli
