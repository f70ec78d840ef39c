#include "sim/config/numerics.hpp"

#include <fmt/core.h>

#include <string_view>

#include "sim/config/load.hpp"
#include "sim/config/machine_reader.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::config {
namespace {

using numerics::ElementType;
using numerics::RoundingMode;

std::optional<RoundingMode> rounding(const std::string& word) {
  if (word == "truncate") return RoundingMode::kTruncate;
  if (word == "nearest_even") return RoundingMode::kNearestEven;
  return std::nullopt;
}

numerics::BlockOrder block_order(const std::string& word) {
  if (word == "descending") return numerics::BlockOrder::kDescending;
  return word == "interleaved" ? numerics::BlockOrder::kInterleaved
                               : numerics::BlockOrder::kAscending;
}

MachineCheck holds_a_product(std::string_view format, ElementType input,
                             numerics::FormatChanges NumericsParams::*changes) {
  return {{fmt::format("numerics.{}.accumulator_fraction_bits", format)},
          [=](const Machine& machine) -> std::string {
            const auto kept = (machine.numerics.*changes).accumulator_fraction_bits;
            const int product = numerics::product_fraction_bits(input);
            if (!kept || *kept >= product) return {};
            return fmt::format(
                "{} fraction bits are narrower than a product of two {} numbers, which has {}",
                *kept, format, product);
          }};
}

}  // namespace

numerics::TensorArithmetic tensor_arithmetic(const Machine& machine) {
  const NumericsParams& words = machine.numerics;
  const std::string& base = words.base == "architecture" ? machine.architecture : words.base;
  numerics::TensorArithmetic core(numerics::arithmetic_of(base).value());
  core.fp16 = words.fp16;
  core.bf16 = words.bf16;
  core.tf32 = words.tf32;
  core.fp8 = words.fp8;
  core.fp32_rounding = rounding(words.fp32_rounding);
  core.fp16_rounding = rounding(words.fp16_rounding);
  core.block_order = block_order(words.block_order);
  core.subnormals = words.subnormals != "flushed";
  return core;
}

numerics::TensorArithmetic read_numerics(const std::string& file) {
  const NumericsFile read =
      read_numerics_text(file, files::read_file(file, files::FileKind::kMachine), machine_bases());
  Machine machine{};
  machine.architecture = read.architecture;
  machine.numerics = read.numerics;
  return tensor_arithmetic(machine);
}

std::vector<MachineCheck> numerics_checks() {
  return {
      holds_a_product("fp16", ElementType::kFp16, &NumericsParams::fp16),
      holds_a_product("bf16", ElementType::kBf16, &NumericsParams::bf16),
      holds_a_product("tf32", ElementType::kTf32, &NumericsParams::tf32),
      holds_a_product("fp8", ElementType::kE4m3, &NumericsParams::fp8),
  };
}

}  // namespace tcsim::config
