#include "tests/fuzz/mutation.hpp"

#include <gtest/gtest.h>

#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

constexpr int kInputs = 20000;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string hex_dump(const std::string& text) {
  std::string digits;
  for (const char character : text) {
    digits += "0123456789abcdef"[static_cast<std::uint8_t>(character) >> 4];
    digits += "0123456789abcdef"[static_cast<std::uint8_t>(character) & 15];
  }
  return digits;
}

class MutatedInput : public ::testing::TestWithParam<Target> {};

TEST_P(MutatedInput, IsAcceptedOrRefusedInOrder) {
  const std::vector<std::string> seeds = GetParam().seeds();
  std::mt19937 random(20240601);
  int accepted = 0;
  for (int i = 0; i < kInputs; ++i) {
    const std::string input = mutated(seeds, random);
    try {
      accepted += GetParam().run(bytes_of(input)) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << "input " << i << ": " << error.what() << "\nbytes: " << hex_dump(input);
    }
  }
  EXPECT_GT(accepted, kInputs / 200) << "too few inputs get past the first checks";
  EXPECT_LT(accepted, kInputs * 199 / 200) << "too few inputs are wrong";
}

TEST_P(MutatedInput, StartsFromAcceptedSeeds) {
  int accepted = 0;
  for (const std::string& seed : GetParam().seeds()) accepted += GetParam().run(bytes_of(seed));
  EXPECT_GT(accepted, 0);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, MutatedInput,
                         ::testing::Values(kHex, kJsonLine, kVectorTable, kNpy, kSafetensors,
                                           kTraceg, kNetwork, kScalesim, kOnnx),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace tcsim::fuzz
