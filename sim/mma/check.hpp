#pragma once

#include <ostream>
#include <string>

#include "sim/mma/arithmetic_words.hpp"
#include "sim/mma/input_error.hpp"

namespace tcsim::mma {

/// `tcsim mma check`: replays a file of vectors.
struct CheckOptions {
  ArithmeticWords arithmetic;
  std::string file;  ///< CSV, plain or gzipped; see VectorTable.
};

/// Prints vectors, mismatches, mismatches of each category and the first few of them. Mistakes go
/// to `errors` as one line. Returns a Status: kMismatch if any result differs.
int run_mma_check(const CheckOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace tcsim::mma
