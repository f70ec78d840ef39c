#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::mma {

/// An expected result: a pattern, or any NaN.
struct Expected {
  std::uint64_t pattern = 0;
  bool any_nan = false;
};

struct Vector {
  int line = 0;
  std::string category;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c = 0;
  std::vector<Expected> d;  ///< One for each column of VectorTable::results().
};

/// One result column and the variant of the arithmetic it belongs to.
struct ResultColumn {
  std::string name;
  numerics::Arithmetic arithmetic;
};

/// Parses a vector file row by row. The header names the columns, each once: `a`, `b`, `c` and
/// results are required, `cat` is optional. Others are ignored. Results are in `d`; integers may
/// have `d_wrap` and `d_satfinite`, bits `d_xor_popc` and `d_and_popc` instead. An FP64 `d` may be
/// the word `nan`. Patterns are hexadecimal; a and b have all elements of k back to back.
class VectorTable {
 public:
  /// Throws UsageError for a header without a required column, or with one of its columns twice.
  VectorTable(std::string file, const std::string& header, const numerics::Arithmetic& arithmetic);

  const std::vector<ResultColumn>& results() const { return results_; }
  /// The first of them that is not saturated. Throws UsageError if there is none.
  std::size_t wrapped_result() const;

  /// Throws UsageError with file, line and column of the first mistake in the row.
  Vector parse(const std::string& row, int line) const;

 private:
  struct Field {
    std::string_view text;
    int column;
  };
  std::vector<Field> split(const std::string& row) const;
  /// Index of the column called `name`; -1: there is none.
  int find_column(const std::vector<Field>& header, std::string_view name) const;
  std::vector<std::uint64_t> patterns(const Field& field, int line,
                                      numerics::ElementType type) const;
  std::uint64_t pattern(const Field& field, int line) const;
  Expected expected(const Field& field, int line) const;
  void choose_results(const std::vector<Field>& header);

  std::string file_;
  numerics::Arithmetic arithmetic_;
  std::size_t column_count_ = 0;
  int category_ = -1;  ///< -1: there is none
  int a_ = -1;
  int b_ = -1;
  int c_ = -1;
  std::vector<ResultColumn> results_;
  std::vector<int> result_columns_;
};

/// Passes every vector of `file`, CSV, plain or gzipped, to `take` in order. Throws UsageError for
/// mistakes in the file or a file without vectors, IoError if it cannot be read.
void for_each_vector(const std::string& file, const numerics::Arithmetic& arithmetic,
                     const std::function<void(const VectorTable&, const Vector&)>& take);

}  // namespace tcsim::mma
