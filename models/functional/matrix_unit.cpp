#include "models/functional/matrix_unit.hpp"

#include <cassert>

#include "models/functional/register_image.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/mma_types.hpp"

namespace tcsim::functional {
namespace {

using isa::Opcode;
using numerics::MmaInstruction;

/// The part of an HMMA.884: which two accumulator registers it computes, and how many there are.
struct Step {
  std::size_t first_register;
  std::size_t registers;
};

std::optional<Step> step_of(Opcode opcode) {
  const isa::MmaStep step = isa::opcode_info(opcode).mma_step;
  if (step.count == 1) return std::nullopt;
  return Step{2 * std::size_t{step.index}, 2 * std::size_t{step.count}};
}

/// False for four-bit, one-bit and large FP64 forms, which have only timing.
bool has_values(Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  return info.mma_input != isa::MmaInput::kInt4 && info.mma_input != isa::MmaInput::kBit &&
         (info.mma_input != isa::MmaInput::kFp64 || opcode == Opcode::kDmma884 || info.shaped);
}

MmaInstruction group_instruction_of(const isa::GroupMma& group) {
  MmaInstruction mma;
  mma.kind = numerics::InstructionKind::kWgmma;
  mma.shape = {isa::kGroupRows, group.n, group.k()};
  mma.a = group.formats.a;
  mma.b = group.formats.b;
  mma.c = mma.d = group.formats.sum;
  mma.sparse = group.sparse;
  return mma;
}

MmaInstruction instruction_of(const isa::Instruction& instruction) {
  if (isa::is_group_mma(instruction.opcode))
    return group_instruction_of(isa::group_mma(instruction.opcode));
  MmaInstruction mma = isa::mma_instruction(isa::opcode_info(instruction.opcode));
  if (!mma.on_tensor_core) return mma;
  if ((instruction.immediate & isa::kColumnMajorA) != 0) mma.a_layout = numerics::Layout::kColumn;
  if ((instruction.immediate & isa::kRowMajorB) != 0) mma.b_layout = numerics::Layout::kRow;
  return mma;
}

void read_operand(const RegisterFile& registers, isa::Register first, std::size_t count,
                  std::vector<std::uint32_t>& image) {
  image.resize(kLanes * count);
  read_image(registers, first, count, image, count);
}

}  // namespace

std::unique_ptr<numerics::MmaExecutor>& MatrixUnit::executor_of(
    const isa::Instruction& instruction) {
  const std::size_t layout =
      step_of(instruction.opcode) ? static_cast<std::size_t>(instruction.immediate) % kLayouts : 0;
  return executors_[static_cast<std::size_t>(instruction.opcode) * kLayouts + layout];
}

std::optional<numerics::Refusal> MatrixUnit::prepare(const isa::Instruction& instruction) {
  if (!has_values(instruction.opcode)) {
    return numerics::unsupported(std::string(isa::opcode_info(instruction.opcode).mnemonic) +
                                 ": only its timing is modelled, not its values");
  }
  auto& executor = executor_of(instruction);
  if (executor) return std::nullopt;
  const auto created = numerics::MmaExecutor::create(instruction_of(instruction), core_);
  if (!created.has_value()) return created.refusal();
  executor = std::make_unique<numerics::MmaExecutor>(created.value());
  return std::nullopt;
}

numerics::Result<std::vector<std::uint32_t>> MatrixUnit::execute_group(
    const isa::Instruction& instruction, const isa::Bindings& bindings,
    const GroupOperands& operands) {
  numerics::MmaExecutor& executor = *executor_of(instruction);
  const MmaInstruction& mma = executor.instruction();
  a_ = operands.a_image;
  if (a_.empty()) {
    a_.resize(executor.a_map().image_size());
    executor.a_map().scatter(std::span(operands.a), 0, a_);
  }
  b_.resize(operands.b.size());
  const auto n = static_cast<std::size_t>(mma.shape.n);
  const auto k = static_cast<std::size_t>(mma.shape.k);
  for (std::size_t row = 0; row < k; ++row)
    for (std::size_t column = 0; column < n; ++column)
      b_[row * n + column] = operands.b[column * k + row];
  const numerics::MmaOperands all{
      .a = a_,
      .b = {},
      .b_matrix = b_,
      .c = operands.c_image,
      .metadata = operands.metadata,
      .selector = mma.sparse ? instruction.immediate >> isa::kSelectorShift : 0};
  return engine_ ? engine_->execute(mma, all, MmaSite{launch_, bindings, 0})
                 : executor.execute(all);
}

std::optional<numerics::Refusal> MatrixUnit::execute(const isa::Instruction& instruction,
                                                     const isa::Bindings& bindings,
                                                     RegisterFile& registers) {
  assert(isa::is_mma(instruction.opcode));
  if (auto refusal = prepare(instruction)) return refusal;
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const std::size_t moved = info.dst_registers;
  const Step step = step_of(instruction.opcode).value_or(Step{0, moved});
  read_operand(registers, instruction.src[0], info.src_registers[0], a_);
  read_operand(registers, instruction.src[1], info.src_registers[1], b_);
  // The elements of the other steps are not part of this instruction; zeros replace them.
  c_.assign(kLanes * step.registers, 0);
  read_image(registers, instruction.src[2], moved, c_, step.registers, step.first_register);
  read_operand(registers, instruction.src[3], info.src_registers[3], metadata_);
  const numerics::MmaOperands operands{.a = a_,
                                       .b = b_,
                                       .b_matrix = {},
                                       .c = c_,
                                       .metadata = metadata_,
                                       .selector = info.sparse ? instruction.immediate : 0};
  numerics::MmaExecutor& executor = *executor_of(instruction);
  const MmaSite site{launch_, bindings, static_cast<int>(step.first_register / 2)};
  const auto d = engine_ ? engine_->execute(executor.instruction(), operands, site)
                         : executor.execute(operands);
  if (!d.has_value()) return d.refusal();
  write_image(registers, instruction.dst, moved, d.value(), step.registers, step.first_register);
  return std::nullopt;
}

}  // namespace tcsim::functional
