#include "workloads/kernels/attention/fused_quad_pairs.hpp"

#include <array>
#include <functional>
#include <optional>
#include <tuple>

#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/panel_fragments.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/quad_pair_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kSets = 2;           // of depth four: HMMA.884
constexpr int kSteps = 2;          // of an iteration
constexpr int kValueColumns = 32;  // columns of V that one LDS.128 loads
constexpr std::array kOpcodes{Opcode::kHmma884F32Step0, Opcode::kHmma884F32Step1,
                              Opcode::kHmma884F32Step2, Opcode::kHmma884F32Step3};

/// The block of accumulators from `d` on += A fragment `a` times B fragment `b`.
void multiply(Instructions& ops, int d, int a, int b, std::int32_t layout) {
  int sum = d;
  for (const Opcode opcode : kOpcodes) {
    ops.push_back(arithmetic(opcode, reg(sum), reg(a), reg(b), reg(sum)));
    ops.back().immediate = layout;
    sum += 2;
  }
}

/// Step `place` of an iteration: of the loop's counter plus `ahead`, or, without a loop, of the
/// first iteration.
struct Step {
  std::optional<Variable> counter;
  int ahead = 0;
  int place = 0;

  /// Adds bytes_per_step * (number of the step).
  void add_to(isa::Address& address, std::int64_t bytes_per_step) const {
    address.offset.constant += bytes_per_step * place;
    if (counter)
      add_term(address.offset, {.variable = *counter,
                                .coefficient = kSteps * bytes_per_step,
                                .offset = static_cast<std::uint32_t>(ahead)});
  }

  /// Moves an address in column 0 of `panels` to column 8 * (number of the step).
  void add_columns(isa::Address& address, const SharedPanels& panels) const {
    const int trips = panels.panel_columns() / QuadPairMath::kStep / kSteps;  // in a panel
    const std::int64_t bytes = std::int64_t{2} * QuadPairMath::kStep;
    address.offset.constant += bytes * place;
    if (!counter) return;
    const auto offset = static_cast<std::uint32_t>(ahead);
    add_term(address.offset, {.variable = *counter,
                              .coefficient = kSteps * bytes,
                              .modulus = static_cast<std::uint32_t>(trips),
                              .offset = offset});
    add_term(address.offset, {.variable = *counter,
                              .coefficient = std::int64_t{panels.rows} * panels.pitch_bytes(),
                              .divisor = static_cast<std::uint32_t>(trips),
                              .offset = offset});
  }
};

/// Sums of products over `trips` iterations of two steps.
struct ProductLoop {
  int trips;
  int groups;  ///< fragments of B of a step
  std::function<isa::Address(int m, const Step& step)> a;
  std::function<isa::Address(int group, const Step& step)> b;
  /// HMMAs of group `group` with the A fragments from register `a` on and the B fragment `b`.
  std::function<void(Instructions&, int group, int a, int b)> multiply;
};

class LoopEmitter {
 public:
  LoopEmitter(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work,
              const ProductLoop& loop)
      : plan_(plan),
        builder_(builder),
        work_(work),
        loop_(loop),
        ring_(plan.registers.ring, plan.ring_groups()) {}

  void emit() {
    Instructions first;
    load_a(first, {});
    for (int i = 0; i < ring_.ahead(); ++i) load_b(first, i, {});
    builder_.append(first);
    counter_ = builder_.next_counter();
    has_next_ = {{{{.constant = 0, .terms = {{counter_, 1}}}, loop_.trips - 1}}};
    builder_.begin_loop();
    builder_.append(body());
    builder_.end_loop(loop_.trips);
  }

 private:
  Instructions body() {
    const int count = kSteps * loop_.groups;
    Instructions ops;
    for (int i = 0; i < count; ++i) {
      const int step = i / loop_.groups;
      if (i % loop_.groups == 0) load_a(ops, step_behind(step + 1));
      load_b(ops, (i + ring_.ahead()) % count, step_behind((i + ring_.ahead()) / loop_.groups));
      loop_.multiply(ops, i % loop_.groups, fragment_a(step, 0), ring_.place(i));
    }
    ops.push_back(arithmetic(Opcode::kIadd3, reg(work_.fragment_address_a()),
                             reg(work_.fragment_address_a())));
    ops.push_back(arithmetic(Opcode::kIadd3, reg(work_.fragment_address_b()),
                             reg(work_.fragment_address_b())));
    ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
    return ops;
  }

  /// Step `number`, counted from the iteration's first step.
  [[nodiscard]] Step step_behind(int number) const {
    return {counter_, number / kSteps, number % kSteps};
  }

  [[nodiscard]] int fragment_a(int step, int m) const {
    return plan_.registers.query + 4 * (step * plan_.m_tiles() + m);
  }

  [[nodiscard]] int guard(const Step& step) {
    return step.ahead > 0 ? builder_.guard(has_next_) : isa::kNoIndex;
  }

  void load_a(Instructions& ops, const Step& step) {
    for (int m = 0; m < plan_.m_tiles(); ++m)
      ops.push_back(load(Opcode::kLds128, reg(fragment_a(step.place, m)),
                         reg(work_.fragment_address_a()),
                         builder_.access({.shared = loop_.a(m, step)}), guard(step)));
  }

  void load_b(Instructions& ops, int i, Step step) {
    step.place = i / loop_.groups;
    ops.push_back(load(Opcode::kLds128, reg(ring_.place(i)), reg(work_.fragment_address_b()),
                       builder_.access({.shared = loop_.b(i % loop_.groups, step)}), guard(step)));
  }

  const FusedPlan& plan_;
  ProgramBuilder& builder_;
  const AddressWork& work_;
  const ProductLoop& loop_;
  const FragmentRing ring_;
  Variable counter_ = Variable::kLoop0;
  isa::Guard has_next_;
};

/// The row of A that a lane supplies: row t of its quad pair in m tile `m_tile`.
isa::Expression lane_row(const FusedPlan& plan, int m_tile) {
  isa::Expression row =
      constant(std::int64_t{m_tile} * FusedPlan::kQuadPairBlock * plan.tile.warps);
  add_term(row, {.variable = Variable::kWarp, .coefficient = FusedPlan::kQuadPairBlock});
  add_field(row, {Variable::kLane, 0, 3, 1});
  add_field(row, {Variable::kLane, 4, 1, 8});
  return row;
}

isa::Address rows_of(const FusedPlan& plan, const SharedPanels& panels, int m, const Step& step) {
  isa::Address address = panels.at(lane_row(plan, m), 0, {});
  step.add_columns(address, panels);
  return address;
}

/// Two PRMT selectors: for the word, of two, that a lane keeps, and for the other word.
struct RowSelectors {
  int kept;
  int passed;

  [[nodiscard]] Instructions set(ProgramBuilder& builder) const {
    constexpr std::int32_t kFirstWord = 0x3210;
    constexpr std::int32_t kSecondWord = 0x7654;
    isa::Expression is_lower;  // the lane keeps the second row
    add_field(is_lower, {Variable::kLane, 1, 1, -1});
    const int lower = builder.guard({{{is_lower, 0}}});
    Instructions ops;
    for (const auto& [to, word, guard] :
         {std::tuple(kept, kFirstWord, int{isa::kNoIndex}), std::tuple(kept, kSecondWord, lower),
          std::tuple(passed, kSecondWord, int{isa::kNoIndex}),
          std::tuple(passed, kFirstWord, lower)}) {
      ops.push_back(with_immediate(arithmetic(Opcode::kMov, reg(to)), word));
      ops.back().guard = guard;
    }
    return ops;
  }
};

/// Four accumulators of a lane from register `first` on, which are two columns of two rows, become
/// four columns of one row, in registers `to` and `to` + 1.
Instructions exchanged_rows(const FusedPlan& plan, const RowSelectors& selectors, int first,
                            int to) {
  constexpr int kPartner = 2;
  const int kept = first + 2;
  const int passed = first + 3;
  Instructions ops;
  for (int row = 0; row < 2; ++row)
    extend(ops, packed_pair(plan, first + row, first + 2 * row, first + 2 * row + 1));
  const auto select = [&](int dst, int a, int b, int selector) {
    ops.push_back(arithmetic(Opcode::kPrmt, reg(dst), reg(a), reg(b), reg(selector)));
  };
  select(kept, first, first + 1, selectors.kept);
  select(passed, first, first + 1, selectors.passed);
  ops.push_back(with_immediate(arithmetic(Opcode::kShfl, reg(passed), reg(passed)), kPartner));
  select(to, kept, passed, selectors.kept);
  select(to + 1, kept, passed, selectors.passed);
  return ops;
}

}  // namespace

void append_quad_pair_scores(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work) {
  builder.append(clear_registers(plan.registers.scores, plan.registers.query));
  const auto keys = [&](int group, const Step& step) {
    isa::Expression key = constant(std::int64_t{group} * FusedPlan::kQuadPairBlock);
    add_field(key, {Variable::kLane, 0, 2, 1});
    add_field(key, {Variable::kLane, 3, 1, 4});
    add_field(key, {Variable::kLane, 4, 1, 8});
    isa::Address address = plan.shared_k.at(key, 0, {});
    step.add_columns(address, plan.shared_k);
    return address;
  };
  const ProductLoop loop{
      .trips = plan.dim / (kSteps * QuadPairMath::kStep),
      .groups = plan.tile.keys / FusedPlan::kQuadPairBlock,
      .a = [&](int m, const Step& step) { return rows_of(plan, plan.shared_q, m, step); },
      .b = keys,
      .multiply =
          [&](Instructions& ops, int group, int a, int b) {
            for (int set = 0; set < kSets; ++set)
              for (int m = 0; m < plan.m_tiles(); ++m)
                multiply(ops, plan.score(m, 2 * group, 0), a + 4 * m + 2 * set, b + 2 * set, 0);
          },
  };
  LoopEmitter(plan, builder, work, loop).emit();
}

Instructions stored_probabilities(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work) {
  Instructions ops;
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int n = 0; n < plan.score_tiles(); ++n)
      for (int row = 0; row < 2; ++row) {
        const int pair = plan.score(m, n, 2 * row);
        extend(ops, packed_pair(plan, pair, pair, pair + 1));
        isa::Expression beyond = plan.score_key(0, 0);
        const int access =
            builder.access({.shared = plan.shared_p.at(plan.tile_row(2 * m + row),
                                                       n * FusedPlan::kMmaColumns, beyond)});
        ops.push_back(store(Opcode::kSts32, reg(pair), reg(work.fragment_address_a()), access));
      }
  return ops;
}

void append_quad_pair_output(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work) {
  const int columns = plan.dim / kValueColumns;
  // Four keys, 32 columns: group i has set i / columns.
  const auto values = [&](int group, const Step& step) {
    isa::Expression key = constant(std::int64_t{group} / columns * QuadPairMath::kStep / kSets);
    add_field(key, {Variable::kLane, 0, 2, 1});
    isa::Expression beyond;
    add_field(beyond, {Variable::kLane, 3, 1, 8});
    add_field(beyond, {Variable::kLane, 4, 1, 16});
    isa::Address address = plan.shared_v.at(key, group % columns * kValueColumns, beyond);
    step.add_to(address, std::int64_t{QuadPairMath::kStep} * plan.shared_v.pitch_bytes());
    return address;
  };
  const ProductLoop loop{
      .trips = plan.tile.keys / (kSteps * QuadPairMath::kStep),
      .groups = kSets * columns,
      .a = [&](int m, const Step& step) { return rows_of(plan, plan.shared_p, m, step); },
      .b = values,
      .multiply =
          [&](Instructions& ops, int group, int a, int b) {
            for (int half = 0; half < 2; ++half)
              for (int m = 0; m < plan.m_tiles(); ++m)
                multiply(ops, plan.output(m, 2 * (2 * (group % columns) + half), 0),
                         a + 4 * m + 2 * (group / columns), b + 2 * half, isa::kRowMajorB);
          },
  };
  LoopEmitter(plan, builder, work, loop).emit();
}

Instructions stored_output(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work,
                           const SharedPanels& panels) {
  const RowSelectors selectors{plan.registers.ring, plan.registers.ring + 1};
  Instructions ops = selectors.set(builder);
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int block = 0; block < plan.output_tiles() / 2; block += 2)
      for (int right = 0; right < 2; ++right) {
        const int n = 2 * block + right;
        const int first = plan.output(m, n, 0);
        extend(ops, exchanged_rows(plan, selectors, first, first));
        extend(ops, exchanged_rows(plan, selectors, plan.output(m, n + 2, 0), first + 2));
        isa::Expression beyond;
        add_field(beyond, {Variable::kLane, 3, 1, 8});
        const int access =
            builder.access({.shared = panels.at(lane_row(plan, m), plan.output_column(n), beyond)});
        ops.push_back(store(Opcode::kSts128, reg(first), reg(work.fragment_address_a()), access));
      }
  return ops;
}

}  // namespace tcsim::kernels
