#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::functional {

/// The contents of the buffers of a stream of launches, initially zero. Values are little-endian,
/// as on the GPU. Buffers of two launches are the same if their addresses and sizes are equal.
///
///   GlobalMemory memory(stream);
///   std::ranges::copy(a_bytes, memory.buffer("A").begin());
///   const auto result = execute(stream, numerics::Generation::kAmpere, memory);
class GlobalMemory {
 public:
  explicit GlobalMemory(const isa::KernelLaunch& launch) : GlobalMemory(std::span(&launch, 1)) {}
  explicit GlobalMemory(std::span<const isa::KernelLaunch> stream);

  [[nodiscard]] int buffers() const { return static_cast<int>(buffers_.size()); }

  /// The bytes of buffer `index`, in the order in which the launches first name the buffers.
  /// Requires 0 <= index < buffers().
  [[nodiscard]] std::span<std::uint8_t> buffer(int index) {
    return contents_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::span<const std::uint8_t> buffer(int index) const {
    return contents_[static_cast<std::size_t>(index)];
  }

  /// The bytes of the first buffer named `name`. Throws std::out_of_range if there is none.
  [[nodiscard]] std::span<std::uint8_t> buffer(std::string_view name) {
    return buffer(index_of(name));
  }
  [[nodiscard]] std::span<const std::uint8_t> buffer(std::string_view name) const {
    return buffer(index_of(name));
  }

  /// The bytes of every buffer of `launch`, in its order; empty if one is missing or has another
  /// size.
  [[nodiscard]] std::optional<std::vector<std::span<std::uint8_t>>> buffers_of(
      const isa::KernelLaunch& launch);

  /// Names two buffers that overlap partly, in one sentence; empty if there are none.
  [[nodiscard]] std::string conflict() const;

 private:
  [[nodiscard]] int index_of(std::string_view name) const;

  std::vector<isa::Buffer> buffers_;
  std::vector<std::vector<std::uint8_t>> contents_;
};

}  // namespace tcsim::functional
