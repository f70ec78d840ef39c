#pragma once

#include <map>
#include <vector>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// Discrete Fourier transforms of numbers in registers, by decimation in time, and the registers
/// they are in. Results take other registers than inputs, whose registers are free afterwards.
/// Lengths are powers of two. X[k] = sum of x[j] exp(-2 pi i j k / n); inverse transforms have the
/// other sign and no factor 1 / n.
class FourierRegisters {
 public:
  static constexpr int kNone = -1;
  /// Registers of a complex number; no imaginary one if it is zero.
  struct Complex {
    int re = kNone;
    int im = kNone;
  };

  /// Works in registers [first, first + count).
  FourierRegisters(int first, int count);

  /// Loads the factors of transforms of up to `length` into registers. First of all.
  void load_factors(int length, Instructions& ops);
  int take();
  void give(int number) { free_.push_back(number); }

  /// n complex numbers.
  std::vector<Complex> transform(const std::vector<Complex>& x, bool inverse, Instructions& ops);
  /// n real numbers; X[0] to X[n / 2], of which the first and the last are real.
  std::vector<Complex> transform_real(const std::vector<int>& x, Instructions& ops);
  /// The inverse of that.
  std::vector<int> invert_to_real(const std::vector<Complex>& spectrum, Instructions& ops);

 private:
  /// exp(-2 pi i k / n), as cosine and sine of the angle.
  struct Turn {
    double cosine;
    double sine;
  };
  static Turn turn(int k, int n);

  [[nodiscard]] isa::Register factor(double value) const;
  /// New registers with sums, differences and products; inputs stay taken.
  int add(int a, int b, Instructions& ops);
  int subtract(int a, int b, Instructions& ops);
  int scale(int a, double by, Instructions& ops);
  /// x (cosine - i sine); x is given back.
  Complex rotate(Complex x, Turn by, Instructions& ops);
  void give(Complex x);

  std::vector<int> free_;
  std::map<double, int> factors_;
};

}  // namespace tcsim::kernels
