#pragma once

#include <string>
#include <vector>

#include "workloads/trace/tct_instruction.hpp"

namespace tcsim::trace {

/// "tensormap A buffer=A element=2 extents=64,128 strides=128 box=64,64 swizzle=128" and its end of
/// line.
std::string tensor_map_text(const isa::KernelLaunch& launch, const isa::TensorMap& map);
/// Reads the text after the name. Throws Mistake.
void parse_tensor_map(Cursor& cursor, const isa::KernelLaunch& launch, isa::TensorMap& map);

/// The operands of an asynchronous instruction, in the order of the line:
///   SYNCS              mbar[BYTE], arrivals, bytes or parity
///   UTMALDG            MAP[x, y] -> smem[BYTE], mbar[BYTE]
///   UTMASTG, UTMAREDG  smem[BYTE] -> MAP[x, y]
///   UBLKCP, UBLKRED    the same with BUFFER[BYTE, bytes=BYTES] in the place of MAP[x, y]
///   UBLKCP.S.S         smem[BYTE] -> dsmem[BYTE, bytes=BYTES], mbar[BYTE]
///   UBLKPF             BUFFER[BYTE, bytes=BYTES]
///   HGMMA              D, A, B, C; a matrix is gdesc[BYTE, lead=16, stride=1024, swizzle=128],
///                      with ", transposed" behind it where it is
std::vector<std::string> async_operands(const isa::KernelLaunch& launch,
                                        const isa::WarpProgram& program,
                                        const isa::Instruction& instruction);
/// `operands` without the parts that `opcode` does not use.
isa::AsyncOperands used_operands(isa::AsyncOperands operands, isa::Opcode opcode);

/// Reads these operands. Throws Mistake.
void take_async_operands(Cursor& cursor, const LineContext& context, ProgramTables& tables,
                         isa::Instruction& instruction);

}  // namespace tcsim::trace
