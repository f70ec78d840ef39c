// The scheduling policies against plain models of them, on requests that arrive, are served and
// have rows opened at random.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/dram/request_queue.hpp"
#include "tests/dram/machines.hpp"
#include "tests/dram/plain_scheduling.hpp"

namespace tcsim::dram::test {
namespace {

constexpr std::array<Direction, 2> kDirections{Direction::kRead, Direction::kWrite};

DramParams params_of(std::string_view scheduling) {
  DramParams params = lab_channel;
  params.bank_groups = 2;
  params.banks_per_group = 2;
  params.scheduling = scheduling;
  params.row_hit_cap = 3;
  return params;
}

/// A queue whose requests come and go at random, and the same requests as a plain list.
class RandomQueue {
 public:
  RandomQueue(std::string_view scheduling, unsigned seed)
      : random_(seed), params_(params_of(scheduling)), queue_(params_) {}

  RequestQueue& queue() { return queue_; }
  const std::vector<PlainRequest>& waiting() const { return waiting_; }
  const std::set<std::uint64_t>& served() const { return served_; }
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  int bypassed(Direction direction, int dram_bank) const {
    return bypassed_[static_cast<std::size_t>(direction)][static_cast<std::size_t>(dram_bank)];
  }
  std::vector<PlainRequest> of(Direction direction, int dram_bank) const {
    std::vector<PlainRequest> found;
    for (const PlainRequest& request : waiting_)
      if (request.dram_bank == dram_bank && request.write == (direction == Direction::kWrite))
        found.push_back(request);
    return found;
  }

  /// Some requests arrive in the next clock. Half of the sources ask often.
  void arrive() {
    ++now_;
    for (int n = below(6); n-- > 0 && !queue_.is_full();) {
      const int source = below(2) == 0 ? below(2) : below(8);
      const PlainRequest request{pushed_, below(3), below(4), below(3) == 0, source};
      queue_.push(now_, pushed_++, request.write ? Direction::kWrite : Direction::kRead,
                  static_cast<std::uint16_t>(source), {request.dram_bank, request.row, 0});
      waiting_.push_back(request);
    }
    queue_.admit(now_);
  }
  /// One bank, if something waits for it, has a row opened or closed for what goes next, or serves
  /// it.
  void issue(Direction direction, int dram_bank) {
    if ((queue_.banks_waiting(direction) & bank_bit(dram_bank)) == 0) return;
    if ((queue_.banks_with_hit(direction) & bank_bit(dram_bank)) != 0) {
      serve(direction, dram_bank);
    } else if (queue_.open_row_of(dram_bank) >= 0) {
      queue_.close_row(dram_bank);
    } else {
      queue_.open_row(direction, dram_bank);
    }
  }
  void renew() { queue_.renew(); }

 private:
  void serve(Direction direction, int dram_bank) {
    const std::vector<PlainRequest> list = of(direction, dram_bank);
    const Request taken = queue_.take(direction, dram_bank);
    int& bypassed =
        bypassed_[static_cast<std::size_t>(direction)][static_cast<std::size_t>(dram_bank)];
    bypassed = taken.tag == list.front().age ? 0 : bypassed + 1;
    std::erase_if(waiting_, [&](const PlainRequest& each) { return each.age == taken.tag; });
    EXPECT_TRUE(served_.insert(taken.tag).second);
  }

  std::mt19937 random_;
  DramParams params_;
  RequestQueue queue_;
  std::vector<PlainRequest> waiting_;  ///< the oldest first
  std::array<std::array<int, 4>, 2> bypassed_{};
  std::set<std::uint64_t> served_;
  std::uint64_t pushed_ = 0;
  Cycle now_ = 0;
};

class AnyScheduling : public ::testing::TestWithParam<std::string_view> {};

TEST_P(AnyScheduling, ServesEveryRequestOnceAndNoneTwice) {
  RandomQueue random(GetParam(), 7);
  for (int clock = 0; clock < 2'000; ++clock) {
    random.arrive();
    random.issue(kDirections[static_cast<std::size_t>(random.below(2))], random.below(4));
    random.renew();
  }
  const std::size_t all = random.served().size() + random.waiting().size();
  for (int clock = 0; clock < 10'000 && !random.queue().is_empty(); ++clock) {
    random.issue(kDirections[static_cast<std::size_t>(clock / 64 % 2)], clock % 4);
    random.renew();
  }
  EXPECT_TRUE(random.queue().is_empty());
  EXPECT_EQ(random.served().size(), all);
}

/// What goes next in each bank and direction, and which of two banks goes first.
void expect_as(const PlainScheduling& plain, const RandomQueue& random, RequestQueue& queue) {
  for (const Direction direction : kDirections) {
    std::vector<std::pair<std::uint64_t, PlainRequest>> next;  // rank
    for (int dram_bank = 0; dram_bank < 4; ++dram_bank) {
      const std::vector<PlainRequest> list = random.of(direction, dram_bank);
      const bool waits = (queue.banks_waiting(direction) & bank_bit(dram_bank)) != 0;
      ASSERT_EQ(waits, !list.empty());
      if (!waits) continue;
      const std::int64_t open_row = queue.open_row_of(dram_bank);
      const PlainRequest& expected =
          plain.next(list, open_row, random.bypassed(direction, dram_bank));
      const Request& found = queue.next(direction, dram_bank);
      ASSERT_EQ(found.tag, expected.age);
      ASSERT_EQ((queue.banks_with_hit(direction) & bank_bit(dram_bank)) != 0,
                expected.row == open_row);
      next.emplace_back(found.rank, expected);
    }
    for (const auto& [left_rank, left] : next)
      for (const auto& [right_rank, right] : next)
        ASSERT_EQ(left_rank < right_rank, plain.precedes(left, right));
  }
}

TEST_P(AnyScheduling, PicksAsItsPlainModel) {
  const auto row = plain_schedulings().find(std::string(GetParam()));
  if (row == plain_schedulings().end()) return;
  for (unsigned seed = 0; seed < 10 && !HasFatalFailure(); ++seed) {
    const std::unique_ptr<PlainScheduling> plain = row->second(params_of(GetParam()).row_hit_cap);
    RandomQueue random(GetParam(), seed);
    for (int clock = 0; clock < 1'000; ++clock) {
      random.arrive();
      plain->look(random.waiting());
      expect_as(*plain, random, random.queue());
      if (HasFatalFailure()) return;
      for (int n = random.below(3); n-- > 0;)
        random.issue(kDirections[static_cast<std::size_t>(random.below(4) / 3)], random.below(4));
      random.renew();
      plain->look(random.waiting());
      expect_as(*plain, random, random.queue());
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(List, AnyScheduling, ::testing::ValuesIn(Schedulings::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Schedulings, HaveAPlainModel) {
  for (const std::string_view name : Schedulings::names())
    EXPECT_EQ(plain_schedulings().count(std::string(name)), 1u) << name;
}

TEST(Schedulings, AreChosenByTheirNames) {
  std::string words;
  for (const std::string_view name : Schedulings::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const auto name_of = [](const auto& policy) { return policy.kName; };
    EXPECT_EQ(Schedulings(name, lab_channel).visit(name_of), name);
  }
  EXPECT_EQ(Schedulings::words(), words);
  EXPECT_THROW(Schedulings("frfcfs", lab_channel), std::invalid_argument);
}

}  // namespace
}  // namespace tcsim::dram::test
