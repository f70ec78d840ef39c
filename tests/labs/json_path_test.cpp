#include "sim/labs/json_path.hpp"

#include <gtest/gtest.h>

namespace tcsim::labs {
namespace {

const nlohmann::json sample_document = nlohmann::json::parse(
    R"({"a": 1, "rates": [{"unit": "tensor", "sparse": false, "x": 2},
                          {"unit": "tensor", "sparse": true, "x": 3}], "key.with.dots": "word"})");

TEST(JsonPath, FollowsKeysIndicesAndConditions) {
  EXPECT_EQ(value_at(sample_document, "/a"), 1);
  EXPECT_EQ(value_at(sample_document, "/key.with.dots"), "word");
  EXPECT_EQ(value_at(sample_document, "/rates/1/x"), 3);
  EXPECT_EQ(value_at(sample_document, "/rates/unit=tensor&sparse=true/x"), 3);
  EXPECT_EQ(value_at(sample_document, "/rates/unit=tensor/x"), 2);
}

TEST(JsonPath, IsNullWhereNothingIs) {
  for (const char* path : {"/b", "/rates/7/x", "/rates/unit=sfu/x", "/a/b", "/rates/unit/x"})
    EXPECT_TRUE(value_at(sample_document, path).is_null()) << path;
}

}  // namespace
}  // namespace tcsim::labs
