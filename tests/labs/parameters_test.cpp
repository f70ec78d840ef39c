#include "sim/labs/parameters.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tcsim::labs {
namespace {

Lab lab_with(int number) {
  Lab lab;
  lab.number = number;
  lab.parameters = {{"n", 256, 1024, 64, {}}, {"k", 1, 3, 1, {}}, {"e", 0, 0, 1, {2, 3, 5}}};
  return lab;
}

TEST(Parameters, AreTheSameForTheSameStudentLabAndSecret) {
  EXPECT_EQ(draw(lab_with(2), "ada", "key"), draw(lab_with(2), "ada", "key"));
}

TEST(Parameters, AreValuesOfTheirRange) {
  for (int i = 0; i < 200; ++i) {
    const Parameters drawn = draw(lab_with(2), "student " + std::to_string(i), "key");
    EXPECT_GE(drawn.at("n"), 256);
    EXPECT_LE(drawn.at("n"), 1024);
    EXPECT_EQ(drawn.at("n") % 64, 0);
    EXPECT_TRUE((std::set<std::int64_t>{2, 3, 5}).contains(drawn.at("e")));
  }
}

TEST(Parameters, DifferBetweenStudentsLabsAndSecrets) {
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(draw(lab_with(2), "student " + std::to_string(i), "key").at("n"));
  EXPECT_EQ(seen.size(), 13U);  // every choice occurs
  int same_secret = 0;
  int same_lab = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string student = "student " + std::to_string(i);
    const std::int64_t n = draw(lab_with(2), student, "key").at("n");
    same_secret += static_cast<int>(n == draw(lab_with(2), student, "other").at("n"));
    same_lab += static_cast<int>(n == draw(lab_with(3), student, "key").at("n"));
  }
  EXPECT_LT(same_secret, 40);
  EXPECT_LT(same_lab, 40);
}

TEST(Parameters, FillTextsByName) {
  EXPECT_EQ(filled("gemm:@n@, @n@ and @k@", {{"n", 512}, {"k", 3}}), "gemm:512, 512 and 3");
  EXPECT_EQ(filled("a@b.c {n} @m@", {{"n", 512}}), "a@b.c {n} @m@");
}

}  // namespace
}  // namespace tcsim::labs
