#include "workloads/kernels/conv/fourier_registers.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

template <typename Number>
std::vector<Number> every_second(const std::vector<Number>& x, std::size_t first) {
  std::vector<Number> half;
  for (std::size_t i = first; i < x.size(); i += 2) half.push_back(x[i]);
  return half;
}

}  // namespace

FourierRegisters::FourierRegisters(int first, int count) {
  for (int i = count; i-- > 0;) free_.push_back(first + i);
}

int FourierRegisters::take() {
  if (free_.empty()) throw std::logic_error("a Fourier transform needs more registers");
  const int number = free_.back();
  free_.pop_back();
  return number;
}

void FourierRegisters::give(Complex x) {
  give(x.re);
  if (x.im != kNone) give(x.im);
}

FourierRegisters::Turn FourierRegisters::turn(int k, int n) {
  // Computed from the first eighth of the circle, so that equal factors are equal numbers.
  if (8 * k > n) {
    const Turn mirrored = turn(n / 4 - k, n);  // requires k <= n / 4
    return {mirrored.sine, mirrored.cosine};
  }
  const double angle = 2 * std::numbers::pi * k / n;
  return {std::cos(angle), 8 * k == n ? std::cos(angle) : std::sin(angle)};
}

void FourierRegisters::load_factors(int length, Instructions& ops) {
  const auto load = [&](double value) {
    if (factors_.contains(value)) return;
    const int to = factors_[value] = take();
    ops.push_back(with_immediate(arithmetic(Opcode::kMov, reg(to)), fp32_literal(value)));
  };
  load(-1);
  for (int k = 1; 4 * k < length; ++k)
    for (const double value : {turn(k, length).cosine, turn(k, length).sine}) {
      load(value);
      load(-value);
    }
}

isa::Register FourierRegisters::factor(double value) const { return reg(factors_.at(value)); }

int FourierRegisters::add(int a, int b, Instructions& ops) {
  const int sum = take();
  ops.push_back(arithmetic(Opcode::kFadd, reg(sum), reg(a), reg(b)));
  return sum;
}

int FourierRegisters::subtract(int a, int b, Instructions& ops) {
  const int difference = take();
  ops.push_back(arithmetic(Opcode::kFfma, reg(difference), reg(b), factor(-1), reg(a)));
  return difference;
}

int FourierRegisters::scale(int a, double by, Instructions& ops) {
  const int product = take();
  ops.push_back(with_literal(Opcode::kFmul, product, a, by));
  return product;
}

FourierRegisters::Complex FourierRegisters::rotate(Complex x, Turn by, Instructions& ops) {
  const auto sum_of_products = [&](int a, double times_a, int b, double times_b) {
    const int first = scale(a, times_a, ops);
    ops.push_back(arithmetic(Opcode::kFfma, reg(first), reg(b), factor(times_b), reg(first)));
    return first;
  };
  const Complex result{sum_of_products(x.re, by.cosine, x.im, by.sine),
                       sum_of_products(x.im, by.cosine, x.re, -by.sine)};
  give(x);
  return result;
}

std::vector<FourierRegisters::Complex> FourierRegisters::transform(const std::vector<Complex>& x,
                                                                   bool inverse,
                                                                   Instructions& ops) {
  if (x.size() == 1) return x;
  const std::vector<Complex> even = transform(every_second(x, 0), inverse, ops);
  const std::vector<Complex> odd = transform(every_second(x, 1), inverse, ops);
  const int n = static_cast<int>(x.size());
  std::vector<Complex> result(x.size());
  for (int k = 0; k < n / 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Complex e = even[at];
    Complex o = odd[at];
    // A quarter turn exchanges the parts; for larger turns the rest is in the first quarter.
    const bool has_quarter = 4 * k >= n;
    const int rest = has_quarter ? k - n / 4 : k;
    if (rest > 0) {
      Turn by = turn(rest, n);
      if (inverse) by.sine = -by.sine;
      o = rotate(o, by, ops);
    }
    Complex& sum = result[at];
    Complex& difference = result[at + x.size() / 2];
    if (!has_quarter) {
      sum = {add(e.re, o.re, ops), add(e.im, o.im, ops)};
      difference = {subtract(e.re, o.re, ops), subtract(e.im, o.im, ops)};
    } else {
      const Complex minus_i{add(e.re, o.im, ops), subtract(e.im, o.re, ops)};  // e - i o
      const Complex plus_i{subtract(e.re, o.im, ops), add(e.im, o.re, ops)};
      sum = inverse ? plus_i : minus_i;
      difference = inverse ? minus_i : plus_i;
    }
    give(e);
    give(o);
  }
  return result;
}

std::vector<FourierRegisters::Complex> FourierRegisters::transform_real(const std::vector<int>& x,
                                                                        Instructions& ops) {
  if (x.size() == 1) return {{x.front(), kNone}};
  const std::vector<Complex> even = transform_real(every_second(x, 0), ops);
  const std::vector<Complex> odd = transform_real(every_second(x, 1), ops);
  const std::size_t half = x.size() / 2;
  std::vector<Complex> result(half + 1);
  result.front().re = add(even[0].re, odd[0].re, ops);
  result.back().re = subtract(even[0].re, odd[0].re, ops);
  give(even[0]);
  give(odd[0]);
  if (half == 1) return result;
  for (std::size_t k = 1; 2 * k < half; ++k) {
    const Complex o = rotate(odd[k], turn(static_cast<int>(k), static_cast<int>(x.size())), ops);
    const Complex e = even[k];
    result[k] = {add(e.re, o.re, ops), add(e.im, o.im, ops)};
    result[half - k] = {subtract(e.re, o.re, ops), subtract(o.im, e.im, ops)};
    give(e);
    give(o);
  }
  // Both are real, and the turn is a quarter.
  result[half / 2] = {even[half / 2].re, scale(odd[half / 2].re, -1, ops)};
  give(odd[half / 2]);
  return result;
}

std::vector<int> FourierRegisters::invert_to_real(const std::vector<Complex>& spectrum,
                                                  Instructions& ops) {
  const std::size_t half = spectrum.size() - 1;
  const int first = spectrum.front().re;
  const int last = spectrum.back().re;
  std::vector<Complex> even(half / 2 + 1);
  std::vector<Complex> odd(half / 2 + 1);
  even[0].re = add(first, last, ops);
  odd[0].re = subtract(first, last, ops);
  give(first);
  give(last);
  if (half == 1) return {even[0].re, odd[0].re};
  for (std::size_t k = 1; 2 * k < half; ++k) {
    const Complex a = spectrum[k];
    const Complex b = spectrum[half - k];
    even[k] = {add(a.re, b.re, ops), subtract(a.im, b.im, ops)};
    const Complex difference{subtract(a.re, b.re, ops), add(a.im, b.im, ops)};
    give(a);
    give(b);
    Turn by = turn(static_cast<int>(k), static_cast<int>(2 * half));
    by.sine = -by.sine;
    odd[k] = rotate(difference, by, ops);
  }
  const Complex middle = spectrum[half / 2];
  even[half / 2].re = scale(middle.re, 2, ops);
  odd[half / 2].re = scale(middle.im, -2, ops);
  give(middle);
  const std::vector<int> even_numbers = invert_to_real(even, ops);
  const std::vector<int> odd_numbers = invert_to_real(odd, ops);
  std::vector<int> result;
  for (std::size_t i = 0; i < half; ++i) {
    result.push_back(even_numbers[i]);
    result.push_back(odd_numbers[i]);
  }
  return result;
}

}  // namespace tcsim::kernels
