#include "workloads/kernels/conv/im2col.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/operand.hpp"

namespace tcsim::kernels {

isa::KernelLaunch make_im2col(const ConvProblem& problem) {
  constexpr int kRounds = 4;     // loads of a thread in flight (assumption)
  constexpr int kSetupOps = 40;  // index and its divisions (assumption)
  constexpr int kOpsPerLoad = 12;
  const int bytes = element_bytes(problem.input);
  const int vector = widest_vector(problem.c, bytes);
  const int registers = std::max(1, vector * bytes / 4);
  const std::int64_t chunks = problem.c / vector;
  const std::int64_t row = chunks * problem.r * problem.s;
  const SampledImages images = forward_images(problem);
  FlatKernel kernel("im2col", images.pixels() * row, kRounds, kRounds * registers, kSetupOps);
  ProgramBuilder& builder = kernel.builder();
  for (int round = 0; round < kRounds; ++round) {
    const isa::Expression item = kernel.item(round);
    isa::Expression tap_row;
    isa::Expression tap_column;
    isa::Expression channel;
    add_quotient(tap_row, 1, item, chunks * problem.s, problem.r);
    add_quotient(tap_column, 1, item, chunks, problem.s);
    add_quotient(channel, vector, item, 1, chunks);
    Gather::Place place = images.place(item, tap_row, tap_column, channel, row);
    isa::Guard guard = kernel.exists(round);
    std::ranges::move(place.inside.bounds, std::back_inserter(guard.bounds));
    isa::Address from;
    add_scaled(from.offset, place.element, bytes);
    builder.append(kernel.work().advance_pointer(round, kOpsPerLoad));
    for (int i = 0; i < registers; ++i)
      builder.append(arithmetic(isa::Opcode::kMov, reg(round * registers + i)));
    builder.append(
        load(global_load_of(vector * bytes), reg(round * registers), kernel.work().pointer(round),
             builder.access({.buffer = 0, .global = std::move(from)}), builder.guard(guard)));
  }
  for (int round = 0; round < kRounds; ++round) {
    isa::Address to;
    add_scaled(to.offset, kernel.item(round), std::int64_t{vector} * bytes);
    builder.append(store(global_store_of(vector * bytes), reg(round * registers),
                         kernel.work().pointer(round),
                         builder.access({.buffer = 1, .global = std::move(to)}),
                         builder.guard(kernel.exists(round))));
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
