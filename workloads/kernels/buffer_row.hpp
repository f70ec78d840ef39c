#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// The buffer that one launch has written, as an input of a later launch.
inline isa::Buffer as_input(isa::Buffer buffer) {
  buffer.input = true;
  return buffer;
}

/// Buffers placed one after another, as an allocator with 256-byte granularity places them.
class BufferRow {
 public:
  BufferRow() = default;
  /// Starts after all buffers of `stream`.
  explicit BufferRow(const std::vector<isa::KernelLaunch>& stream) : next_(0) {
    for (const isa::KernelLaunch& launch : stream)
      for (const isa::Buffer& buffer : launch.buffers)
        next_ = std::max(next_, aligned(buffer.base_address + buffer.bytes));
  }

  /// Rounds a number of bytes, or an address, up to the alignment of buffers.
  template <typename Integer>
  static constexpr Integer aligned(Integer bytes) {
    constexpr auto kAlignment = static_cast<Integer>(isa::kBufferAlignment);
    return ceil_div(bytes, kAlignment) * kAlignment;
  }

  isa::Buffer place(std::string name, std::int64_t bytes, bool input) {
    isa::Buffer buffer{std::move(name), next_, static_cast<std::uint64_t>(bytes), input};
    next_ += aligned(buffer.bytes);
    return buffer;
  }
  isa::Buffer place(std::string name, std::int64_t elements, Element element, bool input) {
    return place(std::move(name), elements * element_bytes(element), input);
  }

 private:
  std::uint64_t next_ = 0x7f0000000000;  // assumption: any aligned address does
};

}  // namespace tcsim::kernels
