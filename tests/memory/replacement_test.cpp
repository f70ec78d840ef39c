// The replacement policies against plain models of them, on random accesses with lines that may not
// go and lines that are forgotten; the caches that use them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/memory/page_tags.hpp"
#include "models/memory/tag_array.hpp"

namespace tcsim::memory::test {
namespace {

/// State of a line in these tests.
struct Pinned {
  bool pinned = false;
};
using Tags = TagArray<std::uint32_t, Pinned>;

bool may_go(const Pinned& line) { return !line.pinned; }

/// One set, said plainly: which of `ways` goes.
class PlainSet {
 public:
  virtual ~PlainSet() = default;
  virtual void filled(int way) = 0;
  virtual void used(int way) = 0;
  virtual void emptied(int /*way*/) {}
  /// One of `ways`, which are not empty; all ways of the set have lines.
  virtual int goes(const std::vector<int>& ways) = 0;
};

class PlainLru : public PlainSet {
 public:
  void filled(int way) override { used(way); }
  void used(int way) override {
    emptied(way);
    order_.push_back(way);
  }
  void emptied(int way) override { std::erase(order_, way); }
  int goes(const std::vector<int>& ways) override {
    for (const int way : order_)
      if (std::count(ways.begin(), ways.end(), way) != 0) return way;
    return Tags::kNone;
  }

 private:
  std::vector<int> order_;  ///< the oldest use first
};

/// As the paper has it: with no line of the distant future all come nearer to it, until one is.
class PlainSrrip : public PlainSet {
 public:
  explicit PlainSrrip(int ways) : interval_(static_cast<std::size_t>(ways), 3) {}
  void filled(int way) override { interval_[static_cast<std::size_t>(way)] = 2; }
  void used(int way) override { interval_[static_cast<std::size_t>(way)] = 0; }
  void emptied(int way) override { interval_[static_cast<std::size_t>(way)] = 3; }
  int goes(const std::vector<int>& ways) override {
    for (;;) {
      for (const int way : ways)
        if (interval_[static_cast<std::size_t>(way)] == 3) return way;
      for (int& interval : interval_) interval = std::min(interval + 1, 3);
    }
  }

 private:
  std::vector<int> interval_;
};

/// Halves of the ways, halved again: a half remembers in which of its halves the next line goes.
class PlainTree : public PlainSet {
 public:
  PlainTree(int first, int ways) : first_(first), ways_(ways) {
    if (ways == 1) return;
    low_ = std::make_unique<PlainTree>(first, ways / 2);
    high_ = std::make_unique<PlainTree>(first + ways / 2, ways / 2);
  }
  void filled(int way) override { used(way); }
  void used(int way) override {
    if (ways_ == 1) return;
    const bool is_low = way < first_ + ways_ / 2;
    goes_high_ = is_low;
    (is_low ? low_ : high_)->used(way);
  }
  int goes(const std::vector<int>& ways) override {
    if (ways_ == 1) return first_;
    std::vector<int> low;
    std::vector<int> high;
    for (const int way : ways) (way < first_ + ways_ / 2 ? low : high).push_back(way);
    const bool goes_high = low.empty() || (goes_high_ && !high.empty());
    return goes_high ? high_->goes(high) : low_->goes(low);
  }

 private:
  int first_;
  int ways_;
  bool goes_high_ = false;
  std::unique_ptr<PlainTree> low_;
  std::unique_ptr<PlainTree> high_;
};

using MakePlainSet = std::function<std::unique_ptr<PlainSet>(int ways)>;

/// Random has no model but its own numbers; a test of its own says what is asked of them.
const std::map<std::string, MakePlainSet>& plain_sets() {
  static const std::map<std::string, MakePlainSet> rows{
      {"lru", [](int) { return std::make_unique<PlainLru>(); }},
      {"srrip", [](int ways) { return std::make_unique<PlainSrrip>(ways); }},
      {"tree_plru", [](int ways) { return std::make_unique<PlainTree>(0, ways); }}};
  return rows;
}

constexpr std::uint32_t kSetsHeld = 3;

/// One access after the other to a cache of kSetsHeld sets.
class RandomAccesses {
 public:
  RandomAccesses(const std::string& name, int ways, unsigned seed)
      : ways_(ways), random_(seed), tags_(name, {kSetsHeld, static_cast<std::uint32_t>(ways), 0}) {
    for (std::uint32_t set = 0; set < kSetsHeld; ++set)
      plain_.push_back(plain_sets().at(name)(ways));
  }

  void step() {
    const std::uint32_t number = below(static_cast<std::uint32_t>(2 * ways_) * kSetsHeld);
    const std::uint32_t set = number % kSetsHeld;
    PlainSet& plain = *plain_[set];
    const int first = static_cast<int>(set) * ways_;
    int place = tags_.find(number, set);
    if (place != Tags::kNone && below(16) == 0) {
      tags_.erase(place);
      plain.emptied(place - first);
      return;
    }
    if (place != Tags::kNone) {
      tags_.use(place);
      plain.used(place - first);
    } else {
      place = fill(number, set);
    }
    if (place != Tags::kNone) tags_.line(place).pinned = below(4) == 0;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  int fill(std::uint32_t number, std::uint32_t set) {
    const int first = static_cast<int>(set) * ways_;
    int expected = Tags::kNone;
    std::vector<int> candidates;
    for (int way = ways_; way-- > 0;) {
      if (tags_.is_empty(first + way)) expected = first + way;
      if (may_go(tags_.line(first + way))) candidates.insert(candidates.begin(), way);
    }
    if (expected == Tags::kNone && !candidates.empty())
      expected = first + plain_[set]->goes(candidates);
    const int place = tags_.victim(set, may_go);
    EXPECT_EQ(place, expected);
    if (place == Tags::kNone) return place;
    tags_.assign(place, number);
    plain_[set]->filled(place - first);
    return place;
  }

  int ways_;
  std::mt19937 random_;
  Tags tags_;
  std::vector<std::unique_ptr<PlainSet>> plain_;
};

class AnyReplacement : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::string name() const { return std::string(GetParam()); }
};

TEST_P(AnyReplacement, ReplacesAsItsPlainModel) {
  if (plain_sets().count(name()) == 0) return;
  for (const int ways : {1, 2, 4, 16, 12}) {
    if (ways == 12 && replacement::List::needs_power_of_two_ways(name())) continue;
    RandomAccesses accesses(name(), ways, static_cast<unsigned>(ways));
    for (int step = 0; step < 20'000 && !HasFailure(); ++step) accesses.step();
    EXPECT_FALSE(HasFailure()) << ways << " ways";
  }
}

TEST_P(AnyReplacement, FillsEmptyPlacesFirstAndKeepsWhatMayNotGo) {
  constexpr std::uint32_t kWays = 8;
  Tags tags(name(), {1, kWays, 0});
  for (std::uint32_t number = 0; number < kWays; ++number) {
    const int place = tags.victim(0, may_go);
    ASSERT_TRUE(tags.is_empty(place));
    tags.assign(place, number);
    tags.line(place).pinned = number != 5;
  }
  const int place = tags.victim(0, may_go);
  EXPECT_EQ(tags.number(place), 5u);
  tags.line(place).pinned = true;
  EXPECT_EQ(tags.victim(0, may_go), Tags::kNone);
}

TEST_P(AnyReplacement, DoesTheSameAgain) {
  const auto misses = [this] {
    Tags tags(name(), {2, 4, 3});
    std::mt19937 random(1);
    std::string log;
    for (int step = 0; step < 1'000; ++step) {
      const auto number = static_cast<std::uint32_t>(random() % 20);
      const std::uint32_t set = number % 2;
      const int found = tags.find(number, set);
      if (found != Tags::kNone) {
        tags.use(found);
        continue;
      }
      const int place = tags.victim(set, may_go);
      log += std::to_string(place) + ' ';
      tags.assign(place, number);
    }
    return log;
  };
  EXPECT_EQ(misses(), misses());
}

TEST_P(AnyReplacement, AnEmptiedCacheHoldsNothingAndFillsAgain) {
  Tags tags(name(), {1, 4, 0});
  for (std::uint32_t number = 0; number < 4; ++number) tags.assign(tags.victim(0, may_go), number);
  tags.clear();
  EXPECT_EQ(tags.find(2, 0), Tags::kNone);
  for (std::uint32_t number = 10; number < 14; ++number) {
    const int place = tags.victim(0, may_go);
    ASSERT_TRUE(tags.is_empty(place));
    tags.assign(place, number);
  }
}

/// Pages as a cache of one set, the fully associative TLB's one, holds them.
TEST_P(AnyReplacement, OfPagesIsThatOfOneSet) {
  constexpr std::uint32_t kPages = 16;
  Tags tags(name(), {1, kPages, 7});
  PageTags pages(name(), kPages, 7);
  std::mt19937 random(3);
  for (int step = 0; step < 20'000; ++step) {
    const auto page = static_cast<std::uint32_t>(random() % (2 * kPages));
    const int place = tags.find(page, 0);
    const PageTags::Entry* const held = pages.use(page);
    ASSERT_EQ(held != nullptr, place != Tags::kNone) << step;
    if (held != nullptr) {
      ASSERT_EQ(held->page, page);
      tags.use(place);
    } else {
      pages.add({page, step});
      tags.assign(tags.victim(0, may_go), page);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(List, AnyReplacement,
                         ::testing::ValuesIn(replacement::List::OfSets::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Replacement, HasAPlainModelWhateverItsNameButRandom) {
  for (const std::string_view name : replacement::List::OfSets::names())
    EXPECT_EQ(plain_sets().count(std::string(name)), name == "random" ? 0u : 1u) << name;
}

TEST(Replacement, IsChosenByItsName) {
  std::string words;
  for (const std::string_view name : replacement::List::OfSets::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const replacement::List::OfSets chosen(name, replacement::Shape{1, 1, 0});
    EXPECT_EQ(chosen.visit([](const auto& policy) { return policy.kName; }), name);
  }
  EXPECT_EQ(replacement::List::OfSets::words(), words);
  EXPECT_EQ(replacement::List::OfPages::words(), words);
  EXPECT_TRUE(replacement::List::needs_power_of_two_ways("tree_plru"));
  EXPECT_FALSE(replacement::List::needs_power_of_two_ways("lru"));
  EXPECT_THROW(Tags("last_in", {1, 1, 0}), std::invalid_argument);
}

/// The ways that `instance` of a random set replaces, one after the other.
std::vector<int> random_victims(std::uint32_t instance, int count) {
  Tags tags("random", {1, 8, instance});
  std::vector<int> places;
  for (int i = 0; i < count; ++i) {
    const int place = tags.victim(0, may_go);
    tags.assign(place, static_cast<std::uint32_t>(i));
    if (i >= 8) places.push_back(place);
  }
  return places;
}

TEST(Replacement, RandomTakesEveryWayEquallyOftenAndInstancesDiffer) {
  const std::vector<int> victims = random_victims(0, 80'008);
  for (int way = 0; way < 8; ++way)
    EXPECT_NEAR(static_cast<double>(std::count(victims.begin(), victims.end(), way)), 10'000, 400)
        << way;
  EXPECT_NE(random_victims(0, 100), random_victims(1, 100));
}

TEST(Replacement, SrripKeepsLinesInUseWhileOthersStreamPast) {
  const auto kept = [](const std::string& name) {
    Tags tags(name, {1, 4, 0});
    for (std::uint32_t number = 0; number < 4; ++number)
      tags.assign(tags.victim(0, may_go), number);
    for (std::uint32_t number = 0; number < 2; ++number) tags.use(tags.find(number, 0));
    for (std::uint32_t number = 100; number < 104; ++number)
      tags.assign(tags.victim(0, may_go), number);
    return tags.find(0, 0) != Tags::kNone && tags.find(1, 0) != Tags::kNone;
  };
  EXPECT_TRUE(kept("srrip"));
  EXPECT_FALSE(kept("lru"));
}

}  // namespace
}  // namespace tcsim::memory::test
