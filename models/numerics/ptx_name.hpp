#pragma once

#include <string_view>

#include "models/numerics/instruction.hpp"

namespace tcsim::numerics {

/// Parses a full PTX instruction name, for instance
///   mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
///   mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc
///   mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.u8.s32
///   wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
/// Refusals: kMistake if the name is malformed or names a shape that the instruction lacks,
/// kUnsupported for an instruction whose fragments this model does not cover (wmma, block scaling).
Result<MmaInstruction> parse_ptx_name(std::string_view text);

}  // namespace tcsim::numerics
