#include "sim/files/shown_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(shown("\x1b[31m\n\t\x7f"), "'\\u001b[31m\\u000a\\u0009\\u007f'");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m"),
            "'\\u009b31m'");
  EXPECT_EQ(shown(std::string_view("a\0b", 3)), "'a\\u0000b'");
}

TEST(ShownMessage, KeepsItsPlaceAndCutsWhatNobodyReads) {
  const std::string place = "/" + std::string(3000, 'd') + "/m.yaml:7:3";
  EXPECT_EQ(shown_message(place + ": key: expected a number, got 'x'"),
            place + ": key: expected a number, got 'x'");
  EXPECT_EQ(
      shown_message("m.yaml:7:3: key: unknown word " + std::string(50'000'000, 'x') + " here"),
      "m.yaml:7:3: key: unknown word " + std::string(60, 'x') + "... here");
  std::string blanks = "m.yaml:7:3: got ";
  for (int i = 0; i < 1'000'000; ++i) blanks += "a ";
  EXPECT_LT(shown_message(blanks).size(), 2100U);
  EXPECT_LT(shown_message(std::string(50'000'000, 'x')).size(), 4300U);
}

TEST(ShownMessage, HasTwoHundredLinesAtMost) {
  std::string lines = "m.yaml:1:1: a";
  for (int i = 0; i < 1000; ++i) lines += "\nm.yaml:1:1: a";
  const std::string shown = shown_message(lines);
  EXPECT_EQ(std::ranges::count(shown, '\n'), 200);
  EXPECT_TRUE(shown.ends_with("801 further lines are not shown"));
  EXPECT_EQ(shown_message("a: b\nc: d"), "a: b\nc: d");
}

TEST(ShownMessage, EscapesWhatMovesACursor) {
  EXPECT_EQ(shown_message("caf\xe9\x1b[2J.yaml:1:1: a\rb"),
            "caf\\xe9\\u001b[2J.yaml:1:1: a\\u000db");
}

}  // namespace
}  // namespace tcsim::files
