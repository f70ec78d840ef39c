#include "sim/text/name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::text {
namespace {

using ::testing::HasSubstr;

TEST(Name, MayBeLettersDigitsAndTheSignsOfMailAddresses) {
  for (const char* name : {"a", "7", "_x", "curves-tflops-m.n", "ada@uni-x.org", "a+b_c.d"})
    EXPECT_EQ(name_mistake(name), "") << name;
}

TEST(Name, StaysInItsFolder) {
  for (const char* name : {"../../evil", "/etc/cron.d/x", "..", ".", "a/b", ".hidden", "a\\b"})
    EXPECT_THAT(name_mistake(name), HasSubstr("names a file")) << name;
}

TEST(Name, IsNoOptionNoFormulaAndNoControlCharacter) {
  for (const char* name : {"-rf", "=1+1", "+1", "@x", "a b", "a\nb", "a\x1b[2J", "caf\xe9", "$(x)"})
    EXPECT_THAT(name_mistake(name), HasSubstr("names a file")) << name;
  EXPECT_THAT(name_mistake("a\x1b[2J"), HasSubstr("'a\\u001b[2J'"));
}

TEST(Name, IsNeitherEmptyNorLong) {
  EXPECT_EQ(name_mistake(""), "a name is missing");
  EXPECT_EQ(name_mistake(std::string(100, 'a')), "");
  EXPECT_THAT(name_mistake(std::string(101, 'a')), HasSubstr("longer than 100"));
}

TEST(Name, IsMadeOfAnyText) {
  for (const char* text : {"", "../../evil", "my machine", "-x", "=1", "caf\xe9", "plain"})
    EXPECT_EQ(name_mistake(as_name(text)), "") << text;
  EXPECT_EQ(as_name("plain"), "plain");
  EXPECT_EQ(as_name("my machine"), "my-machine");
  EXPECT_EQ(name_mistake(as_name(std::string(500, 'x'))), "");
}

}  // namespace
}  // namespace tcsim::text
