#include "sim/run/quantize_words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
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

constexpr std::array<std::string_view, 9> kWords{"per-tensor", "per-channel", "min-max",
                                                 "entropy",    "symmetric",   "asymmetric",
                                                 "requantize", "scale-a=",    "scale-b="};

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

std::vector<float> scales_of(const std::string& word, std::string_view text, std::int64_t count) {
  if (text.ends_with(".npy")) return scales_in_file(std::string(text), count);
  const auto value = text::number_of<double>(text);
  if (!value)
    refuse_quantize(fmt::format("{}: '{}' is neither a number nor a .npy file", word, text));
  return {checked_scale(*value, word)};
}

/// Sets what `word` says in `request`; scales wait until per-tensor or per-channel is known.
void apply(std::string_view word, QuantizationRequest& request, std::string& a, std::string& b) {
  if (word == "per-tensor") return;
  if (word == "per-channel") {
    request.per_channel = true;
  } else if (word == "min-max") {
    request.calibration = Calibration::kMinMax;
  } else if (word == "entropy") {
    request.calibration = Calibration::kEntropy;
  } else if (word == "symmetric") {
    request.symmetry = Symmetry::kSymmetric;
  } else if (word == "asymmetric") {
    request.symmetry = Symmetry::kAsymmetric;
  } else if (word == "requantize") {
    request.requantize = true;
  } else if (word.starts_with("scale-a=")) {
    a = word.substr(word.find('=') + 1);
  } else if (word.starts_with("scale-b=")) {
    b = word.substr(word.find('=') + 1);
  } else {
    refuse_quantize(fmt::format("unknown word '{}'{}", word,
                                files::did_you_mean(word, {kWords.begin(), kWords.end()})));
  }
}

}  // namespace

QuantizationRequest parse_quantize(const std::string& words, std::int64_t columns) {
  QuantizationRequest request;
  std::string a;
  std::string b;
  for (std::size_t start = 0; start <= words.size();) {
    const std::size_t end = std::min(words.find(',', start), words.size());
    apply(std::string_view(words).substr(start, end - start), request, a, b);
    start = end + 1;
  }
  if (!a.empty() && request.symmetry == Symmetry::kAsymmetric)
    refuse_quantize("scale-a and asymmetric contradict each other: a given scale has zero point 0");
  if (!a.empty()) request.scales_a = scales_of("scale-a", a, 1);
  if (!b.empty()) request.scales_b = scales_of("scale-b", b, request.per_channel ? columns : 1);
  if (request.per_channel && request.scales_b.size() == 1 && columns > 1)
    refuse_quantize("per-channel takes scale-b from a .npy file with one scale for each column");
  return request;
}

}  // namespace tcsim::run
