#include "workloads/kernels/conv/post_kernels.hpp"

#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPostRounds = 4;     // loads of a thread in flight (assumption)
constexpr int kPostSetupOps = 30;  // index and its divisions (assumption)

/// First channel of pair `item` of a tensor of k channels.
isa::Expression channel_of(const isa::Expression& item, std::int64_t k) {
  isa::Expression channel;
  add_quotient(channel, kPair, item, 1, k / kPair);
  return channel;
}

isa::Expression scaled(const isa::Expression& expression, std::int64_t factor) {
  isa::Expression result;
  add_scaled(result, expression, factor);
  return result;
}

/// Registers of one pair.
struct PairRegisters {
  static constexpr int kCount = 4 * kPair;

  explicit PairRegisters(int round) : values(round * kCount) {}
  [[nodiscard]] int scale() const { return values + kPair; }
  [[nodiscard]] int bias() const { return values + 2 * kPair; }
  [[nodiscard]] int residual() const { return values + 3 * kPair; }

  int values;
};

void apply(const ConvPost& post, const PairRegisters& pair, ProgramBuilder& builder) {
  for (int i = 0; i < kPair; ++i) {
    const isa::Register value = reg(pair.values + i);
    const isa::Register scale = reg(pair.scale() + i);
    const isa::Register bias = reg(pair.bias() + i);
    if (post.scale && post.bias)
      builder.append(arithmetic(Opcode::kFfma, value, value, scale, bias));
    else if (post.scale)
      builder.append(arithmetic(Opcode::kFmul, value, value, scale));
    else if (post.bias)
      builder.append(arithmetic(Opcode::kFadd, value, value, bias));
    if (post.residual)
      builder.append(arithmetic(Opcode::kFadd, value, value, reg(pair.residual() + i)));
    if (post.relu) builder.append(arithmetic(Opcode::kFmnmx, value, value));
  }
}

}  // namespace

isa::KernelLaunch make_post(const ConvProblem& problem, const VectorUnit& unit) {
  constexpr int kPairBytes = kPair * 4;
  const PairValues pairs(problem.output, unit);
  FlatKernel kernel("scale_bias_relu", problem.y_elements() / kPair, kPostRounds,
                    kPostRounds * PairRegisters::kCount, kPostSetupOps);
  for (int round = 0; round < kPostRounds; ++round) {
    const isa::Expression item = kernel.item(round);
    const isa::Expression channel = scaled(channel_of(item, problem.k), 4);
    const PairRegisters pair(round);
    int buffer = 2;
    const isa::Expression place = scaled(item, pairs.bytes());
    kernel.move({.offset = place, .bytes = pairs.bytes(), .data = pair.values}, round);
    if (problem.post.scale)
      kernel.move(
          {.buffer = buffer++, .offset = channel, .bytes = kPairBytes, .data = pair.scale()},
          round);
    if (problem.post.bias)
      kernel.move({.buffer = buffer++, .offset = channel, .bytes = kPairBytes, .data = pair.bias()},
                  round);
    if (problem.post.residual)
      kernel.move(
          {.buffer = buffer, .offset = place, .bytes = pairs.bytes(), .data = pair.residual()},
          round);
  }
  for (int round = 0; round < kPostRounds; ++round) {
    const PairRegisters pair(round);
    kernel.builder().append(pairs.unpack(pair.values));
    if (problem.post.residual) kernel.builder().append(pairs.unpack(pair.residual()));
    apply(problem.post, pair, kernel.builder());
    kernel.builder().append(pairs.pack(pair.values));
    kernel.move({.is_store = true,
                 .buffer = 1,
                 .offset = scaled(kernel.item(round), pairs.bytes()),
                 .bytes = pairs.bytes(),
                 .data = pair.values},
                round);
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
