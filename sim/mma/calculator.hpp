#pragma once

#include <ostream>
#include <string>

#include "sim/mma/arithmetic_words.hpp"

namespace tcsim::mma {

/// `tcsim mma`: one element of D from operands on the command line.
struct CalculatorOptions {
  ArithmeticWords arithmetic;
  std::string a;  ///< Hexadecimal elements, see parse_hex; missing elements are zero.
  std::string b;
  std::string c;         ///< One pattern of the accumulator type; empty means zero.
  bool explain = false;  ///< Show every stage of the computation.
};

/// Prints D in hexadecimal and decimal, preceded by the stages if requested. Throws UsageError for
/// a mistake in the options, NotCovered as find_arithmetic does.
void calculate(const CalculatorOptions& options, std::ostream& out);

}  // namespace tcsim::mma
