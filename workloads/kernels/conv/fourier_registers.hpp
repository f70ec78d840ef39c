#pragma once

#include <map>
#include <vector>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// Discrete Fourier transforms of numbers in registers, by decimation in time, and the allocation
/// of these registers. Results use other registers than inputs, whose registers are free
/// afterwards. Lengths are powers of two. X[k] = sum of x[j] exp(-2 pi i j k / n); inverse
/// transforms have the other sign and no factor 1 / n.
class FourierRegisters {
 public:
  static constexpr int kNone = -1;
  /// Registers of a complex number; no imaginary register if that part is zero.
  struct Complex {
    int re = kNone;
    int im = kNone;
  };

  /// Works in registers [first, first + count).
  FourierRegisters(int first, int count);

  /// Loads the factors of transforms of up to `length` into registers. Must be called first.
  void load_factors(int length, Instructions& ops);
  int take();
  void give(int number) { free_.push_back(number); }

  /// Transforms n complex numbers.
  std::vector<Complex> transform(const std::vector<Complex>& x, bool inverse, Instructions& ops);
  /// Transforms n real numbers; returns X[0] to X[n / 2], of which the first and the last are real.
  std::vector<Complex> transform_real(const std::vector<int>& x, Instructions& ops);
  /// The inverse of transform_real.
  std::vector<int> invert_to_real(const std::vector<Complex>& spectrum, Instructions& ops);

 private:
  /// exp(-2 pi i k / n), as cosine and sine of the angle.
  struct Turn {
    double cosine;
    double sine;
  };
  static Turn turn(int k, int n);

  [[nodiscard]] isa::Register factor(double value) const;
  /// New registers with sums, differences and products; the inputs stay allocated.
  int add(int a, int b, Instructions& ops);
  int subtract(int a, int b, Instructions& ops);
  int scale(int a, double by, Instructions& ops);
  /// x (cosine - i sine); frees the registers of x.
  Complex rotate(Complex x, Turn by, Instructions& ops);
  void give(Complex x);

  std::vector<int> free_;
  std::map<double, int> factors_;
};

}  // namespace tcsim::kernels
