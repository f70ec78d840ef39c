// The issue policies against plain models of them, with warps that come, go and wait at random.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/sm/issue_policy/issue_policies.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kNow = 100;
constexpr std::size_t kPlaces = 16;  // warps of a sub-core

/// What a sub-core has in one cycle: its warps, the oldest first, and which of them can issue.
struct Moment {
  WarpsByAge warps;
  std::set<const Warp*> can_issue;

  Warp* first(const std::function<bool(const Warp&)>& is_wanted) const {
    for (Warp* const warp : warps)
      if (can_issue.count(warp) != 0 && is_wanted(*warp)) return warp;
    return nullptr;
  }
  Warp* oldest() const {
    return first([](const Warp&) { return true; });
  }
  Warp* youngest() const {
    Warp* found = nullptr;
    for (Warp* const warp : warps)
      if (can_issue.count(warp) != 0) found = warp;
    return found;
  }
  /// The next one behind `age`, the oldest following the youngest, of those that `is_wanted`.
  Warp* next(std::uint64_t age, const std::function<bool(const Warp&)>& is_wanted) const {
    Warp* const behind = first([&](const Warp& warp) { return warp.age > age && is_wanted(warp); });
    return behind != nullptr ? behind : first(is_wanted);
  }
};

/// A policy, said plainly.
class PlainPolicy {
 public:
  virtual ~PlainPolicy() = default;
  virtual Warp* pick(const Moment& moment) = 0;
  virtual void joined(const Warp& /*warp*/) {}
  virtual void left(const Warp& /*warp*/) {}
};

class PlainGreedy : public PlainPolicy {
 public:
  explicit PlainGreedy(bool from_youngest) : from_youngest_(from_youngest) {}
  Warp* pick(const Moment& moment) override {
    Warp* picked = moment.first([this](const Warp& warp) { return warp.age == last_; });
    if (picked == nullptr) picked = from_youngest_ ? moment.youngest() : moment.oldest();
    if (picked != nullptr) last_ = picked->age;
    return picked;
  }

 private:
  bool from_youngest_;
  std::uint64_t last_ = 0;
};

class PlainTurns : public PlainPolicy {
 public:
  Warp* pick(const Moment& moment) override {
    Warp* const picked = moment.next(last_, [](const Warp&) { return true; });
    if (picked != nullptr) last_ = picked->age;
    return picked;
  }

 private:
  std::uint64_t last_ = 0;
};

class PlainTwoLevel : public PlainPolicy {
 public:
  void joined(const Warp& warp) override {
    for (auto& group : groups_) {
      if (group.size() == 4) continue;
      group.insert(&warp);
      return;
    }
    groups_.push_back({&warp});
  }
  void left(const Warp& warp) override {
    for (auto& group : groups_) group.erase(&warp);
  }
  Warp* pick(const Moment& moment) override {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::size_t at = (leading_ + i) % groups_.size();
      Warp* const picked =
          moment.next(last_, [&](const Warp& warp) { return groups_[at].count(&warp) != 0; });
      if (picked == nullptr) continue;
      const auto& leading = groups_[leading_];
      const bool all_wait = std::all_of(leading.begin(), leading.end(), [](const Warp* warp) {
        return warp->ready > kNow && warp->ready_reason == CycleReason::kDependenceGlobal;
      });
      if (all_wait) leading_ = at;
      last_ = picked->age;
      return picked;
    }
    return nullptr;
  }

 private:
  std::vector<std::set<const Warp*>> groups_;
  std::size_t leading_ = 0;
  std::uint64_t last_ = 0;
};

using MakePlain = std::function<std::unique_ptr<PlainPolicy>()>;

const std::map<std::string, MakePlain>& plain_policies() {
  static const std::map<std::string, MakePlain> rows{
      {"greedy_then_youngest", [] { return std::make_unique<PlainGreedy>(true); }},
      {"greedy_then_oldest", [] { return std::make_unique<PlainGreedy>(false); }},
      {"loose_round_robin", [] { return std::make_unique<PlainTurns>(); }},
      {"two_level", [] { return std::make_unique<PlainTwoLevel>(); }}};
  return rows;
}

/// Warps that come, go, and can or cannot issue.
class RandomWarps {
 public:
  explicit RandomWarps(unsigned seed) : random_(seed) {
    for (std::size_t i = 0; i < kPlaces; ++i) places_[i].slot = static_cast<std::uint8_t>(4 * i);
  }

  /// `joined` and `left` hear of warps that come and go before the next moment.
  const Moment& next(const std::function<void(const Warp&)>& joined,
                     const std::function<void(const Warp&)>& left) {
    Warp& changed = places_[random_() % kPlaces];
    const auto held = std::find(moment_.warps.begin(), moment_.warps.end(), &changed);
    if (held == moment_.warps.end()) {
      changed.age = ++age_;
      moment_.warps.push_back(&changed);
      joined(changed);
    } else if (random_() % 4 == 0) {
      moment_.warps.erase(held);
      left(changed);
    }
    moment_.can_issue.clear();
    for (Warp* const warp : moment_.warps) {
      const bool waits = random_() % 3 != 0;
      warp->ready = waits ? kNow + 1 + static_cast<Cycle>(random_() % 100) : kNow;
      warp->ready_reason =
          random_() % 8 == 0 ? CycleReason::kDependenceFixed : CycleReason::kDependenceGlobal;
      if (!waits && random_() % 4 != 0) moment_.can_issue.insert(warp);
    }
    return moment_;
  }

 private:
  std::mt19937 random_;
  std::array<Warp, kPlaces> places_;
  Moment moment_;
  std::uint64_t age_ = 0;
};

class AnyIssuePolicy : public ::testing::TestWithParam<std::string_view> {
 protected:
  void joins(const Warp& warp) {
    policy_.visit([&](auto& policy) { policy.joined(warp); });
  }
  void leaves(const Warp& warp) {
    policy_.visit([&](auto& policy) { policy.left(warp); });
  }
  Warp* pick(const Moment& moment) {
    const auto can_issue = [&](Warp& warp) { return moment.can_issue.count(&warp) != 0; };
    return policy_.visit([&](auto& policy) { return policy.pick(moment.warps, kNow, can_issue); });
  }

  IssuePolicies policy_{GetParam()};
};

TEST_P(AnyIssuePolicy, LetsAWarpIssueWheneverOneCanAndNoOther) {
  RandomWarps warps(5);
  for (int step = 0; step < 5'000; ++step) {
    const Moment& moment = warps.next([this](const Warp& warp) { joins(warp); },
                                      [this](const Warp& warp) { leaves(warp); });
    const Warp* const picked = pick(moment);
    if (moment.can_issue.empty())
      ASSERT_EQ(picked, nullptr);
    else
      ASSERT_EQ(moment.can_issue.count(picked), 1u);
  }
}

TEST_P(AnyIssuePolicy, PicksAsItsPlainModel) {
  const auto row = plain_policies().find(std::string(GetParam()));
  if (row == plain_policies().end()) return;
  for (unsigned seed = 0; seed < 20; ++seed) {
    policy_ = IssuePolicies(GetParam());
    const std::unique_ptr<PlainPolicy> plain = row->second();
    RandomWarps warps(seed);
    for (int step = 0; step < 2'000; ++step) {
      const Moment& moment = warps.next(
          [&](const Warp& warp) {
            joins(warp);
            plain->joined(warp);
          },
          [&](const Warp& warp) {
            leaves(warp);
            plain->left(warp);
          });
      ASSERT_EQ(pick(moment), plain->pick(moment)) << "seed " << seed << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(List, AnyIssuePolicy, ::testing::ValuesIn(IssuePolicies::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(IssuePolicies, HaveAPlainModel) {
  for (const std::string_view name : IssuePolicies::names())
    EXPECT_EQ(plain_policies().count(std::string(name)), 1u) << name;
}

TEST(IssuePolicies, AreChosenByTheirNames) {
  std::string words;
  for (const std::string_view name : IssuePolicies::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const auto name_of = [](const auto& policy) { return policy.kName; };
    EXPECT_EQ(IssuePolicies(name).visit(name_of), name);
  }
  EXPECT_EQ(IssuePolicies::words(), words);
  EXPECT_THROW(IssuePolicies("youngest"), std::invalid_argument);
}

}  // namespace
}  // namespace tcsim::sm::test
