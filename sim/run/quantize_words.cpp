#include "sim/run/quantize_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "sim/files/nearest.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/tensor_file/npy.hpp"
#include "sim/text/number.hpp"
#include "sim/values/tensor_matrix.hpp"

namespace tcsim::run {
namespace {

using quantization::Calibration;
using quantization::Symmetry;
using values::QuantizationRequest;

/// A word, or how it begins, and what it sets.
struct Word {
  std::string_view text;
  std::string_view sets;
};
constexpr std::array kWords = {
    Word{"per-tensor", "granularity"},    Word{"per-channel", "granularity"},
    Word{"min-max", "calibration"},       Word{"entropy", "calibration"},
    Word{"symmetric", "symmetry"},        Word{"asymmetric", "symmetry"},
    Word{"requantize", "requantisation"}, Word{"scale-a=", "scale of A"},
    Word{"scale-b=", "scale of B"}};

/// The given words by what they set.
using GivenWords = std::map<std::string_view, std::string_view>;

[[noreturn]] void refuse_quantize(const std::string& reason) {
  throw mistake_in("quantize", reason);
}

/// A scale is positive and finite; `place` says which one is not.
float checked_scale(double value, const std::string& place) {
  const auto scale = static_cast<float>(value);
  if (!std::isnormal(scale) || scale <= 0)
    refuse_quantize(fmt::format(
        "{}: {} is not a scale; scales are positive numbers from 1.2e-38 to 3.4e38", place, value));
  return scale;
}

std::vector<float> scales_in_file(const std::string& file, std::int64_t count) {
  const values::Matrix matrix = values::matrix_of(
      tensor_file::read_npy(file), {1, 1, count, "1 x scales"}, kernels::Element::kFp32, file);
  std::vector<float> scales;
  for (std::size_t i = 0; i < matrix.values.size(); ++i)
    scales.push_back(checked_scale(matrix.values[i], fmt::format("{}: row 0, column {}", file, i)));
  return scales;
}

/// Of "scale-a=X".
std::vector<float> scales_of(std::string_view word, std::int64_t count) {
  const std::string name(word.substr(0, word.find('=')));
  const std::string_view text = word.substr(name.size() + 1);
  if (text.ends_with(".npy")) return scales_in_file(std::string(text), count);
  const auto value = text::number_of<double>(text);
  if (!value)
    refuse_quantize(fmt::format("{}: '{}' is neither a number nor a .npy file", name, text));
  return {checked_scale(*value, name)};
}

/// Adds `word`, before which no word may set the same.
void add(std::string_view word, GivenWords& given) {
  const auto* const known = std::ranges::find_if(kWords, [&](const Word& one) {
    return one.text.ends_with('=') ? word.starts_with(one.text) : word == one.text;
  });
  if (known == kWords.end()) {
    std::vector<std::string_view> texts;
    for (const Word& one : kWords) texts.push_back(one.text);
    refuse_quantize(fmt::format("unknown word '{}'{}", word, files::did_you_mean(word, texts)));
  }
  const auto [earlier, is_new] = given.emplace(known->sets, word);
  if (!is_new)
    refuse_quantize(
        fmt::format("'{}' and '{}' both set the {}", earlier->second, word, known->sets));
}

}  // namespace

QuantizationRequest parse_quantize(const std::string& words, std::int64_t columns) {
  GivenWords given;
  for (std::size_t start = 0; start <= words.size();) {
    const std::size_t end = std::min(words.find(',', start), words.size());
    add(std::string_view(words).substr(start, end - start), given);
    start = end + 1;
  }
  QuantizationRequest request;
  request.per_channel = given["granularity"] == "per-channel";
  if (given["calibration"] == "entropy") request.calibration = Calibration::kEntropy;
  if (given["symmetry"] == "asymmetric") request.symmetry = Symmetry::kAsymmetric;
  request.requantize = given.contains("requantisation");
  const std::string_view a = given["scale of A"];
  const std::string_view b = given["scale of B"];
  if (!a.empty() && request.symmetry == Symmetry::kAsymmetric)
    refuse_quantize("scale-a and asymmetric contradict each other: a given scale has zero point 0");
  if (!a.empty()) request.scales_a = scales_of(a, 1);
  if (!b.empty()) request.scales_b = scales_of(b, request.per_channel ? columns : 1);
  if (request.per_channel && request.scales_b.size() == 1 && columns > 1)
    refuse_quantize("per-channel takes scale-b from a .npy file with one scale for each column");
  return request;
}

}  // namespace tcsim::run
