#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/validate/score.hpp"

namespace tcsim::validate {

/// How far one machine is from measured times of one class of kernels.
struct Accuracy {
  std::string machine;  ///< preset
  std::string op;
  std::string dtype;
  std::string unit;  ///< tensor, cuda-core
  std::string size_class;
  int rows = 0;
  double median_ape = 0;  ///< percent
  double mape = 0;        ///< percent
  double bias = 0;        ///< percent; positive where the model is too slow
};

/// One entry per machine, operation, type, unit and size class, in that order of words.
std::vector<Accuracy> accuracies(const std::vector<Comparison>& rows);

/// As a table with a header; `revision` is that of the program that simulated the rows. Its last
/// column is for the hash of a sample (scripts/accuracy_sample.py), "-" here.
std::string accuracy_csv(const std::vector<Accuracy>& accuracies, std::string_view revision);

/// The table in `file`; empty if there is no such file. Throws InputError for a malformed one.
std::vector<Accuracy> read_accuracies(const std::string& file);

/// One kernel or stream whose class is looked for.
struct Simulated {
  std::string machine;  ///< preset
  std::string op;       ///< as in Measurement
  std::string dtype;
  std::string unit;  ///< tensor, cuda-core
  double time_us = 0;
};

/// "gemm fp16, 10-300 us, on a100: median error 7.3 %, 66 measured rows", or that there is no
/// measured reference.
std::string validated_text(const std::vector<Accuracy>& accuracies, const Simulated& run);

}  // namespace tcsim::validate
