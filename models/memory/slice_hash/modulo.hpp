#pragma once

#include <cstdint>
#include <string_view>

#include "models/memory/slice_hash/policy.hpp"

namespace tcsim::memory::slice_hash {

/// No hash: slices in rotation.
class Modulo {
 public:
  static constexpr std::string_view kName = "modulo";
  static constexpr bool kNeedsPowerOfTwoSlices = false;

  explicit Modulo(std::uint64_t /*slices*/) {}

  std::uint64_t slice_of(std::uint64_t place, std::uint64_t /*group*/) const { return place; }
};

}  // namespace tcsim::memory::slice_hash
