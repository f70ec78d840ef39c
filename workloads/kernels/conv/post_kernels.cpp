#include "workloads/kernels/conv/post_kernels.hpp"

#include "workloads/kernels/conv/flat_kernel.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPair = 2;
constexpr int kRounds = 4;     // loads of a thread in flight (assumption)
constexpr int kSetupOps = 30;  // index and its divisions (assumption)
constexpr int kOpsPerMove = 4;

/// First channel of pair `item` of a tensor of k channels.
isa::Expression channel_of(const isa::Expression& item, std::int64_t k) {
  isa::Expression channel;
  add_quotient(channel, kPair, item, 1, k / kPair);
  return channel;
}

/// Adds a load of `bytes` at `offset` of `buffer`, or with `is_store` a store.
void move(FlatKernel& kernel, bool is_store, int buffer, const isa::Expression& offset, int bytes,
          int data, int round) {
  ProgramBuilder& builder = kernel.builder();
  const int access =
      builder.access({.buffer = buffer, .global = {.offset = offset, .swizzle = {}}});
  const int guard = builder.guard(kernel.exists(round));
  builder.append(kernel.work().advance_pointer(round, kOpsPerMove));
  const isa::Register pointer = kernel.work().pointer(round);
  builder.append(is_store ? store(global_store_opcode(bytes), reg(data), pointer, access, guard)
                          : load(global_load_opcode(bytes), reg(data), pointer, access, guard));
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
    move(kernel, false, 0, scaled(item, pairs.bytes()), pairs.bytes(), data, round);
    if (problem.post.scale)
      move(kernel, false, buffer++, channel, kVectorBytes, data + kPair, round);
    if (problem.post.bias)
      move(kernel, false, buffer, channel, kVectorBytes, data + 2 * kPair, round);
  }
  for (int round = 0; round < kRounds; ++round) {
    const int data = round * kRegistersPerRound;
    kernel.builder().append(pairs.unpack(data));
    apply(problem.post, data, data + kPair, data + 2 * kPair, kernel.builder());
    kernel.builder().append(pairs.pack(data));
    move(kernel, true, 1, scaled(kernel.item(round), pairs.bytes()), pairs.bytes(), data, round);
  }
  return kernel.finish();
}

isa::KernelLaunch make_max_pool(const ConvProblem& problem, bool has_uniform_datapath,
                                bool has_packing) {
  constexpr int kSide = 2;
  constexpr int kPixels = kSide * kSide;
  const PairValues pairs(problem.output, has_packing);
  const SampledImages images{.rows = {.pixels = problem.p() / kSide,
                                      .taps = kSide,
                                      .extent = problem.p(),
                                      .pixel_step = kSide},
                             .columns = {.pixels = problem.q() / kSide,
                                         .taps = kSide,
                                         .extent = problem.q(),
                                         .pixel_step = kSide},
                             .images = problem.n,
                             .channels = problem.k};
  FlatKernel kernel("max_pool_2x2", problem.pooled_elements() / kPair, 1, kPixels * kPair,
                    kSetupOps, has_uniform_datapath);
  const isa::Expression item = kernel.item(0);
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    const Gather::Place place = images.place(item, constant(pixel / kSide), constant(pixel % kSide),
                                             channel_of(item, problem.k), problem.k / kPair);
    move(kernel, false, 0, scaled(place.element, pairs.bytes() / kPair), pairs.bytes(),
         pixel * kPair, 0);
  }
  ProgramBuilder& builder = kernel.builder();
  for (int pixel = 0; pixel < kPixels; ++pixel) builder.append(pairs.unpack(pixel * kPair));
  for (int pixel = 1; pixel < kPixels; ++pixel)
    for (int i = 0; i < kPair; ++i)
      builder.append(arithmetic(Opcode::kFmnmx, reg(i), reg(i), reg(pixel * kPair + i)));
  builder.append(pairs.pack(0));
  move(kernel, true, 1, scaled(item, pairs.bytes()), pairs.bytes(), 0, 0);
  return kernel.finish();
}

}  // namespace tcsim::kernels
