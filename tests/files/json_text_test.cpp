#include "sim/files/json_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tcsim::files {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, EscapesStringsAndKeysThatAreNotUtf8AndNothingElse) {
  const Json sound{{"a\\b", {"caf\xc3\xa9", 1, nullptr}}};
  EXPECT_EQ(json_text(sound), sound.dump());
  EXPECT_EQ(json_text(sound, 2), sound.dump(2));
  const Json foreign{{"z", "plain \\ text"}, {"caf\xe9", {"a\\\xff", Json{{"b", "\xe9"}}, 1}}};
  EXPECT_EQ(json_text(foreign),
            R"({"z":"plain \\ text","caf\\xe9":["a\\\\\\xff",{"b":"\\xe9"},1]})");
  EXPECT_EQ(Json::parse(json_text(foreign)), with_escaped_texts(foreign));
}

TEST(EscapedText, ComesBackFromEveryString) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& bytes :
       {all, std::string("\\xe9"), std::string("\xe9\\xe9"), std::string("\\"),
        std::string("caf\xc3\xa9"), std::string("\\\\x41"), std::string()}) {
    const std::string text = always_escaped_text(bytes);
    EXPECT_NO_THROW((void)Json(text).dump());
    EXPECT_EQ(unescaped_text(text), bytes) << text;
  }
  EXPECT_EQ(escaped_text("C:\\x"), "C:\\x");
}

}  // namespace
}  // namespace tcsim::files
