#include "workloads/kernels/attention/scaled_rows.hpp"

#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kScaledElements = 4;   // of a load
constexpr int kScaledRounds = 4;     // loads of a thread in flight (assumption)
constexpr int kScaledSetupOps = 20;  // index and its division (assumption)
constexpr int kScales = kScaledRounds * kScaledElements;

}  // namespace

isa::KernelLaunch scaled_rows(std::int64_t rows, std::int64_t columns, const VectorUnit& unit) {
  const std::int64_t vectors = columns / kScaledElements;
  FlatKernel kernel("scale_rows", rows * vectors, kScaledRounds, kScales + kScaledRounds,
                    kScaledSetupOps);
  for (int round = 0; round < kScaledRounds; ++round) {
    isa::Expression from;
    add_scaled(from, kernel.item(round), std::int64_t{4} * kScaledElements);
    kernel.move({.offset = from, .bytes = 4 * kScaledElements, .data = round * kScaledElements},
                round);
    isa::Expression scale;
    add_quotient(scale, 4, kernel.item(round), vectors, 0);
    kernel.move({.buffer = 1, .offset = scale, .data = kScales + round}, round);
  }
  const Opcode to_real = real_of_integer_opcode(unit.has_packing);
  for (int round = 0; round < kScaledRounds; ++round) {
    const int first = round * kScaledElements;
    for (int i = first; i < first + kScaledElements; ++i) {
      kernel.builder().append(arithmetic(to_real, reg(i), reg(i)));
      kernel.builder().append(arithmetic(Opcode::kFmul, reg(i), reg(i), reg(kScales + round)));
    }
    kernel.builder().append(narrow(Element::kFp16, unit, first, kScaledElements));
    isa::Expression to;
    add_scaled(to, kernel.item(round), std::int64_t{2} * kScaledElements);
    kernel.move(
        {.is_store = true, .buffer = 2, .offset = to, .bytes = 2 * kScaledElements, .data = first},
        round);
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
