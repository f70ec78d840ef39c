#include "models/isa/mma_types.hpp"

namespace tcsim::isa {
namespace {

using numerics::ElementType;

ElementType type_of(MmaInput input) {
  switch (input) {
    case MmaInput::kBf16:
      return ElementType::kBf16;
    case MmaInput::kTf32:
      return ElementType::kTf32;
    case MmaInput::kInt8:
      return ElementType::kInt8;
    case MmaInput::kInt4:
      return ElementType::kInt4;
    case MmaInput::kBit:
      return ElementType::kB1;
    case MmaInput::kFp64:
      return ElementType::kFp64;
    case MmaInput::kFp8:
      return ElementType::kE4m3;
    default:
      return ElementType::kFp16;
  }
}

}  // namespace

MmaTypes mma_types(const OpcodeInfo& info) { return {type_of(info.mma_input), *info.mma_sum}; }

numerics::MmaInstruction mma_instruction(const OpcodeInfo& info) {
  const MmaTypes types = mma_types(info);
  numerics::MmaInstruction mma;
  mma.shape = {info.m, info.n, info.k};
  mma.a = mma.b = types.input;
  mma.c = mma.d = types.sum;
  mma.shaped = info.shaped;
  mma.sparse = info.sparse;
  mma.on_tensor_core = info.mma_step.count > 1;
  return mma;
}

}  // namespace tcsim::isa
