#include "models/numerics/transcendental.hpp"

#include <cmath>
#include <limits>

#include "models/numerics/convert.hpp"

namespace tcsim::numerics {
namespace {

constexpr std::uint32_t kCanonicalNan = 0x7fffffff;
constexpr std::uint32_t kSignBit = 0x80000000;
constexpr float kSmallestNormal = std::numeric_limits<float>::min();
constexpr double kLn2 = 0.693147180559945309417;

float flushed(float value) {
  return std::fabs(value) < kSmallestNormal ? std::copysign(0.0F, value) : value;
}

std::uint32_t rounded(double value) {
  if (std::isnan(value)) return kCanonicalNan;
  return fp32_pattern(flushed(static_cast<float>(value)));
}

/// e^x for |x| <= ln 2 / 2 by its Taylor series; the first omitted term is below 2^-56.
double short_exponential(double x) {
  constexpr int kTerms = 14;
  double sum = 1;
  for (int i = kTerms; i > 0; --i) sum = std::fma(sum, x / i, 1.0);
  return sum;
}

/// log2 m for m in [sqrt(1/2), sqrt(2)]: 2 artanh(z) / ln 2 with z = (m - 1) / (m + 1).
double short_logarithm(double m) {
  constexpr int kTerms = 12;  // |z| < 0.172: the first omitted term is below 2^-65
  const double z = (m - 1) / (m + 1);
  const double square = z * z;
  double sum = 0;
  for (int i = kTerms; i >= 0; --i) sum = std::fma(sum, square, 1.0 / (2 * i + 1));
  return 2 * z * sum / kLn2;
}

}  // namespace

std::uint32_t fp32_exp2(std::uint32_t x) {
  const float argument = flushed(host_float(x));
  if (std::isnan(argument)) return kCanonicalNan;
  constexpr float kBeyondRange = 200;  // 2^200 overflows, 2^-200 underflows
  if (argument > kBeyondRange) return fp32_pattern(std::numeric_limits<float>::infinity());
  if (argument < -kBeyondRange) return 0;
  const double whole = std::floor(static_cast<double>(argument) + 0.5);
  const double fraction = static_cast<double>(argument) - whole;
  return rounded(std::ldexp(short_exponential(fraction * kLn2), static_cast<int>(whole)));
}

std::uint32_t fp32_log2(std::uint32_t x) {
  const float argument = flushed(host_float(x));
  if (std::isnan(argument) || argument < 0) return kCanonicalNan;
  if (argument == 0) return fp32_pattern(-std::numeric_limits<float>::infinity());
  if (std::isinf(argument)) return x;
  constexpr double kRootOfHalf = 0.70710678118654752;
  int exponent = 0;
  double mantissa = std::frexp(static_cast<double>(argument), &exponent);  // in [0.5, 1)
  if (mantissa < kRootOfHalf) {
    mantissa *= 2;
    --exponent;
  }
  return rounded(exponent + short_logarithm(mantissa));
}

std::uint32_t fp32_reciprocal(std::uint32_t x) {
  const float argument = flushed(host_float(x));
  if (argument == 0) return (x & kSignBit) | fp32_pattern(std::numeric_limits<float>::infinity());
  return rounded(1 / static_cast<double>(argument));
}

std::uint32_t fp32_reciprocal_root(std::uint32_t x) {
  const float argument = flushed(host_float(x));
  if (argument == 0) return (x & kSignBit) | fp32_pattern(std::numeric_limits<float>::infinity());
  if (argument < 0) return kCanonicalNan;
  return rounded(1 / std::sqrt(static_cast<double>(argument)));
}

}  // namespace tcsim::numerics
