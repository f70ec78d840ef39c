#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::functional {

/// The contents of a launch's buffers, zero at first. Values are little-endian, as on the GPU.
///
///   GlobalMemory memory(launch);
///   std::ranges::copy(a_bytes, memory.buffer(0).begin());
///   const auto result = execute(launch, numerics::Generation::kAmpere, memory);
class GlobalMemory {
 public:
  explicit GlobalMemory(const isa::KernelLaunch& launch);

  [[nodiscard]] int buffers() const { return static_cast<int>(contents_.size()); }

  /// The bytes of buffer `index` of KernelLaunch::buffers. Requires 0 <= index < buffers().
  [[nodiscard]] std::span<std::uint8_t> buffer(int index) {
    return contents_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::span<const std::uint8_t> buffer(int index) const {
    return contents_[static_cast<std::size_t>(index)];
  }

 private:
  std::vector<std::vector<std::uint8_t>> contents_;
};

}  // namespace tcsim::functional
