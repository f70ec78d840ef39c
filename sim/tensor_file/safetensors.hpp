#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "sim/tensor_file/tensor.hpp"

namespace tcsim::tensor_file {

/// The content of a safetensors file.
struct TensorMap {
  std::map<std::string, Tensor> tensors;        ///< By name.
  std::map<std::string, std::string> metadata;  ///< `__metadata__`, free words.

  bool operator==(const TensorMap&) const = default;
};

/// Parses a whole safetensors file: the header's length in 8 bytes, the header as a JSON object
/// (name -> dtype, shape, data_offsets), the data. The offsets must cover the data without gap and
/// overlap. `name` opens messages. Throws config::ConfigError, `name: reason`.
/// Source of the format: README of github.com/huggingface/safetensors.
TensorMap parse_safetensors(std::span<const std::uint8_t> file, std::string_view name);

/// The bytes of a safetensors file; wider elements come first, so every tensor is aligned. Requires
/// bytes that fit each shape and no tensor named `__metadata__`.
std::string safetensors_bytes(const TensorMap& map);

/// From and to files, the latter in one step. Throw IoError (status 5) too.
TensorMap read_safetensors(const std::filesystem::path& path);
void write_safetensors(const std::filesystem::path& path, const TensorMap& map);

}  // namespace tcsim::tensor_file
