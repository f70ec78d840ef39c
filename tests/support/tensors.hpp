#pragma once

#include <cstring>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "sim/files/atomic_file.hpp"
#include "sim/tensor_file/npy.hpp"

namespace tcsim::test {

/// The tensor of the elements with these bit patterns, in row-major order; as many as `shape` has.
inline tensor_file::Tensor from_patterns(tensor_file::StoredType type,
                                         std::vector<std::int64_t> shape,
                                         std::span<const std::uint64_t> patterns) {
  const auto width = static_cast<std::size_t>(tensor_file::info(type).bytes);
  tensor_file::Tensor tensor{type, std::move(shape),
                             std::vector<std::uint8_t>(patterns.size() * width)};
  for (std::size_t i = 0; i < patterns.size(); ++i)
    std::memcpy(&tensor.bytes[i * width], &patterns[i], width);
  return tensor;
}

/// Writes the .npy file `path` and, if NumPy lacks the type, the note beside it.
inline void write_npy(const std::filesystem::path& path, const tensor_file::Tensor& tensor) {
  files::write_atomically(path, tensor_file::npy_bytes(tensor));
  if (const auto note = tensor_file::npy_note(tensor))
    files::write_atomically(path.string() + ".json", *note);
}

}  // namespace tcsim::test
