#include "workloads/kernels/address_work.hpp"

#include <algorithm>
#include <array>

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kFixedRegisters =
    4;  // shared store address, two fragment addresses, one spare for alignment
constexpr int kLeastScratch = 4;
// Parameters of a kernel: sizes, strides, pointers and increments (assumption; CUTLASS 2.x passes
// about 350 bytes).
constexpr int kParameterWords = 88;
// Distance between an instruction and the one that produces its source. Address chains are short
// but not back to back (assumption).
constexpr int kDependenceDistance = 3;

// The operations that kernels.md 2.1 lists under "vector integer". Their proportions are ours
// (assumption).
constexpr std::array kVectorMix{Opcode::kIadd3, Opcode::kLop3, Opcode::kIsetp, Opcode::kImad,
                                Opcode::kIadd3, Opcode::kSel,  Opcode::kShf,   Opcode::kIadd3,
                                Opcode::kPlop3, Opcode::kLea,  Opcode::kIsetp, Opcode::kMov};
constexpr std::array kUniformMix{Opcode::kUiadd3, Opcode::kUldc,   Opcode::kUlop3,
                                 Opcode::kUiadd3, Opcode::kUisetp, Opcode::kUsel,
                                 Opcode::kUmov,   Opcode::kUlea,   Opcode::kUshf};

}  // namespace

AddressWork::AddressWork(int first, int count, bool has_uniform_datapath)
    : first_(first),
      pointers_((count - kFixedRegisters - kLeastScratch) / 2),
      has_uniform_datapath_(has_uniform_datapath) {
  pointers_ = std::min(pointers_, (count - kFixedRegisters) / 3);
  scratch_ = count - kFixedRegisters - 2 * pointers_;
}

isa::Register AddressWork::pointer(int i) const {
  return reg(first_ + kFixedRegisters + 2 * (i % pointers_));
}

isa::Register AddressWork::next_scratch() {
  next_scratch_ = (next_scratch_ + 1) % scratch_;
  return scratch_before(0);
}

isa::Register AddressWork::scratch_before(int distance) const {
  const int index = (next_scratch_ + scratch_ - distance % scratch_) % scratch_;
  return reg(first_ + kFixedRegisters + 2 * pointers_ + index);
}

isa::Instruction AddressWork::vector_op(Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  const isa::Register source = scratch_before(kDependenceDistance - 1);
  const isa::Register dst = info.dst_registers > 0 ? next_scratch() : isa::kZeroRegister;
  return arithmetic(opcode, dst, info.src_registers[0] > 0 ? source : isa::kZeroRegister);
}

Opcode AddressWork::next_of_mix() {
  const Opcode opcode = kVectorMix[static_cast<std::size_t>(next_vector_)];
  next_vector_ = (next_vector_ + 1) % static_cast<int>(kVectorMix.size());
  return opcode;
}

Instructions AddressWork::vector_ops(int count) {
  Instructions ops;
  for (int i = 0; i < count; ++i) ops.push_back(vector_op(next_of_mix()));
  return ops;
}

Instructions AddressWork::balanced_ops(int count) {
  Instructions ops;
  for (int i = 0; i < count; ++i)
    ops.push_back(vector_op(i % 2 == 0 ? next_of_mix() : Opcode::kImad));
  return ops;
}

Instructions AddressWork::setup_ops(int count) {
  Instructions ops = vector_ops(count);
  for (isa::Instruction& op : ops) {
    if (op.opcode != Opcode::kMov && op.opcode != Opcode::kImad && op.opcode != Opcode::kIsetp)
      continue;
    op = with_parameter(op, next_parameter_);
    next_parameter_ = (next_parameter_ + 1) % kParameterWords;
  }
  return ops;
}

Instructions AddressWork::advance_pointer(int i, int count) {
  Instructions ops = vector_ops(std::max(0, count - 2));
  const isa::Register low = pointer(i);
  const isa::Register high = reg(low + 1);
  if (count >= 2) ops.push_back(arithmetic(Opcode::kIadd3, low, low, scratch_before(0)));
  if (count >= 1) ops.push_back(arithmetic(Opcode::kIadd3, high, high));
  return ops;
}

Instructions AddressWork::advance_stage(int count) {
  Instructions ops;
  for (const int address : {fragment_address_a(), fragment_address_b()})
    if (static_cast<int>(ops.size()) < count)
      ops.push_back(arithmetic(Opcode::kIadd3, reg(address), reg(address)));
  extend(ops, vector_ops(count - static_cast<int>(ops.size())));
  return ops;
}

Instructions AddressWork::uniform_ops(int count) {
  if (!has_uniform_datapath_) return vector_ops(count);
  Instructions ops;
  for (int i = 0; i < count; ++i) {
    const Opcode opcode = kUniformMix[static_cast<std::size_t>(next_uniform_)];
    const int mix = static_cast<int>(kUniformMix.size());
    const isa::Register source = reg((next_uniform_ + mix - kDependenceDistance) % mix);
    ops.push_back(arithmetic(opcode, reg(next_uniform_), source));
    next_uniform_ = (next_uniform_ + 1) % mix;
  }
  return ops;
}

void begin_kernel(ProgramBuilder& builder, const AddressWork& work, int numbers,
                  const Instructions& setup) {
  for (int i = 0; i < numbers; ++i) builder.append(arithmetic(Opcode::kS2r, work.pointer(i)));
  builder.append(setup);
}

}  // namespace tcsim::kernels
