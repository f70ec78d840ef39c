#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// One row of a vector file (`cat,a,b,c,d` in hexadecimal, elements back to back; for integers
/// `cat,a,b,c,d_wrap,d_satfinite`).
struct VectorRow {
  std::string category;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c = 0;
  std::uint64_t d = 0;                       ///< Of integers without .satfinite.
  std::optional<std::uint64_t> d_satfinite;  ///< Of integers.
};

/// Rows of a plain or gzipped file. Throws std::runtime_error if it cannot be read or has another
/// header.
std::vector<VectorRow> read_vector_file(const std::filesystem::path& path, ElementType input,
                                        ElementType accumulator);

std::vector<std::string> split(const std::string& text, char separator);

}  // namespace tcsim::numerics
