#include "models/numerics/ptx_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::numerics {

namespace {

/// The dot-separated words of a name, consumed one by one.
class Words {
 public:
  explicit Words(std::string_view text) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t dot = std::min(text.find('.', begin), text.size());
      words_.push_back(text.substr(begin, dot - begin));
      begin = dot + 1;
    }
  }
  std::string_view peek() const { return next_ < words_.size() ? words_[next_] : ""; }
  std::string_view take() {
    const std::string_view word = peek();
    ++next_;
    return word;
  }
  bool take_if(std::string_view word) {
    if (peek() != word) return false;
    ++next_;
    return true;
  }
  bool at_end() const { return next_ >= words_.size(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
};

std::string quoted(std::string_view word) {
  if (word.empty()) return "the end of the name";
  std::string text(1, '\'');
  text += word;
  text += '\'';
  return text;
}

Refusal expected(std::string_view what, std::string_view found) {
  return mistake("expected " + std::string(what) + ", got " + quoted(found));
}

std::optional<MmaShape> parse_shape(std::string_view word) {
  MmaShape shape;
  const char* at = word.data();
  const char* const end = word.data() + word.size();
  const std::array<std::pair<char, int*>, 3> parts = {
      {{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}};
  for (const auto& [letter, number] : parts) {
    if (at == end || *at != letter) return std::nullopt;
    const auto [rest, error] = std::from_chars(at + 1, end, *number);
    if (error != std::errc{} || *number <= 0) return std::nullopt;
    at = rest;
  }
  if (at != end) return std::nullopt;
  return shape;
}

std::optional<Layout> parse_layout(std::string_view word) {
  if (word == "row") return Layout::kRow;
  if (word == "col") return Layout::kColumn;
  return std::nullopt;
}

std::optional<RoundingMode> parse_rounding(std::string_view word) {
  if (word == "rn") return RoundingMode::kNearestEven;
  if (word == "rz") return RoundingMode::kTowardZero;
  if (word == "rm") return RoundingMode::kTowardNegative;
  if (word == "rp") return RoundingMode::kTowardPositive;
  return std::nullopt;
}

/// "mma[.sp[::ordered_metadata]].sync.aligned" or "wgmma.mma_async[.sp].sync.aligned".
std::optional<Refusal> parse_family(Words& words, MmaInstruction& instruction) {
  const std::string_view family = words.take();
  if (family == "wmma")
    return unsupported("wmma leaves its fragments undefined, so a tile cannot be placed; use mma");
  if (family == "wgmma") {
    instruction.kind = InstructionKind::kWgmma;
    if (!words.take_if("mma_async")) return expected("'mma_async'", words.peek());
  } else if (family != "mma") {
    return expected("'mma' or 'wgmma'", family);
  }
  if (words.peek().substr(0, 2) == "sp") {
    const std::string_view word = words.take();
    instruction.sparse = true;
    instruction.ordered_metadata = word == "sp::ordered_metadata";
    if (word != "sp" && !instruction.ordered_metadata)
      return expected("'sp' or 'sp::ordered_metadata'", word);
  }
  if (!words.take_if("sync")) return expected("'sync'", words.peek());
  if (!words.take_if("aligned")) return expected("'aligned'", words.peek());
  return std::nullopt;
}

std::optional<Refusal> parse_layouts(Words& words, MmaInstruction& instruction) {
  if (instruction.kind == InstructionKind::kWgmma) return std::nullopt;
  for (Layout* layout : {&instruction.a_layout, &instruction.b_layout}) {
    const std::string_view word = words.take();
    const auto parsed = parse_layout(word);
    if (!parsed) return expected("'row' or 'col'", word);
    *layout = *parsed;
  }
  return std::nullopt;
}

/// The modifiers before the types, then d, a, b and, for mma, c.
std::optional<Refusal> parse_types(Words& words, MmaInstruction& instruction) {
  if (words.peek().substr(0, 6) == "kind::" || words.peek() == "block_scale")
    return unsupported(quoted(words.peek()) + " belongs to generations after hopper");
  if (const auto rounding = parse_rounding(words.peek())) {
    instruction.fp64_rounding = *rounding;
    words.take();
  }
  instruction.saturate = words.take_if("satfinite");
  std::vector<ElementType*> slots = {&instruction.d, &instruction.a, &instruction.b};
  if (instruction.kind == InstructionKind::kMma) slots.push_back(&instruction.c);
  for (ElementType* slot : slots) {
    const std::string_view word = words.take();
    const auto type = element_type_with_ptx_name(word);
    if (!type) return expected("an element type such as f16, bf16, tf32, f32, s8, b1", word);
    *slot = *type;
  }
  if (instruction.kind == InstructionKind::kWgmma) instruction.c = instruction.d;
  if (words.take_if("satfinite")) instruction.saturate = true;
  return std::nullopt;
}

std::optional<Refusal> parse_bit_operation(Words& words, MmaInstruction& instruction) {
  if (instruction.a != ElementType::kB1) return std::nullopt;
  const std::string_view word = words.take();
  if (word != "xor" && word != "and") return expected("'xor' or 'and'", word);
  instruction.bit_operation = word == "xor" ? BitOperation::kXor : BitOperation::kAnd;
  if (!words.take_if("popc")) return expected("'popc'", words.peek());
  return std::nullopt;
}

std::optional<Refusal> check_shape(const MmaInstruction& instruction) {
  const auto rows = shapes_of(instruction.kind, instruction.a, instruction.sparse);
  std::string allowed;
  for (const ShapeRow& row : rows) {
    MmaShape shape = row.shape;
    if (instruction.kind == InstructionKind::kWgmma &&
        is_wgmma_width(instruction.a, instruction.shape.n))
      shape.n = instruction.shape.n;
    if (shape == instruction.shape) return std::nullopt;
    const bool any_width = instruction.kind == InstructionKind::kWgmma;
    allowed += (allowed.empty() ? "" : ", ") +
               (any_width ? "m64nNk" + std::to_string(shape.k) : to_string(shape));
  }
  const std::string what = std::string(instruction.sparse ? "sparse " : "") +
                           std::string(name(instruction.kind)) + " with " +
                           std::string(info(instruction.a).ptx_name);
  if (rows.empty()) return unsupported(what + " does not exist");
  return mistake(what + " has no shape " + to_string(instruction.shape) + "; it has " + allowed);
}

std::optional<Refusal> check_combination(const MmaInstruction& instruction) {
  ArithmeticKey key;
  key.a = instruction.a;
  key.b = instruction.b;
  key.accumulator = instruction.d;
  key.bit_operation = instruction.bit_operation;
  const auto found = find_arithmetic(key);
  if (!found.has_value() && found.refusal().kind == Refusal::Kind::kMistake) return found.refusal();
  const bool widened = instruction.matrices() == 4 && instruction.c == ElementType::kFp16 &&
                       instruction.d == ElementType::kFp32;
  if (instruction.c != instruction.d && !widened)
    return mistake("c and d must have the same type (m8n8k4 also takes c f16 with d f32)");
  const bool fixed_layouts =
      instruction.a_layout == Layout::kRow && instruction.b_layout == Layout::kColumn;
  if (!fixed_layouts && instruction.matrices() == 1)
    return mistake("layouts other than row.col exist for m8n8k4 with f16 only");
  if (instruction.saturate && !is_integer(instruction.a))
    return mistake("satfinite applies to integer inputs only");
  if (instruction.fp64_rounding != RoundingMode::kNearestEven &&
      instruction.a != ElementType::kFp64)
    return mistake("a rounding mode applies to f64 only");
  return std::nullopt;
}

}  // namespace

Result<MmaInstruction> parse_ptx_name(std::string_view text) {
  Words words(text);
  MmaInstruction instruction;
  if (const auto refusal = parse_family(words, instruction)) return *refusal;
  const std::string_view shape_word = words.take();
  const auto shape = parse_shape(shape_word);
  if (!shape) return expected("a shape such as m16n8k16", shape_word);
  instruction.shape = *shape;
  if (const auto refusal = parse_layouts(words, instruction)) return *refusal;
  if (const auto refusal = parse_types(words, instruction)) return *refusal;
  if (const auto refusal = parse_bit_operation(words, instruction)) return *refusal;
  if (!words.at_end()) return expected("the end of the name", words.peek());
  if (const auto refusal = check_combination(instruction)) return *refusal;
  if (const auto refusal = check_shape(instruction)) return *refusal;
  return instruction;
}

}  // namespace tcsim::numerics
