#pragma once

#include <cstdint>
#include <string>

#include "models/isa/launch.hpp"

namespace tcsim::kernels {

/// What a launch has written, as one behind it reads it.
inline isa::Buffer as_input(isa::Buffer buffer) {
  buffer.input = true;
  return buffer;
}

/// Buffers behind one another, as an allocator with 256-byte granularity places them.
class BufferRow {
 public:
  isa::Buffer place(std::string name, std::int64_t bytes, bool input) {
    constexpr std::uint64_t kGranularity = 256;
    isa::Buffer buffer{std::move(name), next_, static_cast<std::uint64_t>(bytes), input};
    next_ += (buffer.bytes + kGranularity - 1) / kGranularity * kGranularity;
    return buffer;
  }

 private:
  std::uint64_t next_ = 0x7f0000000000;  // assumption: any aligned address does
};

}  // namespace tcsim::kernels
