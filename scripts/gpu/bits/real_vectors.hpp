#pragma once

#include <array>

#include "scripts/gpu/bits/number_format.hpp"
#include "scripts/gpu/bits/vector.hpp"
#include "scripts/gpu/common/errors.hpp"
#include "scripts/gpu/common/random.hpp"

namespace tcsim::measure {

/// Random operands for floating-point MMA, `k` products and c. Uniform bits hardly ever make ties,
/// deep cancellation or subnormal sums, so nine categories take turns, each made to distinguish one
/// kind of wrong arithmetic from the right one; or the category that is named makes all.
class RealVectors {
 public:
  /// Throws ProgramError for an unknown `category`; without one all take turns.
  RealVectors(const NumberFormat& input, const NumberFormat& accumulator, int k, std::uint64_t seed,
              const std::string& category = "")
      : input_(input), accumulator_(accumulator), k_(k), random_(seed) {
    std::string names;
    for (const Category& known : categories()) {
      if (category.empty() || category == known.name) chosen_.push_back(known);
      names += std::string(" ") + known.name;
    }
    if (chosen_.empty())
      throw ProgramError(kMistake, "'" + category + "' is not a category (allowed:" + names + ")");
  }

  Vector next() {
    const Category& category = chosen_[turn_++ % chosen_.size()];
    Vector vector{category.name, std::vector<std::uint64_t>(static_cast<std::size_t>(k_)),
                  std::vector<std::uint64_t>(static_cast<std::size_t>(k_)), 0};
    (this->*category.make)(vector);
    return vector;
  }

 private:
  struct Category {
    const char* name;
    void (RealVectors::*make)(Vector&);
  };
  static std::array<Category, 9> categories() {
    return {{{"ordinary", &RealVectors::ordinary},
             {"bits", &RealVectors::bits},
             {"zeros", &RealVectors::zeros},
             {"clustered", &RealVectors::clustered},
             {"cancelled", &RealVectors::cancelled},
             {"ties", &RealVectors::ties},
             {"subnormal", &RealVectors::subnormal},
             {"special", &RealVectors::special},
             {"overflow", &RealVectors::overflow}}};
  }

  bool coin() { return random_.one_in(2); }
  std::uint64_t random_bits(const NumberFormat& format) {
    return random_.bits() >> (64 - format.bits);
  }
  std::uint64_t around(const NumberFormat& format, int exponent) {
    return format.normal(coin(), format.clamp(exponent), random_.bits());
  }
  std::size_t position() {
    return static_cast<std::size_t>(random_.below(static_cast<std::uint64_t>(k_)));
  }

  /// Factors whose product has the exponent `exponent` (fractions aside) where the format allows.
  void product(Vector& vector, std::size_t i, int exponent) {
    const int spread = input_.max_exponent() / 2;
    const int first = input_.clamp(exponent / 2 + random_.between(-spread, spread));
    vector.a[i] = around(input_, first);
    vector.b[i] = around(input_, exponent - first);
  }

  void ordinary(Vector& vector) {
    for (std::size_t i = 0; i < vector.a.size(); ++i) product(vector, i, random_.between(-8, 3));
    vector.c = around(accumulator_, random_.between(-6, 3));
  }

  void bits(Vector& vector) {
    for (std::size_t i = 0; i < vector.a.size(); ++i) {
      vector.a[i] = random_bits(input_);
      vector.b[i] = random_bits(input_);
    }
    vector.c = random_bits(accumulator_);
  }

  /// A third of the elements and half of the c are zero, exponents low: the floor of the alignment.
  void zeros(Vector& vector) {
    const int low = std::max(2 * input_.min_exponent(), accumulator_.min_exponent()) - 12;
    for (std::size_t i = 0; i < vector.a.size(); ++i) {
      product(vector, i, random_.between(low, low + 30));
      if (random_.one_in(3)) vector.a[i] = input_.pattern(coin(), 0, 0);
      if (random_.one_in(3)) vector.b[i] = input_.pattern(coin(), 0, 0);
    }
    vector.c = coin() ? accumulator_.pattern(coin(), 0, 0)
                      : around(accumulator_, accumulator_.min_exponent() + random_.between(0, 20));
  }

  /// Exponents at a common maximum and 12 to 28 below it: what the alignment keeps and drops.
  void clustered(Vector& vector) {
    const int top = random_.between(-4, 8);
    for (std::size_t i = 0; i < vector.a.size(); ++i)
      product(vector, i, top - (coin() ? 0 : random_.between(12, 28)));
    vector.c = around(accumulator_, top - (coin() ? 0 : random_.between(12, 28)));
  }

  /// Two products that cancel exactly over small rests.
  void cancelled(Vector& vector) {
    const int top = random_.between(0, 12);
    for (std::size_t i = 0; i < vector.a.size(); ++i)
      product(vector, i, top - random_.between(20, 30));
    vector.c = around(accumulator_, top - random_.between(20, 30));
    const std::size_t plus = position();
    const std::size_t minus = (plus + 1 + position()) % vector.a.size();
    if (plus == minus) return;
    product(vector, plus, top);
    vector.a[minus] = input_.negated(vector.a[plus]);
    vector.b[minus] = vector.b[plus];
  }

  /// c and half a unit in its last place, exact or with a far smaller term.
  void ties(Vector& vector) {
    const int top = random_.between(0, 4);
    vector.c = accumulator_.normal(coin(), top, random_.bits());
    const std::size_t half = position();
    const int exponent = top - accumulator_.fraction_bits - 1;
    vector.a[half] = input_.normal(coin(), input_.clamp(exponent / 2), 0);
    vector.b[half] = input_.power(input_.clamp(exponent - input_.clamp(exponent / 2)));
    if (coin()) product(vector, position(), exponent - random_.between(1, 6));
  }

  void subnormal(Vector& vector) {
    for (std::size_t i = 0; i < vector.a.size(); ++i) {
      vector.a[i] = input_.pattern(coin(), 0, random_.bits());
      vector.b[i] = coin() ? around(input_, random_.between(0, input_.max_exponent()))
                           : input_.pattern(coin(), 0, random_.bits());
      if (coin()) std::swap(vector.a[i], vector.b[i]);
    }
    vector.c = coin() ? accumulator_.pattern(coin(), 0, random_.bits())
                      : around(accumulator_, random_.between(-30, 0));
  }

  void special(Vector& vector) {
    ordinary(vector);
    for (int count = random_.between(1, 3); count > 0; --count) {
      std::uint64_t value = input_.pattern(coin(), 0, 0);
      if (random_.one_in(3)) value = input_.nan();
      if (input_.has_infinity && coin()) value = input_.infinity(coin());
      (coin() ? vector.a : vector.b)[position()] = value;
    }
    if (random_.one_in(4)) vector.c = accumulator_.infinity(coin());
    if (random_.one_in(8)) vector.c = accumulator_.nan();
  }

  /// Sums near the largest finite result.
  void overflow(Vector& vector) {
    const int top = std::min(accumulator_.max_exponent(), 2 * input_.max_exponent());
    for (std::size_t i = 0; i < vector.a.size(); ++i)
      product(vector, i, top - random_.between(0, 6));
    vector.c = around(accumulator_, accumulator_.max_exponent() - random_.between(0, 6));
  }

  const NumberFormat& input_;
  const NumberFormat& accumulator_;
  int k_;
  Random random_;
  std::vector<Category> chosen_;
  std::size_t turn_ = 0;
};

}  // namespace tcsim::measure
