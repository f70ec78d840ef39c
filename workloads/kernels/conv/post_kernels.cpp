#include "workloads/kernels/conv/post_kernels.hpp"

#include "workloads/kernels/conv/flat_kernel.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPair = 2;
constexpr int kRounds = 4;     // loads of a thread in flight (assumption)
constexpr int kSetupOps = 30;  // index and its divisions (assumption)

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

void apply(const ConvPost& post, int values, int scale, int bias, ProgramBuilder& builder) {
  for (int i = 0; i < kPair; ++i) {
    const isa::Register value = reg(values + i);
    if (post.scale && post.bias)
      builder.append(arithmetic(Opcode::kFfma, value, value, reg(scale + i), reg(bias + i)));
    else if (post.scale)
      builder.append(arithmetic(Opcode::kFmul, value, value, reg(scale + i)));
    else if (post.bias)
      builder.append(arithmetic(Opcode::kFadd, value, value, reg(bias + i)));
    if (post.relu) builder.append(arithmetic(Opcode::kFmnmx, value, value));
  }
}

}  // namespace

isa::KernelLaunch make_post(const ConvProblem& problem, bool has_uniform_datapath,
                            bool has_packing) {
  constexpr int kRegistersPerRound = 3 * kPair;  // values, scale, bias
  constexpr int kVectorBytes = kPair * 4;
  const PairValues pairs(problem.output, has_packing);
  FlatKernel kernel("scale_bias_relu", problem.y_elements() / kPair, kRounds,
                    kRounds * kRegistersPerRound, kSetupOps, has_uniform_datapath);
  for (int round = 0; round < kRounds; ++round) {
    const isa::Expression item = kernel.item(round);
    const isa::Expression channel = scaled(channel_of(item, problem.k), 4);
    int data = round * kRegistersPerRound;
    int buffer = 2;
    const isa::Expression place = scaled(item, pairs.bytes());
    kernel.move({.offset = place, .bytes = pairs.bytes(), .data = data}, round);
    if (problem.post.scale)
      kernel.move(
          {.buffer = buffer++, .offset = channel, .bytes = kVectorBytes, .data = data + kPair},
          round);
    if (problem.post.bias)
      kernel.move(
          {.buffer = buffer, .offset = channel, .bytes = kVectorBytes, .data = data + 2 * kPair},
          round);
  }
  for (int round = 0; round < kRounds; ++round) {
    const int data = round * kRegistersPerRound;
    kernel.builder().append(pairs.unpack(data));
    apply(problem.post, data, data + kPair, data + 2 * kPair, kernel.builder());
    kernel.builder().append(pairs.pack(data));
    kernel.move({.is_store = true,
                 .buffer = 1,
                 .offset = scaled(kernel.item(round), pairs.bytes()),
                 .bytes = pairs.bytes(),
                 .data = data},
                round);
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
