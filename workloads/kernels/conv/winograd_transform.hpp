#pragma once

#include <vector>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// The matrices of F(m x m, 3 x 3) (Lavin, Gray 2015) with tiles of m + 2: inputs d and filters g
/// become B^T d B and G g G^T, and their elementwise products M become outputs A^T M A.
struct WinogradMatrices {
  using Matrix = std::vector<std::vector<double>>;  ///< rows
  Matrix input;                                     ///< B^T
  Matrix filter;                                    ///< G
  Matrix output;                                    ///< A^T
};

/// Requires `outputs` (m) of 2 or 4.
const WinogradMatrices& winograd_matrices(int outputs);

/// Computes T X T^T in registers. X is a square of elements of `values` FP32 registers each, row by
/// row from register `first` on. Multipliers other than 1 are in registers after the data.
class WinogradTransform {
 public:
  WinogradTransform(const WinogradMatrices::Matrix& matrix, int values, int first);

  /// Number of registers from `first` on that it uses.
  [[nodiscard]] int registers() const;
  /// First register of element (row, column): of X before `emit`, of the result after it.
  [[nodiscard]] int element(int row, int column) const;
  /// The instructions; call once.
  Instructions emit();

 private:
  [[nodiscard]] int multiplier(double value) const;
  /// Replaces the elements that `line` names by their product with the matrix; `results` receive
  /// their names.
  void transform_line(const std::vector<int*>& line, const std::vector<int*>& results,
                      Instructions& ops);
  void dot(const std::vector<double>& row, const std::vector<int>& inputs, int result,
           Instructions& ops) const;

  const WinogradMatrices::Matrix& matrix_;
  int values_;
  int first_;
  int side_;                    ///< of the square that holds both X and the result
  std::vector<int> registers_;  ///< of each element
  std::vector<int> free_;
  std::vector<double> multipliers_;
};

}  // namespace tcsim::kernels
