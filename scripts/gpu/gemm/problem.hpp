#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// D[m][n] = A[m][k] * B[k][n], all row-major. `layout`: first letter A (N: stored m x k, T: k x
/// m), second B (N: stored k x n, T: n x k).
struct Problem {
  std::string input;        ///< fp16, bf16, tf32, int8, fp64, fp32 (CUDA cores)
  std::string accumulator;  ///< fp16, fp32, int32, fp64
  int m = 0;
  int n = 0;
  int k = 0;
  std::string layout;

  bool a_transposed() const { return layout[0] == 'T'; }
  bool b_transposed() const { return layout[1] == 'T'; }
  double flop() const { return 2.0 * m * n * k; }
  std::string params() const {
    return "m=" + std::to_string(m) + ";n=" + std::to_string(n) + ";k=" + std::to_string(k) +
           ";layout=" + layout;
  }
};

/// Reads a list with the header dtype_in,dtype_acc,m,n,k,layout; lines that start with # are
/// skipped. Throws ProgramError with file and line of a mistake.
inline std::vector<Problem> read_problems(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw ProgramError(kUnreadable, path + ": cannot read");
  std::vector<Problem> problems;
  std::string line;
  bool header = true;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const auto refuse = [&](const std::string& reason) {
      throw ProgramError(kMistake, path + ':' + std::to_string(number) + ":1: " + reason);
    };
    if (header) {
      if (line != "dtype_in,dtype_acc,m,n,k,layout")
        refuse("header: the columns are dtype_in,dtype_acc,m,n,k,layout");
      header = false;
      continue;
    }
    for (char& character : line)
      if (character == ',') character = ' ';
    std::istringstream cells(line);
    Problem problem;
    std::string rest;
    if (!(cells >> problem.input >> problem.accumulator >> problem.m >> problem.n >> problem.k >>
          problem.layout) ||
        cells >> rest)
      refuse("row: six cells, the sizes whole numbers");
    if (problem.m < 1 || problem.n < 1 || problem.k < 1) refuse("sizes: from 1 up");
    if (problem.layout.size() != 2 || problem.layout.find_first_not_of("NT") != std::string::npos)
      refuse("layout: '" + problem.layout + "' is not one of NN, NT, TN, TT");
    problems.push_back(problem);
  }
  if (problems.empty()) throw ProgramError(kMistake, path + ": no rows");
  return problems;
}

}  // namespace tcsim::measure
