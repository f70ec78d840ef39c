#include "workloads/kernels/attention/scaled_rows.hpp"

#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kElements = 4;   // of a load
constexpr int kRounds = 4;     // loads of a thread in flight (assumption)
constexpr int kSetupOps = 20;  // index and its division (assumption)
constexpr int kScales = kRounds * kElements;

}  // namespace

isa::KernelLaunch scaled_rows(std::int64_t rows, std::int64_t columns, const VectorUnit& unit) {
  const std::int64_t vectors = columns / kElements;
  FlatKernel kernel("scale_rows", rows * vectors, kRounds, kScales + kRounds, kSetupOps,
                    unit.has_uniform_datapath);
  for (int round = 0; round < kRounds; ++round) {
    isa::Expression from;
    add_scaled(from, kernel.item(round), std::int64_t{4} * kElements);
    kernel.move({.offset = from, .bytes = 4 * kElements, .data = round * kElements}, round);
    isa::Expression scale;
    add_quotient(scale, 4, kernel.item(round), vectors, 0);
    kernel.move({.buffer = 1, .offset = scale, .data = kScales + round}, round);
  }
  for (int round = 0; round < kRounds; ++round) {
    const int first = round * kElements;
    for (int i = first; i < first + kElements; ++i) {
      kernel.builder().append(arithmetic(Opcode::kI2f, reg(i), reg(i)));
      kernel.builder().append(arithmetic(Opcode::kFmul, reg(i), reg(i), reg(kScales + round)));
    }
    kernel.builder().append(narrow(Element::kFp16, unit, first, kElements));
    isa::Expression to;
    add_scaled(to, kernel.item(round), std::int64_t{2} * kElements);
    kernel.move(
        {.is_store = true, .buffer = 2, .offset = to, .bytes = 2 * kElements, .data = first},
        round);
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
