#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// A reader of foreign bytes under test.
struct Target {
  std::string_view name;
  /// Reads the bytes; true if they were accepted. Lets out nothing but std::logic_error, for a
  /// reader that accepted something and then contradicts itself.
  bool (*run)(Bytes);
  /// Inputs to start from, accepted ones among them.
  std::vector<std::string> (*seeds)();
};

extern const Target kHex;
extern const Target kJsonLine;
extern const Target kVectorTable;
extern const Target kNpy;
extern const Target kSafetensors;
extern const Target kTraceg;
extern const Target kNetwork;
extern const Target kScalesim;
extern const Target kOnnx;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::logic_error(sentence);
}

}  // namespace tcsim::fuzz
