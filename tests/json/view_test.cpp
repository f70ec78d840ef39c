#include "sim/json/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace tcsim::json {
namespace {

using test::refusal;

class JsonView : public ::testing::Test {
 protected:
  View view_{Json::parse(R"({"rows": [{"n": 3, "x": 2.5, "word": "a", "yes": true, "none": null,
                                       "big": 3000000000, "less": -1}]})"),
             "run/rows.json"};
  View row_ = view_.at("rows").elements().at(0);
};

TEST_F(JsonView, GivesValuesOfTheTypeAskedFor) {
  EXPECT_EQ(row_.at("n").get<int>(), 3);
  EXPECT_EQ(row_.at("n").get<double>(), 3);
  EXPECT_EQ(row_.at("x").get<double>(), 2.5);
  EXPECT_EQ(row_.at("word").get<std::string>(), "a");
  EXPECT_TRUE(row_.at("word").is("a"));
  EXPECT_FALSE(row_.at("n").is("3"));
  EXPECT_TRUE(row_.at("yes").get<bool>());
  EXPECT_TRUE(row_.at("none").is_null());
  EXPECT_EQ(row_.at("big").get<std::int64_t>(), 3'000'000'000);
  EXPECT_EQ(row_.items().size(), 7U);
}

TEST_F(JsonView, NamesFileAndPlaceOfWhatIsNot) {
  EXPECT_EQ(refusal([&] { return row_.at("m"); }), "run/rows.json: rows[0].m: missing");
  EXPECT_EQ(refusal([&] { return view_.at("m"); }), "run/rows.json: m: missing");
  EXPECT_EQ(refusal([&] { return row_.at("word").get<double>(); }),
            "run/rows.json: rows[0].word: expected a number, got \"a\"");
  EXPECT_EQ(refusal([&] { return row_.at("x").get<int>(); }),
            "run/rows.json: rows[0].x: expected an integer from -2147483648 to 2147483647, got "
            "2.5");
  EXPECT_EQ(refusal([&] { return row_.at("big").get<int>(); }),
            "run/rows.json: rows[0].big: expected an integer from -2147483648 to 2147483647, got "
            "3000000000");
  EXPECT_EQ(refusal([&] { return row_.at("less").get<std::uint64_t>(); }),
            "run/rows.json: rows[0].less: expected an integer from 0 to 18446744073709551615, "
            "got -1");
  EXPECT_EQ(refusal([&] { return row_.at("x").number(0, 2); }),
            "run/rows.json: rows[0].x: expected a number from 0 to 2, got 2.5");
  EXPECT_EQ(refusal([&] { return row_.at("n").find("x"); }),
            "run/rows.json: rows[0].n: expected an object, got 3");
  EXPECT_EQ(refusal([&] { return row_.elements(); }),
            "run/rows.json: rows[0]: expected an array, got an object");
}

TEST_F(JsonView, ShowsTheStartOfALongValueOnly) {
  const View view(Json{{"a", std::string(1000, 'x')}}, "f");
  EXPECT_EQ(
      refusal([&] { return view.at("a").get<int>(); }).size(),
      std::string("f: a: expected an integer from -2147483648 to 2147483647, got ").size() + 43);
}

TEST_F(JsonView, OutlivesTheDocumentItCameFrom) {
  const auto make = [] { return View(Json{{"a", {{"b", 7}}}}, "f").at("a").at("b"); };
  EXPECT_EQ(make().get<int>(), 7);
  EXPECT_EQ(make().place(), "a.b");
}

}  // namespace
}  // namespace tcsim::json
