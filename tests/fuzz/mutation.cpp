#include "tests/fuzz/mutation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

#include "tests/fuzz/structure.hpp"

namespace tcsim::fuzz {
namespace {

constexpr std::string_view kSyntax = "{}[]()'\",:.-+ \n\\0189eExXLafFTu\0\x7f\x80\xff";
constexpr std::array<std::string_view, 8> kNumbers{"-1",
                                                   "0",
                                                   "2147483648",
                                                   "4294967296",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "18446744073709551616",
                                                   "1e309"};

void flip_bit(std::string& text, std::mt19937& random) {
  if (text.empty()) return;
  text[below(text.size(), random)] ^= static_cast<char>(1 << below(8, random));
}

void put_syntax(std::string& text, std::mt19937& random) {
  const char character = kSyntax[below(kSyntax.size(), random)];
  if (text.empty() || below(2, random) == 0)
    text.insert(below(text.size() + 1, random), 1, character);
  else
    text[below(text.size(), random)] = character;
}

void remove_range(std::string& text, std::mt19937& random) {
  const std::size_t begin = below(text.size() + 1, random);
  text.erase(begin, below(std::min<std::size_t>(text.size() - begin, 40) + 1, random));
}

void repeat_range(std::string& text, std::mt19937& random) {
  const std::size_t begin = below(text.size() + 1, random);
  const std::string part = text.substr(begin, below(40, random));
  text.insert(below(text.size() + 1, random), part);
}

void replace_number(std::string& text, std::mt19937& random) {
  const std::size_t begin = text.find_first_of("0123456789", below(text.size() + 1, random));
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  text.replace(begin, end - begin, kNumbers[below(kNumbers.size(), random)]);
}

/// A binary length field near a limit, at the start, where both tensor formats have theirs.
void overwrite_integer(std::string& text, std::mt19937& random) {
  constexpr std::array<std::uint64_t, 6> kValues{0,           1,           0xffff,
                                                 0x7fff'ffff, 0xffff'ffff, 0xffff'ffff'ffff'ffff};
  const std::uint64_t value = kValues[below(kValues.size(), random)];
  const std::size_t begin = below(16, random);
  if (begin + sizeof value <= text.size()) std::memcpy(&text[begin], &value, sizeof value);
}

void cut(std::string& text, std::mt19937& random) { text.resize(below(text.size() + 1, random)); }

std::string with_bytes_changed(std::span<const std::string> inputs, std::mt19937& random) {
  constexpr std::array kChanges{flip_bit,     put_syntax,     put_syntax,        remove_range,
                                repeat_range, replace_number, overwrite_integer, cut};
  std::string text = inputs[below(inputs.size(), random)];
  for (std::size_t change = below(4, random) + 1; change-- > 0;)
    kChanges[below(kChanges.size(), random)](text, random);
  if (below(8, random) == 0) {
    const std::string& other = inputs[below(inputs.size(), random)];
    text += other.substr(below(other.size() + 1, random));
  }
  return text;
}

}  // namespace

std::string mutated(const Target& target, std::span<const std::string> seeds, std::uint32_t seed,
                    std::uint32_t index) {
  std::seed_seq sequence{seed, index};
  std::mt19937 random(sequence);
  const bool by_structure = target.form != Form::kBinary && below(2, random) == 0;
  std::string text = by_structure
                         ? restructured(seeds[below(seeds.size(), random)], target.form, random)
                         : with_bytes_changed(seeds, random);
  if (target.sealed != nullptr && below(4, random) != 0) text = target.sealed(text);
  return text;
}

}  // namespace tcsim::fuzz
