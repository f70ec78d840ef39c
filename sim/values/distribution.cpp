#include "sim/values/distribution.hpp"

#include <algorithm>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <random>

namespace tcsim::values {
namespace {

// The standard fixes its output; Boost fixes that of the distributions.
using Engine = std::mt19937_64;

int whole_number(Engine& engine, int least, int most) {
  return boost::random::uniform_int_distribution<int>(least, most)(engine);
}

/// [0, 1) in steps of 2^-24.
double unit(Engine& engine) {
  constexpr int kSteps = 24;
  return std::ldexp(static_cast<double>(engine() >> (64 - kSteps)), -kSteps);
}

double real_value(Distribution distribution, Engine& engine) {
  switch (distribution) {
    case Distribution::kUniform:
      return 2 * unit(engine) - 1;
    case Distribution::kNormal:
      return static_cast<float>(boost::random::normal_distribution<double>()(engine));
    case Distribution::kIntegers:
      return whole_number(engine, -8, 8);
    case Distribution::kZeros:
      return 0;
    case Distribution::kWide: {
      const double sign = whole_number(engine, 0, 1) == 0 ? 1 : -1;
      const double significand = static_cast<float>(1 + unit(engine));
      return sign * std::ldexp(significand, whole_number(engine, -15, 3));
    }
  }
  return 0;
}

double int8_value(Distribution distribution, Engine& engine) {
  switch (distribution) {
    case Distribution::kUniform:
      return whole_number(engine, -128, 127);
    case Distribution::kNormal: {
      const double value = boost::random::normal_distribution<double>(0, 32)(engine);
      return std::clamp(std::nearbyint(value), -127.0, 127.0);
    }
    case Distribution::kWide: {
      const double sign = whole_number(engine, 0, 1) == 0 ? 1 : -1;
      return std::ldexp(sign, whole_number(engine, 0, 6));
    }
    default:
      return real_value(distribution, engine);
  }
}

}  // namespace

std::vector<double> draw(Distribution distribution, NumberKind kind, std::uint64_t seed,
                         std::uint32_t stream, std::size_t count) {
  std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                      stream};
  Engine engine(words);
  std::vector<double> values(count);
  const auto one = kind == NumberKind::kInt8 ? int8_value : real_value;
  std::ranges::generate(values, [&] { return one(distribution, engine); });
  return values;
}

}  // namespace tcsim::values
