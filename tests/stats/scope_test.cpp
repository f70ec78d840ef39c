#include "sim/stats/scope.hpp"

#include <gtest/gtest.h>

#include "sim/errors/errors.hpp"
#include "tests/stats/sample_tree.hpp"

namespace tcsim::stats {
namespace {

TEST(Scope, MergesGroupsThatDifferOnlyInTheirIndex) {
  const SampleTree tree;
  const Scope root = summarize(tree.root);
  ASSERT_EQ(root.children.size(), 1u);
  EXPECT_EQ(root.children[0].name, "sm");
  EXPECT_EQ(root.children[0].instances, 2);
  ASSERT_EQ(root.children[0].children.size(), 1u);
  EXPECT_EQ(root.children[0].children[0].instances, 4);
}

TEST(Scope, AddsCountersAndKeepsTheExtremesOfOneInstance) {
  const SampleTree tree;
  const Scope root = summarize(tree.root);
  const CounterSummary& issued = root.children[0].children[0].counters.at(0);
  EXPECT_EQ(issued.sum, 22u);
  EXPECT_EQ(issued.min, 0u);
  EXPECT_EQ(issued.max, 11u);
  const CounterSummary& conflicts = root.children[0].counters.at(0);
  EXPECT_EQ(conflicts.sum, 5u);
  EXPECT_EQ(conflicts.min, 0u);
  EXPECT_EQ(conflicts.max, 5u);
}

TEST(Scope, KeepsUnitAndSentence) {
  const SampleTree tree;
  const CounterSummary issued = summarize(tree.root).children[0].children[0].counters.at(0);
  EXPECT_EQ(issued.unit, "instructions");
  EXPECT_EQ(issued.sentence, "Instructions issued; replays do not count");
}

TEST(Scope, RefusesTwoCountersOfOneNameInOneGroup) {
  Group root("gpu");
  const Counter first(root, "hits", "sectors", "first");
  const Counter second(root, "hits", "sectors", "second");
  EXPECT_THROW(summarize(root), InternalError);
}

TEST(Scope, IsFoundByNameAtAnyDepth) {
  const SampleTree tree;
  const Scope root = summarize(tree.root);
  EXPECT_EQ(scope_named(root, "sub_core").instances, 4);
  EXPECT_EQ(scope_named(root, "gpu").instances, 1);
  EXPECT_THROW(scope_named(root, "l3"), InternalError);
}

}  // namespace
}  // namespace tcsim::stats
