// The placement policies against plain models of them, with SMs that have room at random.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/dispatch/cta_placement/cta_placements.hpp"

namespace tcsim::dispatch::test {
namespace {

/// Room of each SM, by its number.
using Rooms = std::vector<int>;

/// A policy, said plainly: given the rooms in order, which place of the order gets the CTA.
class PlainPlacement {
 public:
  virtual ~PlainPlacement() = default;
  /// Some room is not 0.
  virtual std::size_t pick(const Rooms& in_order) = 0;
};

class PlainBreadthFirst : public PlainPlacement {
 public:
  std::size_t pick(const Rooms& in_order) override {
    return static_cast<std::size_t>(std::ranges::max_element(in_order) - in_order.begin());
  }
};

class PlainDepthFirst : public PlainPlacement {
 public:
  std::size_t pick(const Rooms& in_order) override {
    std::size_t place = 0;
    while (in_order[place] == 0) ++place;
    return place;
  }
};

class PlainRoundRobin : public PlainPlacement {
 public:
  std::size_t pick(const Rooms& in_order) override {
    do {
      last_ = (last_ + 1) % in_order.size();
    } while (in_order[last_] == 0);
    return last_;
  }

 private:
  std::size_t last_ = static_cast<std::size_t>(-1);
};

using MakePlain = std::function<std::unique_ptr<PlainPlacement>()>;

const std::map<std::string, MakePlain>& plain_placements() {
  static const std::map<std::string, MakePlain> rows{
      {"breadth_first", [] { return std::make_unique<PlainBreadthFirst>(); }},
      {"depth_first", [] { return std::make_unique<PlainDepthFirst>(); }},
      {"round_robin", [] { return std::make_unique<PlainRoundRobin>(); }}};
  return rows;
}

class AnyCtaPlacement : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::optional<std::size_t> pick(const Rooms& rooms) const {
    return policy_.visit(
        [&](const auto& policy) { return policy.pick([&](std::size_t sm) { return rooms[sm]; }); });
  }
  void place(std::size_t sm) {
    policy_.visit([sm](auto& policy) { policy.placed(sm); });
  }
  /// SMs become free and full, most with little room.
  void change(Rooms& rooms) {
    for (int& room : rooms)
      if (random_() % 3 == 0) room = static_cast<int>(random_() % 4 * (random_() % 2));
  }

  const SmOrder order_ = sm_order(2, {2, 4, 6});
  CtaPlacements policy_{GetParam(), order_};
  std::mt19937 random_{3};
};

TEST_P(AnyCtaPlacement, PicksAnSmWithRoomWheneverOneHasSome) {
  Rooms rooms(order_.size());
  for (int step = 0; step < 5'000; ++step) {
    change(rooms);
    const std::optional<std::size_t> sm = pick(rooms);
    ASSERT_EQ(sm.has_value(), std::ranges::any_of(rooms, [](int room) { return room > 0; }));
    if (!sm) continue;
    ASSERT_GT(rooms[*sm], 0);
    ASSERT_EQ(pick(rooms), sm) << "being asked changes nothing";
    if (random_() % 4 == 0) continue;
    --rooms[*sm];
    place(*sm);
  }
}

TEST_P(AnyCtaPlacement, FillsAnEmptyChip) {
  Rooms rooms(order_.size(), 3);
  for (std::size_t cta = 0; cta < 3 * order_.size(); ++cta) {
    const std::optional<std::size_t> sm = pick(rooms);
    ASSERT_TRUE(sm && rooms[*sm] > 0);
    --rooms[*sm];
    place(*sm);
  }
  EXPECT_EQ(pick(rooms), std::nullopt);
}

TEST_P(AnyCtaPlacement, PicksAsItsPlainModel) {
  const auto row = plain_placements().find(std::string(GetParam()));
  if (row == plain_placements().end()) return;
  const std::unique_ptr<PlainPlacement> plain = row->second();
  Rooms rooms(order_.size());
  for (int step = 0; step < 5'000; ++step) {
    change(rooms);
    const std::optional<std::size_t> sm = pick(rooms);
    if (!sm) continue;
    Rooms in_order;
    for (const std::size_t each : order_) in_order.push_back(rooms[each]);
    ASSERT_EQ(*sm, order_[plain->pick(in_order)]) << step;
    --rooms[*sm];
    place(*sm);
  }
}

INSTANTIATE_TEST_SUITE_P(List, AnyCtaPlacement, ::testing::ValuesIn(CtaPlacements::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(CtaPlacements, HaveAPlainModel) {
  for (const std::string_view name : CtaPlacements::names())
    EXPECT_EQ(plain_placements().count(std::string(name)), 1u) << name;
}

TEST(CtaPlacements, AreChosenByTheirNames) {
  std::string words;
  for (const std::string_view name : CtaPlacements::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const auto name_of = [](const auto& policy) { return policy.kName; };
    EXPECT_EQ(CtaPlacements(name, SmOrder{0}).visit(name_of), name);
  }
  EXPECT_EQ(CtaPlacements::words(), words);
  EXPECT_THROW(CtaPlacements("widest", SmOrder{0}), std::invalid_argument);
}

}  // namespace
}  // namespace tcsim::dispatch::test
