#pragma once

#include <ostream>
#include <string>

#include "sim/mma/arithmetic_words.hpp"

namespace tcsim::mma {

/// `tcsim mma check`: replays a file of vectors.
struct CheckOptions {
  ArithmeticWords arithmetic;
  std::string file;  ///< CSV, plain or gzipped; see VectorTable.
};

/// Prints vectors, mismatches, mismatches of each category and the first few of them; returns
/// whether every result agrees. Throws as find_arithmetic and for_each_vector do.
bool check(const CheckOptions& options, std::ostream& out);

}  // namespace tcsim::mma
