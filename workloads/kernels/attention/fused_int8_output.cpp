#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/panel_fragments.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kInt8MmaKeys = 32;  // of one MMA
constexpr int kColumns = 16;      // of one LDSM
constexpr int kParts = 4;         // registers of an accumulator tile

void permute(Instructions& ops, int to, int low, int high, std::int32_t selector) {
  ops.push_back(with_immediate(arithmetic(Opcode::kPrmt, reg(to), reg(low), reg(high)), selector));
}

class Int8Output {
 public:
  Int8Output(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work)
      : plan_(plan),
        builder_(builder),
        work_(work),
        steps_(plan.tile.keys / kInt8MmaKeys),
        groups_(plan.dim / kColumns),
        ring_(plan.registers.ring, plan.ring_groups()) {}

  Instructions emit() {
    ring_.run(
        steps_ * groups_, [this](int i) { fetch(i); }, [this] { pack_probabilities(0); },
        [this](int i) { use(i); });
    add_to_output(groups_ - 1);
    return std::move(ops_);
  }

 private:
  void use(int i) {
    if (i + 1 < steps_) pack_probabilities(i + 1);
    part_columns(i);
    multiply(i);
    // The sums of a group are added while those of the next group are computed.
    const int group = i / steps_;
    if (i % steps_ == 0 && group > 0) add_to_output(group - 1);
  }

  /// Packs four integers of a row and of eight keys, which are in the low bytes of FP32 numbers,
  /// into one word.
  void pack_probabilities(int step) {
    constexpr std::int32_t kLowBytes = 0x0040;
    for (int m = 0; m < plan_.m_tiles(); ++m)
      for (int word = 0; word < kParts; ++word) {
        const int row = word % 2;
        const int left = plan_.score(m, 4 * step + word / 2 * 2, 2 * row);
        const int right = plan_.score(m, 4 * step + word / 2 * 2 + 1, 2 * row);
        for (const int p : {left, left + 1, right, right + 1})
          ops_.push_back(with_immediate(arithmetic(Opcode::kFadd, reg(p), reg(p)), kIntegerBias));
        permute(ops_, left, left, left + 1, kLowBytes);
        permute(ops_, right, right, right + 1, kLowBytes);
        permute(ops_, probability(m, step) + word, left, right, kLowHalves);
      }
  }

  [[nodiscard]] int probability(int m, int step) const { return plan_.score(m, 4 * step, 0); }

  /// Keys of step i mod steps, 16 columns of group i / steps.
  void fetch(int i) {
    isa::Expression key = constant(std::int64_t{i % steps_} * kInt8MmaKeys);
    add_term(key, {.variable = Variable::kLane, .coefficient = 1});
    const int access =
        builder_.access({.shared = plan_.shared_v.at(key, i / steps_ * kColumns / 2, {})});
    ops_.push_back(
        load(Opcode::kLdsmTX4, reg(ring_.place(i)), reg(work_.fragment_address_b()), access));
  }

  /// B fragment of the even columns; the fragment of the odd columns replaces what was loaded.
  [[nodiscard]] int even(int i) const { return plan_.registers.query + i % 4 * 2; }

  void part_columns(int i) {
    constexpr std::int32_t kEvenBytes = 0x6420;
    constexpr std::int32_t kOddBytes = 0x7531;
    const int loaded = ring_.place(i);
    for (int half = 0; half < 2; ++half) {
      permute(ops_, even(i) + half, loaded + 2 * half, loaded + 2 * half + 1, kEvenBytes);
      permute(ops_, loaded + half, loaded + 2 * half, loaded + 2 * half + 1, kOddBytes);
    }
  }

  [[nodiscard]] int product(int group, int odd, int m) const {
    return plan_.registers.products + kParts * ((group % 2 * 2 + odd) * plan_.m_tiles() + m);
  }

  void multiply(int i) {
    for (int odd = 0; odd < 2; ++odd)
      for (int m = 0; m < plan_.m_tiles(); ++m) {
        const isa::Register d = reg(product(i / steps_, odd, m));
        const bool starts = i % steps_ == 0;
        ops_.push_back(arithmetic(plan_.mma, d, reg(probability(m, i % steps_)),
                                  reg(odd == 1 ? ring_.place(i) : even(i)),
                                  starts ? reg(plan_.registers.bias) : d));
      }
  }

  void add_to_output(int group) {
    for (int odd = 0; odd < 2; ++odd)
      for (int m = 0; m < plan_.m_tiles(); ++m)
        for (int part = 0; part < kParts; ++part) {
          const int sum = product(group, odd, m) + part;
          const isa::Register o = reg(plan_.output(m, 2 * group + odd, part));
          ops_.push_back(with_literal(Opcode::kFadd, sum, sum, -kIntegerBiasValue));
          ops_.push_back(
              plan_.problem.has_block_scales
                  ? arithmetic(Opcode::kFfma, o, reg(sum), reg(plan_.registers.key_scale + 1), o)
                  : arithmetic(Opcode::kFadd, o, o, reg(sum)));
        }
  }

  const FusedPlan& plan_;
  ProgramBuilder& builder_;
  const AddressWork& work_;
  const int steps_;
  const int groups_;
  FragmentRing ring_;
  Instructions ops_;
};

}  // namespace

Instructions int8_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work) {
  return Int8Output(plan, builder, work).emit();
}

}  // namespace tcsim::kernels
