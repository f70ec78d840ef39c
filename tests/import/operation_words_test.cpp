#include "workloads/import/operation_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/refusal.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string mistakes_of(const std::string& words) {
  return test::refusal([&] { return parse_workload(words); });
}

TEST(OperationWords, AreThoseThatAreUnderstood) {
  const std::vector<OperationWords> all = operation_words();
  ASSERT_GT(all.size(), 10U);
  EXPECT_EQ(std::ranges::count(all, "gemm", &OperationWords::name), 1);
  for (const OperationWords& operation : all) {
    ASSERT_FALSE(operation.keys.empty()) << operation.name;
    for (const std::string& key : operation.keys)
      EXPECT_THAT(mistakes_of(operation.name + ":" + key + "="),
                  HasSubstr(key + ": nothing follows '='"));
    EXPECT_THAT(mistakes_of(operation.name + ":zz=1"), HasSubstr("unknown key"));
  }
}

TEST(OperationWords, TypesAreThoseThatAreUnderstood) {
  EXPECT_EQ(element_words().size(), static_cast<std::size_t>(kernels::kElementCount));
  for (const std::string_view type : element_words())
    EXPECT_THAT(mistakes_of("gemm:64,dtype=" + std::string(type) + ",zz=1"),
                Not(HasSubstr("unknown type")));
}

}  // namespace
}  // namespace tcsim::workload
