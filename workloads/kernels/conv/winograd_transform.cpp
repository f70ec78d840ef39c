#include "workloads/kernels/conv/winograd_transform.hpp"

#include <algorithm>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr double kSixth = 1.0 / 6;
constexpr double kTwelfth = 1.0 / 12;
constexpr double kTwentyFourth = 1.0 / 24;

}  // namespace

const WinogradMatrices& winograd_matrices(int outputs) {
  static const WinogradMatrices two{{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                                    {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
                                    {{1, 1, 1, 0}, {0, 1, -1, -1}}};
  static const WinogradMatrices four{
      {{4, 0, -5, 0, 1, 0},
       {0, -4, -4, 1, 1, 0},
       {0, 4, -4, -1, 1, 0},
       {0, -2, -1, 2, 1, 0},
       {0, 2, -1, -2, 1, 0},
       {0, 4, 0, -5, 0, 1}},
      {{0.25, 0, 0},
       {-kSixth, -kSixth, -kSixth},
       {-kSixth, kSixth, -kSixth},
       {kTwentyFourth, kTwelfth, kSixth},
       {kTwentyFourth, -kTwelfth, kSixth},
       {0, 0, 1}},
      {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
  return outputs == 2 ? two : four;
}

WinogradTransform::WinogradTransform(const WinogradMatrices::Matrix& matrix, int values, int first)
    : matrix_(matrix),
      values_(values),
      first_(first),
      side_(static_cast<int>(std::max(matrix.size(), matrix.front().size()))) {
  const int elements = side_ * side_;
  for (int i = 0; i < elements; ++i) registers_.push_back(first_ + i * values_);
  // A line is written before the line it replaces is free.
  for (int i = 0; i < side_; ++i) free_.push_back(first_ + (elements + i) * values_);
  for (const auto& row : matrix_)
    for (const double factor : row)
      if (factor != 0 && factor != 1 &&
          std::ranges::find(multipliers_, factor) == multipliers_.end())
        multipliers_.push_back(factor);
}

int WinogradTransform::registers() const {
  return side_ * (side_ + 1) * values_ + static_cast<int>(multipliers_.size());
}

int WinogradTransform::element(int row, int column) const {
  return registers_[static_cast<std::size_t>(row) * side_ + column];
}

int WinogradTransform::multiplier(double value) const {
  const auto found = std::ranges::find(multipliers_, value);
  return first_ + side_ * (side_ + 1) * values_ + static_cast<int>(found - multipliers_.begin());
}

void WinogradTransform::dot(const std::vector<double>& row, const std::vector<int>& inputs,
                            int result, Instructions& ops) const {
  // The sum starts with an input whose multiplier is 1, if there is one.
  const auto one = std::ranges::find(row, 1.0);
  const auto start = static_cast<std::size_t>(
      (one != row.end() ? one : std::ranges::find_if(row, [](double f) { return f != 0; })) -
      row.begin());
  isa::Register sum = reg(inputs[start]);
  if (row[start] != 1.0) {
    ops.push_back(arithmetic(Opcode::kFmul, reg(result), sum, reg(multiplier(row[start]))));
    sum = reg(result);
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == start || row[i] == 0) continue;
    const isa::Register input = reg(inputs[i]);
    if (row[i] == 1.0)
      ops.push_back(arithmetic(Opcode::kFadd, reg(result), input, sum));
    else
      ops.push_back(arithmetic(Opcode::kFfma, reg(result), input, reg(multiplier(row[i])), sum));
    sum = reg(result);
  }
  if (sum != reg(result)) ops.push_back(arithmetic(Opcode::kMov, reg(result), sum));
}

void WinogradTransform::transform_line(const std::vector<int*>& line,
                                       const std::vector<int*>& results, Instructions& ops) {
  const std::vector<int> room = free_;
  for (std::size_t row = 0; row < results.size(); ++row)
    for (int value = 0; value < values_; ++value) {
      std::vector<int> inputs;
      for (const int* element : line) inputs.push_back(*element + value);
      dot(matrix_[row], inputs, room[row] + value, ops);
    }
  // The line's registers are free from here on; the unused rest of the room stays free.
  std::vector<int> left(room.begin() + static_cast<std::ptrdiff_t>(results.size()), room.end());
  std::vector<int> used;
  for (const int* element : line) used.push_back(*element);
  std::vector<int> unnamed;
  for (std::size_t row = 0; row < std::max(results.size(), line.size()); ++row)
    if (row < results.size()) {
      if (row >= line.size()) unnamed.push_back(*results[row]);
      *results[row] = room[row];
    }
  free_ = std::move(used);
  free_.insert(free_.end(), unnamed.begin(), unnamed.end());
  free_.insert(free_.end(), left.begin(), left.end());
}

Instructions WinogradTransform::emit() {
  Instructions ops;
  for (const double value : multipliers_)
    ops.push_back(
        with_immediate(arithmetic(Opcode::kMov, reg(multiplier(value))), fp32_literal(value)));
  const auto inputs = static_cast<int>(matrix_.front().size());
  const auto outputs = static_cast<int>(matrix_.size());
  const auto at = [&](int row, int column) {
    return &registers_[static_cast<std::size_t>(row) * side_ + column];
  };
  const auto column_of = [&](int column, int count) {
    std::vector<int*> line;
    for (int i = 0; i < count; ++i) line.push_back(at(i, column));
    return line;
  };
  const auto row_of = [&](int row, int count) {
    std::vector<int*> line;
    for (int i = 0; i < count; ++i) line.push_back(at(row, i));
    return line;
  };
  for (int column = 0; column < inputs; ++column)
    transform_line(column_of(column, inputs), column_of(column, outputs), ops);
  for (int row = 0; row < outputs; ++row)
    transform_line(row_of(row, inputs), row_of(row, outputs), ops);
  return ops;
}

}  // namespace tcsim::kernels
