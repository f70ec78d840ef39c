#include "models/sm/tensor_core.hpp"

#include <cmath>
#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {
namespace {

constexpr int kQuadPairs = 4;

bool is_whole(double number) { return number == std::floor(number); }

/// The pass for the formats of `opcode` on these cores.
std::optional<CoreShape> pass_of(const isa::OpcodeInfo& info, const TensorType& type,
                                 const TensorParams& tensor) {
  std::optional<CoreShape> pass = pass_shape(tensor.core, tensor.products.*type.products);
  if (pass && info.sparse) pass->k *= tensor.sparse_speedup;
  return pass;
}

/// Cuts the instruction into blocks and distributes them over the cores.
void deal_blocks(const isa::OpcodeInfo& info, const TensorParams& tensor, MmaDerivation& mma) {
  mma.blocks_m = ceil_div<int>(info.m, mma.pass.m);
  mma.blocks_n = ceil_div<int>(info.n, mma.pass.n);
  mma.blocks_k = ceil_div<int>(info.k, mma.pass.k);
  const int matrices = info.mma_step.count > 1 ? kQuadPairs : 1;
  const int cores = tensor.cores_per_sub_core;
  if (tensor.organisation == "weight_stationary") {
    // Each core holds its own blocks of B; additional cores share the rows that stream through.
    const int weights = ceil_div<int>(matrices * mma.blocks_n * mma.blocks_k, info.mma_step.count);
    const int sharing = std::max(1, cores / weights);
    mma.stationary = ceil_div(weights, cores / sharing);
    mma.streamed = ceil_div(mma.blocks_m, sharing);
    return;
  }
  const int sums = ceil_div<int>(matrices * mma.blocks_m * mma.blocks_n, info.mma_step.count);
  mma.stationary = ceil_div(sums, cores);
  mma.streamed = mma.blocks_k;
}

std::array<int, 2> reads_of(const TensorParams& tensor, const MmaDerivation& mma) {
  if (tensor.operand_buffers != "pass") return {1, 1};
  return {mma.blocks_n, mma.blocks_m};
}

/// Registers of A and B that the steps of `opcode` read, for each step.
void count_operands(const isa::OpcodeInfo& info, const TensorParams& tensor, MmaDerivation& mma) {
  const auto [reads_a, reads_b] = reads_of(tensor, mma);
  const int registers = info.src_registers[0] * reads_a + info.src_registers[1] * reads_b;
  mma.operand_registers = ceil_div<int>(registers, info.mma_step.count);
  mma.operand_cycles =
      ceil_div<int>(registers, info.mma_step.count * tensor.operand_registers_per_cycle);
}

/// Rounds over all blocks of sums; the next round waits for the sums of the previous one.
void time_dot_product(const TensorParams& tensor, MmaDerivation& mma) {
  const int through_registers = tensor.forwarding == "present" ? 0 : tensor.result_cycles;
  const int chain = tensor.pipeline_cycles + through_registers;
  const int round = mma.stationary * mma.cycles_per_pass;
  mma.pass_cycles = mma.streamed * round;
  mma.round_cycles = (mma.streamed - 1) * std::max(round, chain);
  mma.block_cycles = round - mma.cycles_per_pass;
}

void time_outer_product(const TensorParams& tensor, MmaDerivation& mma) {
  const int round = mma.stationary * mma.cycles_per_pass;
  mma.round_cycles = (mma.streamed - 1) * std::max(round, tensor.pipeline_cycles);
  mma.block_cycles = round - mma.cycles_per_pass;
  mma.change_cycles = tensor.fill_cycles + tensor.drain_cycles;
  const int passes = mma.round_cycles + round;
  mma.pass_cycles = tensor.stationary_buffers > 1 ? std::max(passes, mma.change_cycles)
                                                  : passes + mma.change_cycles;
}

void time_output_stationary(const TensorParams& tensor, MmaDerivation& mma) {
  mma.round_cycles = (mma.streamed - 1) * std::max(mma.cycles_per_pass, tensor.pipeline_cycles);
  mma.change_cycles = tensor.fill_cycles + tensor.drain_cycles;
  const int block = mma.round_cycles + mma.cycles_per_pass;
  const int next = tensor.stationary_buffers > 1 ? std::max(block, mma.change_cycles)
                                                 : block + mma.change_cycles;
  mma.block_cycles = (mma.stationary - 1) * next;
  mma.pass_cycles = mma.stationary * next;
}

void time_weight_stationary(const TensorParams& tensor, MmaDerivation& mma) {
  const int stream = mma.streamed * mma.cycles_per_pass;
  int next = tensor.stationary_buffers > 1 ? std::max(stream, tensor.fill_cycles)
                                           : stream + tensor.fill_cycles;
  if (mma.blocks_k > 1) next = std::max(next, tensor.pipeline_cycles);
  mma.round_cycles = (mma.stationary - 1) * next;
  mma.block_cycles = stream - mma.cycles_per_pass;
  mma.change_cycles = tensor.fill_cycles + tensor.drain_cycles;
  mma.pass_cycles = mma.stationary * next;
}

}  // namespace

std::string to_string(const CoreShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::optional<CoreShape> pass_shape(const CoreShape& core, double products) {
  const double k = core.k * products;
  if (k <= 0) return {};
  if (k >= 1) {
    if (!is_whole(k)) return {};
    return CoreShape{core.m, core.n, static_cast<int>(k)};
  }
  const double fewer = 1 / k;
  if (!is_whole(fewer)) return {};
  const auto divisor = static_cast<int>(fewer);
  if (core.n % divisor == 0) return CoreShape{core.m, core.n / divisor, 1};
  if (divisor % core.n == 0 && core.m % (divisor / core.n) == 0)
    return CoreShape{core.m / (divisor / core.n), 1, 1};
  return {};
}

std::optional<MmaDerivation> derive_mma(isa::Opcode opcode, const TensorParams& tensor) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  const TensorType* const type = tensor_type(opcode);
  if (type == nullptr || tensor.cores_per_sub_core == 0) return {};
  if (info.sparse && tensor.sparse_speedup == 1) return {};
  const std::optional<CoreShape> pass = pass_of(info, *type, tensor);
  if (!pass) return {};
  MmaDerivation mma;
  mma.pass = *pass;
  mma.cycles_per_pass = info.mma_sum == numerics::ElementType::kFp32 ? tensor.fp32_sum_slowdown : 1;
  mma.least_cycles =
      info.sparse ? tensor.sparse_least_interval_cycles : tensor.least_interval_cycles;
  deal_blocks(info, tensor, mma);
  count_operands(info, tensor, mma);
  if (tensor.organisation == "outer_product")
    time_outer_product(tensor, mma);
  else if (tensor.organisation == "output_stationary")
    time_output_stationary(tensor, mma);
  else if (tensor.organisation == "weight_stationary")
    time_weight_stationary(tensor, mma);
  else
    time_dot_product(tensor, mma);
  mma.latency_cycles = mma.operand_cycles + mma.change_cycles + mma.round_cycles +
                       mma.block_cycles + tensor.pipeline_cycles + tensor.result_cycles;
  return mma;
}

std::array<int, 2> operand_reads(isa::Opcode opcode, const TensorParams& tensor) {
  if (tensor.operand_buffers != "pass") return {1, 1};
  const std::optional<MmaDerivation> mma = derive_mma(opcode, tensor);
  return mma ? reads_of(tensor, *mma) : std::array{1, 1};
}

int dense_macs(const TensorType& type, const TensorParams& tensor) {
  if (const std::optional<int>& given = tensor.*type.macs) return *given;
  const auto pass = pass_shape(tensor.core, tensor.products.*type.products);
  return pass ? static_cast<int>(pass->macs()) : 0;
}

int tensor_rate(isa::Opcode opcode, const TensorParams& tensor) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  const TensorType* const type = tensor_type(opcode);
  if (type == nullptr) return 0;
  return dense_macs(*type, tensor) * tensor.cores_per_sub_core *
         (info.sparse ? tensor.sparse_speedup : 1) /
         (info.mma_sum == numerics::ElementType::kFp32 ? tensor.fp32_sum_slowdown : 1);
}

}  // namespace tcsim::sm
