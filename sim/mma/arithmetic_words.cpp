#include "sim/mma/arithmetic_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/mma/refuse.hpp"

namespace tcsim::mma {

namespace {

using numerics::ElementType;

[[noreturn]] void refuse_word(std::string_view option, std::string_view word,
                              const std::vector<std::string_view>& allowed) {
  const std::string got = word.empty() ? "missing" : fmt::format("'{}' is unknown", word);
  throw UsageError(fmt::format("mma: {}: {}; allowed: {}", option, got, fmt::join(allowed, ", ")));
}

numerics::Generation generation(const std::string& word) {
  if (const auto found = numerics::generation_named(word)) return *found;
  std::vector<std::string_view> allowed(numerics::kGenerations.size());
  std::transform(numerics::kGenerations.begin(), numerics::kGenerations.end(), allowed.begin(),
                 [](const numerics::GenerationInfo& row) { return row.name; });
  refuse_word("--arch", word, allowed);
}

numerics::InstructionKind kind(const std::string& word) {
  if (const auto found = numerics::instruction_kind_named(word)) return *found;
  const auto& names = numerics::kInstructionKindNames;
  refuse_word("--instr", word, {names.begin(), names.end()});
}

bool is_accumulator(ElementType type) {
  return type == ElementType::kFp16 || type == ElementType::kFp32 || type == ElementType::kFp64 ||
         type == ElementType::kInt32;
}

bool is_input(ElementType type) {
  return type != ElementType::kFp32 && type != ElementType::kInt32;
}

ElementType type_named(std::string_view option, const std::string& word,
                       bool (*fits)(ElementType)) {
  const auto found = numerics::element_type_named(word);
  if (found && fits(*found)) return *found;
  std::vector<std::string_view> allowed;
  for (const auto& row : numerics::kElementTypes)
    if (fits(row.type)) allowed.push_back(row.name);
  refuse_word(option, word, allowed);
}

ElementType widest_accumulator(ElementType input) {
  if (input == ElementType::kFp64) return ElementType::kFp64;
  const bool real = numerics::info(input).element_class == numerics::ElementClass::kFloat;
  return real ? ElementType::kFp32 : ElementType::kInt32;
}

numerics::BitOperation operation(const std::string& word) {
  if (word.empty() || word == "xor") return numerics::BitOperation::kXor;
  if (word == "and") return numerics::BitOperation::kAnd;
  refuse_word("--op", word, {"xor", "and"});
}

}  // namespace

numerics::Arithmetic find_arithmetic(const ArithmeticWords& words) {
  const numerics::TensorArithmetic core =
      words.core ? *words.core : numerics::TensorArithmetic(generation(words.arch));
  numerics::ArithmeticKey key;
  key.kind = kind(words.instr);
  key.a = type_named("--dtype", words.dtype, is_input);
  key.b = words.b_dtype.empty() ? key.a : type_named("--b-dtype", words.b_dtype, is_input);
  key.accumulator = words.acc.empty() ? widest_accumulator(key.a)
                                      : type_named("--acc", words.acc, is_accumulator);
  key.bit_operation = operation(words.operation);
  key.saturate = words.satfinite;
  key.m8n8k4 = words.m8n8k4;
  if (words.satfinite && !numerics::is_integer(key.a))
    throw UsageError("mma: --satfinite applies to int8, uint8, int4 and uint4 only");
  if (words.m8n8k4 && (key.a != ElementType::kFp16 || key.kind != numerics::InstructionKind::kMma))
    throw UsageError("mma: --m8n8k4 applies to fp16 with mma only");
  if (!words.operation.empty() && key.a != ElementType::kB1)
    throw UsageError("mma: --op applies to b1 only");
  const auto found = numerics::find_arithmetic(core, key);
  if (!found.has_value()) refuse("mma", found.refusal());
  return found.value();
}

}  // namespace tcsim::mma
