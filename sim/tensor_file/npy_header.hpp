#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/tensor_file/stored_type.hpp"

namespace tcsim::tensor_file {

/// The content of a .npy header: a Python dictionary of exactly `descr`, `fortran_order` and
/// `shape`. Source: NumPy manual, numpy.lib.format.
struct NpyHeader {
  StoredType type = StoredType::kFp32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Parses the text of the dictionary. Throws config::ConfigError, `name: reason`.
NpyHeader parse_npy_header(std::string_view text, std::string_view name);

/// The dictionary of a C-order array, without padding.
std::string npy_header_text(StoredType type, const std::vector<std::int64_t>& shape);

}  // namespace tcsim::tensor_file
