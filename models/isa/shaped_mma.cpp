#include "models/isa/shaped_mma.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tcsim::isa {
namespace {

/// The number after `letter` at the start of `text`; removes both from `text`.
std::optional<int> take_number(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  constexpr int kLongest = 100'000;
  if (error != std::errc{} || number < 1 || number > kLongest) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string number_list(const std::array<int, 4>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " or " : ", ") + std::to_string(numbers[i]);
  return text;
}

bool holds(const std::array<int, 4>& numbers, int number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

std::string formats_list() {
  std::string text;
  for (const ShapedFormats& formats : kShapedFormats)
    text += (text.empty() ? "" : ", ") + std::string(formats.sum_name) + "." +
            std::string(formats.input_name);
  return text;
}

std::string registers_text(const shaped::Shape& shape) {
  const int sum = shape.registers_a() + shape.registers_b() + shape.registers_c();
  if (sum <= shaped::kMostRegisters) return {};
  return "fragments of A, B and C take " + std::to_string(shape.registers_a()) + " + " +
         std::to_string(shape.registers_b()) + " + " + std::to_string(shape.registers_c()) + " = " +
         std::to_string(sum) + " registers of a thread, which has " +
         std::to_string(shaped::kMostRegisters) + " for them";
}

}  // namespace

std::string why_no_shaped_mma(std::string_view mnemonic) {
  constexpr std::string_view kPrefix = "MMA.";
  if (!mnemonic.starts_with(kPrefix)) return {};
  std::string_view rest = mnemonic.substr(kPrefix.size());
  const auto m = take_number(rest, 'M');
  const auto n = m ? take_number(rest, 'N') : std::nullopt;
  const auto k = n ? take_number(rest, 'K') : std::nullopt;
  if (!k || !rest.starts_with('.')) return {};
  rest.remove_prefix(1);
  std::string reasons;
  const auto add = [&reasons](const std::string& reason) {
    if (!reason.empty()) reasons += (reasons.empty() ? "" : "; ") + reason;
  };
  for (const auto& [letter, side] : {std::pair{'m', *m}, std::pair{'n', *n}})
    if (!holds(shaped::kSides, side))
      add(std::string(1, letter) + " is " + std::to_string(side) + ", not " +
          number_list(shaped::kSides));
  const auto formats = std::ranges::find_if(kShapedFormats, [&](const ShapedFormats& row) {
    return rest == std::string(row.sum_name) + "." + std::string(row.input_name);
  });
  if (formats == kShapedFormats.end()) {
    add("formats of sums and operands are " + std::string(rest) + ", not one of " + formats_list());
    return reasons;
  }
  const shaped::Shape shape{*formats, *m, *n, *k};
  const int row_bits = *k * formats->input_bits();
  if (row_bits % 8 != 0 || !holds(shaped::kRowBytes, row_bits / 8) || *k < shaped::kLanesOfARow)
    add("k is " + std::to_string(*k) + ", so a row of A has " + std::to_string(row_bits) +
        " bits, not " + number_list(shaped::kRowBytes) + " bytes with 4 elements or more");
  add(registers_text(shape));
  return reasons;
}

}  // namespace tcsim::isa
