#include "workloads/kernels/attention/gradient_scores.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "workloads/kernels/attention/softmax_rows.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

using isa::Expression;
using isa::Opcode;
using isa::Variable;

namespace {

constexpr int kShuffledAhead = 4;
constexpr int kShuffledRing = 8;

}  // namespace

/// Loads part `turn` of the statistics at `base`: a part is what a thread holds at once.
Instructions GradientScores::statistics(int base, int turn) {
  constexpr int kBytes = WarpgroupBackwardPlan::kSingleBytes;
  Instructions ops;
  const auto add = [&](Opcode opcode, int to, int first, std::vector<isa::Term> lanes) {
    isa::MemoryAccess access;
    access.shared.offset = step_ring(step_).stage(base + first * kBytes, plan_.statistic_bytes());
    for (isa::Term& term : lanes) term.coefficient *= kBytes;
    access.shared.offset.terms = std::move(lanes);
    ops.push_back(load(opcode, reg(to), reg(address_), builder_.access(std::move(access))));
  };
  if (plan_.shuffles_statistics()) {
    for (int i = 0; i < plan_.rows() / isa::kLanes; ++i)
      add(Opcode::kLds32, r_.statistics + i, isa::kLanes * i,
          {{Variable::kLane, 2, 1, 4}, {Variable::kLane, 1, 4, 2}, {Variable::kLane, 8, 8}});
    return ops;
  }
  const int first = turn * plan_.statistic_pairs();
  const int end = std::min(first + plan_.statistic_pairs(), plan_.rows() / 8);
  for (int pair = first; pair < end; ++pair)
    add(Opcode::kLds64, r_.statistics + 2 * (pair - first), 8 * pair, {{Variable::kLane, 2, 1, 4}});
  return ops;
}

/// Gets statistic `number` of the thread's queries from the one of its four lanes that has it.
void GradientScores::shuffle(int number, Instructions& ops) const {
  if (!plan_.shuffles_statistics() || number >= plan_.rows() / 4) return;
  constexpr int kLanesOfRow = 4;
  ops.push_back(
      with_immediate(arithmetic(Opcode::kShflIdx, reg(r_.shuffled + number % kShuffledRing),
                                reg(r_.statistics + number / 8)),
                     isa::shuffle_source(number % 8 * kLanesOfRow, kLanesOfRow - 1)));
}

/// For each accumulator, `first` with the register of its query's statistic; a few accumulators
/// later, so that it need not wait, `second` for the same accumulator.
template <typename First, typename Second>
Instructions GradientScores::with_statistics(int base, First first, Second second) {
  constexpr std::size_t kBehind = 4;
  Instructions ops;
  std::deque<int> open;
  const auto finish = [&] {
    ops.push_back(second(open.front()));
    open.pop_front();
  };
  const int held = 2 * plan_.statistic_pairs();
  for (int number = 0; number < kShuffledAhead; ++number) shuffle(number, ops);
  for (int number = 0; number < plan_.rows() / 4; ++number) {
    shuffle(number + kShuffledAhead, ops);
    if (!plan_.shuffles_statistics() && number > 0 && number % held == 0)
      extend(ops, statistics(base, number / held));
    const int statistic = plan_.shuffles_statistics() ? r_.shuffled + number % kShuffledRing
                                                      : r_.statistics + number % held;
    for (const int row : {0, 2}) {
      const int i = number / 2 * 4 + number % 2 + row;
      ops.push_back(first(i, reg(statistic)));
      if (open.size() == kBehind) finish();
      open.push_back(i);
    }
  }
  while (!open.empty()) finish();
  return ops;
}

Instructions GradientScores::probabilities() {
  const auto score = [&](int i) { return reg(r_.scores + i); };
  return with_statistics(
      plan_.log_sums(),
      [&](int i, isa::Register log_sum) {
        return arithmetic(Opcode::kFfma, score(i), score(i), reg(r_.scale), log_sum);
      },
      [&](int i) { return arithmetic(Opcode::kMufuEx2, score(i), score(i)); });
}

Instructions GradientScores::score_gradients() {
  const auto product = [&](int i) { return reg(r_.products + i); };
  return with_statistics(
      plan_.deltas(),
      [&](int i, isa::Register delta) {
        return arithmetic(Opcode::kFadd, product(i), product(i), delta);
      },
      [&](int i) { return arithmetic(Opcode::kFmul, product(i), reg(r_.scores + i), product(i)); });
}

/// The query and the key that accumulator `i` belongs to.
Expression GradientScores::query_of(int i) const {
  Expression query;
  add_scaled(query, plan_.query_block(step_), plan_.rows());
  query.constant += i / 4 * 8 + i % 2;
  query.terms.push_back({Variable::kLane, 2, 1, 4});
  return query;
}
Expression GradientScores::key_of(int i) const {
  Expression key{std::int64_t{i} / 2 % 2 * 8, {plan_.key_block(WarpgroupBackwardPlan::kKeyRows)}};
  warpgroups::add_consumer(key, isa::kGroupRows);
  key.terms.push_back({Variable::kWarp, 16, 1, isa::kGroupWarps});
  key.terms.push_back({Variable::kLane, 1, 4});
  return key;
}

Instructions GradientScores::mask_future() {
  Instructions ops;
  for (int i = 0; i < plan_.rows() / 2; ++i) {
    ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
    Expression slack = query_of(i);
    add_scaled(slack, key_of(i), -1);
    ops.push_back(hide_score(builder_, r_.scores + i, slack));
  }
  return ops;
}

Instructions GradientScores::mask_end() {
  Instructions ops;
  for (int row = 0; row < 2; ++row) {
    ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
    Expression slack{plan_.problem.keys - 1};
    add_scaled(slack, key_of(2 * row), -1);
    for (int i = 0; i < plan_.rows() / 2; ++i)
      if (i / 2 % 2 == row) ops.push_back(hide_score(builder_, r_.scores + i, slack));
  }
  return ops;
}

}  // namespace tcsim::kernels
