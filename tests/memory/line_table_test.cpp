#include "models/memory/line_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tcsim::memory::test {
namespace {

TEST(LineTable, FindsWhatAMapFinds) {
  LineTable table;
  std::map<std::uint64_t, std::uint16_t> known;
  std::mt19937 random(7);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t key = (random() % 3000) * 0x10007;
      const auto found = table.find(key);
      const auto expected = known.find(key);
      ASSERT_EQ(found.has_value(), expected != known.end()) << key;
      if (found) {
        ASSERT_EQ(*found, expected->second) << key;
      }
      const auto place = static_cast<std::uint16_t>(random());
      table.put(key, place);
      known[key] = place;
    }
    table.clear();
    known.clear();
  }
}

}  // namespace
}  // namespace tcsim::memory::test
