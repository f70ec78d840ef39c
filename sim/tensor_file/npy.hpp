#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/tensor_file/tensor.hpp"

namespace tcsim::tensor_file {

/// Parses a whole .npy file of format 1.0, 2.0 or 3.0 with little-endian elements, in C or Fortran
/// order; the tensor is in C order. Messages begin with `name`. Throws config::ConfigError, `name:
/// reason`, for anything else: unknown types, a shape that does not fit the bytes, bytes left over.
/// Source of the format: NumPy manual, numpy.lib.format.
Tensor parse_npy(std::span<const std::uint8_t> file, std::string_view name);

/// The bytes of a .npy file of format 1.0 (2.0 if the header needs it). BF16 and FP8 appear as
/// unsigned integers. Requires bytes that fit the shape.
std::string npy_bytes(const Tensor& tensor);

/// What the note beside a .npy file says of a type that NumPy lacks, as read_npy reads it; nothing
/// for a type that NumPy has.
std::optional<std::string> npy_note(const Tensor& tensor);

/// Reads a .npy file and, if it exists, PATH.json, which names a type that NumPy lacks: {"dtype":
/// "bfloat16", "storage": "uint16"}. Throws config::ConfigError (status 2) for malformed content
/// and IoError (status 5) if a file cannot be read.
Tensor read_npy(const std::filesystem::path& path);

}  // namespace tcsim::tensor_file
