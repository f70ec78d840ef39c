#include "sim/files/shown_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tcsim::files {
namespace {

TEST(ShownText, RepeatsAWordInQuotes) {
  EXPECT_EQ(shown("gemm"), "'gemm'");
  EXPECT_EQ(shown("caf\xc3\xa9"), "'caf\xc3\xa9'");
  EXPECT_EQ(shown(""), "''");
}

TEST(ShownText, RepeatsSixtyCharactersOfALongOne) {
  EXPECT_EQ(shown(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(shown(std::string(50'000'000, 'x')), "'" + std::string(60, 'x') + "...'");
  std::string accents;
  for (int i = 0; i < 61; ++i) accents += "\xc3\xa9";
  EXPECT_EQ(shown(accents), "'" + accents.substr(0, 120) + "...'");
}

TEST(ShownText, EscapesWhatIsNoTextAndWhatMovesACursor) {
  EXPECT_EQ(shown("caf\xe9"), "'caf\\xe9'");
  EXPECT_EQ(shown("\x1b[31m\n\t\x7f"), "'\\x1b[31m\\x0a\\x09\\x7f'");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m"),
            "'\\xc2\\x9b31m'");
  EXPECT_EQ(shown(std::string_view("a\0b", 3)), "'a\\x00b'");
}

}  // namespace
}  // namespace tcsim::files
