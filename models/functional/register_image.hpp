#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/functional/register_file.hpp"

namespace tcsim::functional {

/// Copies registers [first, first + count) of all lanes to words [at, at + count) of each lane's
/// `width` words in `image`, lane-major.
inline void read_image(const RegisterFile& registers, isa::Register first, std::size_t count,
                       std::span<std::uint32_t> image, std::size_t width, std::size_t at = 0) {
  for (std::size_t i = 0; i < count; ++i) {
    const LaneWords& words = registers.read(first, i);
    for (std::size_t lane = 0; lane < kLanes; ++lane) image[lane * width + at + i] = words[lane];
  }
}

/// The reverse copy.
inline void write_image(RegisterFile& registers, isa::Register first, std::size_t count,
                        std::span<const std::uint32_t> image, std::size_t width,
                        std::size_t at = 0) {
  for (std::size_t i = 0; i < count; ++i) {
    LaneWords words{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) words[lane] = image[lane * width + at + i];
    registers.write(first, i, words);
  }
}

}  // namespace tcsim::functional
