#include "models/isa/opcode.hpp"

#include <algorithm>

#include "models/isa/expression.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/shaped_mma.hpp"

namespace tcsim::isa {
namespace {

constexpr bool kFixed = true;
constexpr bool kCounted = false;

struct Row {
  Opcode opcode;
  OpcodeInfo info;
};

// Pipes and counted operations: microarchitecture.md 3.3 and 3.5.
// mnemonic, pipe, latency, effect, dst registers, src registers, bytes per lane, m, n, k, MMA
// input, sparse, atomic operation and type, whether a whole line comes to L2
// clang-format off
constexpr std::array<Row, static_cast<std::size_t>(Opcode::kNamed)> kNamedRows{{
    // CUDA-core arithmetic; comparisons write predicates, which are not registers.
    {Opcode::kFadd, {"FADD", Pipe::kFma, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kFmul, {"FMUL", Pipe::kFma, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kFfma, {"FFMA", Pipe::kFma, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kFmnmx, {"FMNMX", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kFsetp, {"FSETP", Pipe::kAlu, kFixed, Effect::kNone, 0, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kHadd2, {"HADD2", Pipe::kHalf, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kHmul2, {"HMUL2", Pipe::kHalf, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kHfma2, {"HFMA2", Pipe::kHalf, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kHadd2F32, {"HADD2.F32", Pipe::kHalf, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kHfma2Bf16, {"HFMA2.BF16_V2", Pipe::kHalf, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    // FP64 signals through counters in code for 7.5 and 8.x (microarchitecture.md 3.3).
    {Opcode::kDadd, {"DADD", Pipe::kFp64, kCounted, Effect::kNone, 2, {2, 2, 0}, 0, 0, 0, 0}},
    {Opcode::kDmul, {"DMUL", Pipe::kFp64, kCounted, Effect::kNone, 2, {2, 2, 0}, 0, 0, 0, 0}},
    {Opcode::kDfma, {"DFMA", Pipe::kFp64, kCounted, Effect::kNone, 2, {2, 2, 2}, 0, 0, 0, 0}},
    {Opcode::kIadd3, {"IADD3", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kLop3, {"LOP3.LUT", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kLop3AndOr, {"LOP3.LUT.0xec", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kShf, {"SHF", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kShfRight, {"SHF.R.U32.HI.RZ", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kLea, {"LEA", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kIsetp, {"ISETP", Pipe::kAlu, kFixed, Effect::kNone, 0, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kSel, {"SEL", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kMov, {"MOV", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kPrmt, {"PRMT", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kPlop3, {"PLOP3.LUT", Pipe::kAlu, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kCs2r, {"CS2R", Pipe::kAlu, kFixed, Effect::kNone, 2, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kImad, {"IMAD", Pipe::kFma, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kImadWide, {"IMAD.WIDE", Pipe::kFma, kFixed, Effect::kNone, 2, {1, 1, 2}, 0, 0, 0, 0}},
    {Opcode::kDp4a, {"IDP.4A", Pipe::kFma, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    // Packing conversions run in the ALU from sm_80 on (Nsight Compute guide, pipelines).
    {Opcode::kF2fp, {"F2FP.PACK_AB", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kF2fpBf16, {"F2FP.BF16.PACK_AB", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    {Opcode::kF2fpE4m3, {"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    // From Ampere on (CUDA Binary Utilities); in the ALU of a later chip at its full rate (TRTSASS in docs/machines.md).
    {Opcode::kF2ipS8, {"F2IP.S8.F32", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kI2fp, {"I2FP.F32.S32", Pipe::kAlu, kFixed, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kMufuEx2, {"MUFU.EX2", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kMufuRcp, {"MUFU.RCP", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kMufuRsq, {"MUFU.RSQ", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kMufuLg2, {"MUFU.LG2", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kF2f, {"F2F.F16.F32", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kI2f, {"I2F", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kF2i, {"F2I", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kPopc, {"POPC", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kF2iS8, {"F2I.S8", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kI2fS8, {"I2F.S8", Pipe::kSfu, kCounted, Effect::kNone, 1, {1, 1, 0}, 0, 0, 0, 0}},
    // SHFL crosses lanes in the shared-memory pipe; the pipe of S2R is an assumption.
    {Opcode::kShfl, {"SHFL", Pipe::kMemory, kCounted, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kShflIdx, {"SHFL.IDX", Pipe::kMemory, kCounted, Effect::kNone, 1, {1, 1, 1}, 0, 0, 0, 0}},
    {Opcode::kS2r, {"S2R", Pipe::kSfu, kCounted, Effect::kNone, 1, {0, 0, 0}, 0, 0, 0, 0}},
    // Uniform registers are a file of their own, so no general register appears.
    {Opcode::kUiadd3, {"UIADD3", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUlop3, {"ULOP3.LUT", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUmov, {"UMOV", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUshf, {"USHF", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUldc, {"ULDC", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUisetp, {"UISETP", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUsel, {"USEL", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUlea, {"ULEA", Pipe::kUniform, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    // Tensor cores: fragment registers of microarchitecture.md 4.6. Turing IMMA and DMMA signal through counters.
    {Opcode::kHmma884F32Step0, {"HMMA.884.F32.F32.STEP0", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp32, false, {0, 4}}},
    {Opcode::kHmma884F32Step1, {"HMMA.884.F32.F32.STEP1", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp32, false, {1, 4}}},
    {Opcode::kHmma884F32Step2, {"HMMA.884.F32.F32.STEP2", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp32, false, {2, 4}}},
    {Opcode::kHmma884F32Step3, {"HMMA.884.F32.F32.STEP3", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp32, false, {3, 4}}},
    {Opcode::kHmma884F16Step0, {"HMMA.884.F16.F16.STEP0", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp16, false, {0, 2}}},
    {Opcode::kHmma884F16Step1, {"HMMA.884.F16.F16.STEP1", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2}, 0, 8, 8, 4, MmaInput::kFp16, MmaSum::kFp16, false, {1, 2}}},
    {Opcode::kHmma1688F32, {"HMMA.1688.F32", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 8, MmaInput::kFp16, MmaSum::kFp32}},
    {Opcode::kHmma1688F16, {"HMMA.1688.F16", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 1, 2}, 0, 16, 8, 8, MmaInput::kFp16, MmaSum::kFp16}},
    {Opcode::kHmma16816F32, {"HMMA.16816.F32", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 16, MmaInput::kFp16, MmaSum::kFp32}},
    {Opcode::kHmma16816F16, {"HMMA.16816.F16", Pipe::kTensor, kFixed, Effect::kNone, 2, {4, 2, 2}, 0, 16, 8, 16, MmaInput::kFp16, MmaSum::kFp16}},
    {Opcode::kHmma16816F32Bf16, {"HMMA.16816.F32.BF16", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 16, MmaInput::kBf16, MmaSum::kFp32}},
    {Opcode::kHmma1688F32Tf32, {"HMMA.1688.F32.TF32", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 8, MmaInput::kTf32, MmaSum::kFp32}},
    {Opcode::kImma8816S8, {"IMMA.8816.S8.S8", Pipe::kTensor, kCounted, Effect::kNone, 2, {1, 1, 2}, 0, 8, 8, 16, MmaInput::kInt8, MmaSum::kInt32}},
    {Opcode::kImma16816S8, {"IMMA.16816.S8.S8", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 16, MmaInput::kInt8, MmaSum::kInt32}},
    {Opcode::kImma16832S8, {"IMMA.16832.S8.S8", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 32, MmaInput::kInt8, MmaSum::kInt32}},
    {Opcode::kDmma884, {"DMMA.884", Pipe::kTensor, kCounted, Effect::kNone, 4, {2, 2, 4}, 0, 8, 8, 4, MmaInput::kFp64, MmaSum::kFp64}},
    {Opcode::kHmmaSp16832F32, {"HMMA.SP.16832.F32", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 4, 4, 1}, 0, 16, 8, 32, MmaInput::kFp16, MmaSum::kFp32, true}},
    {Opcode::kHmmaSp16832F16, {"HMMA.SP.16832.F16", Pipe::kTensor, kFixed, Effect::kNone, 2, {4, 4, 2, 1}, 0, 16, 8, 32, MmaInput::kFp16, MmaSum::kFp16, true}},
    {Opcode::kHmmaSp16832F32Bf16, {"HMMA.SP.16832.F32.BF16", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 4, 4, 1}, 0, 16, 8, 32, MmaInput::kBf16, MmaSum::kFp32, true}},
    {Opcode::kHmmaSp16816F32Tf32, {"HMMA.SP.16816.F32.TF32", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 4, 4, 1}, 0, 16, 8, 16, MmaInput::kTf32, MmaSum::kFp32, true}},
    {Opcode::kImmaSp16864S8, {"IMMA.SP.16864.S8.S8", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 4, 4, 1}, 0, 16, 8, 64, MmaInput::kInt8, MmaSum::kInt32, true}},
    // Memory. Global addresses are register pairs, shared ones single registers.
    {Opcode::kLdg32, {"LDG.E", Pipe::kMemory, kCounted, Effect::kLoadGlobal, 1, {2, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLdg64, {"LDG.E.64", Pipe::kMemory, kCounted, Effect::kLoadGlobal, 2, {2, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kLdg128, {"LDG.E.128", Pipe::kMemory, kCounted, Effect::kLoadGlobal, 4, {2, 0, 0}, 16, 0, 0, 0}},
    {Opcode::kStg32, {"STG.E", Pipe::kMemory, kCounted, Effect::kStoreGlobal, 0, {2, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kStg64, {"STG.E.64", Pipe::kMemory, kCounted, Effect::kStoreGlobal, 0, {2, 2, 0}, 8, 0, 0, 0}},
    {Opcode::kStg128, {"STG.E.128", Pipe::kMemory, kCounted, Effect::kStoreGlobal, 0, {2, 4, 0}, 16, 0, 0, 0}},
    {Opcode::kLds32, {"LDS", Pipe::kMemory, kCounted, Effect::kLoadShared, 1, {1, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLds64, {"LDS.64", Pipe::kMemory, kCounted, Effect::kLoadShared, 2, {1, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kLds128, {"LDS.128", Pipe::kMemory, kCounted, Effect::kLoadShared, 4, {1, 0, 0}, 16, 0, 0, 0}},
    {Opcode::kSts32, {"STS", Pipe::kMemory, kCounted, Effect::kStoreShared, 0, {1, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kSts64, {"STS.64", Pipe::kMemory, kCounted, Effect::kStoreShared, 0, {1, 2, 0}, 8, 0, 0, 0}},
    {Opcode::kSts128, {"STS.128", Pipe::kMemory, kCounted, Effect::kStoreShared, 0, {1, 4, 0}, 16, 0, 0, 0}},
    {Opcode::kLdsmX1, {"LDSM.16.M88", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 1, {1, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLdsmX2, {"LDSM.16.M88.2", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 2, {1, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kLdsmX4, {"LDSM.16.M88.4", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 4, {1, 0, 0}, 16, 0, 0, 0}},
    {Opcode::kLdsmTX1, {"LDSM.16.MT88", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 1, {1, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLdsmTX2, {"LDSM.16.MT88.2", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 2, {1, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kLdsmTX4, {"LDSM.16.MT88.4", Pipe::kMemory, kCounted, Effect::kLoadMatrix, 4, {1, 0, 0}, 16, 0, 0, 0}},
    {Opcode::kStsmX1, {"STSM.16.M88", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kStsmX2, {"STSM.16.M88.2", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 2, 0}, 8, 0, 0, 0}},
    {Opcode::kStsmX4, {"STSM.16.M88.4", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 4, 0}, 16, 0, 0, 0}},
    {Opcode::kStsmTX1, {"STSM.16.MT88", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kStsmTX2, {"STSM.16.MT88.2", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 2, 0}, 8, 0, 0, 0}},
    {Opcode::kStsmTX4, {"STSM.16.MT88.4", Pipe::kMemory, kCounted, Effect::kStoreMatrix, 0, {1, 4, 0}, 16, 0, 0, 0}},
    {Opcode::kLdgsts32, {"LDGSTS.E", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kLdgsts64, {"LDGSTS.E.64", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 8, 0, 0, 0}},
    {Opcode::kLdgsts128, {"LDGSTS.E.128", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 16, 0, 0, 0}},
    {Opcode::kLdgstsLine32, {"LDGSTS.E.LTC128B", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kNone, AtomicType::kU32, true}},
    {Opcode::kLdgstsLine64, {"LDGSTS.E.LTC128B.64", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kNone, AtomicType::kU32, true}},
    {Opcode::kLdgstsLine128, {"LDGSTS.E.BYPASS.LTC128B.128", Pipe::kMemory, kCounted, Effect::kCopyGlobalToShared, 0, {2, 1, 0}, 16, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kNone, AtomicType::kU32, true}},
    // Group completion is counted by the copy unit, not by a counter the assembler assigns.
    {Opcode::kLdgdepbar, {"LDGDEPBAR", Pipe::kMemory, kFixed, Effect::kCloseCopyGroup, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kDepbar, {"DEPBAR.LE", Pipe::kControl, kFixed, Effect::kWaitCopyGroups, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kLdg16, {"LDG.E.U16", Pipe::kMemory, kCounted, Effect::kLoadGlobal, 1, {2, 0, 0}, 2, 0, 0, 0}},
    {Opcode::kStg16, {"STG.E.U16", Pipe::kMemory, kCounted, Effect::kStoreGlobal, 0, {2, 1, 0}, 2, 0, 0, 0}},
    {Opcode::kLds16, {"LDS.U16", Pipe::kMemory, kCounted, Effect::kLoadShared, 1, {1, 0, 0}, 2, 0, 0, 0}},
    {Opcode::kSts16, {"STS.U16", Pipe::kMemory, kCounted, Effect::kStoreShared, 0, {1, 1, 0}, 2, 0, 0, 0}},
    {Opcode::kLdgStrong32, {"LDG.E.STRONG.GPU", Pipe::kMemory, kCounted, Effect::kLoadGlobal, 1, {2, 0, 0}, 4, 0, 0, 0}},
    // Atomics: src[1] is the operand, of CAS the value compared with, src[2] its replacement.
    {Opcode::kAtomsAdd, {"ATOMS.ADD", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU32}},
    {Opcode::kAtomsMin, {"ATOMS.MIN", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kU32}},
    {Opcode::kAtomsMinS32, {"ATOMS.MIN.S32", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kS32}},
    {Opcode::kAtomsMax, {"ATOMS.MAX", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kU32}},
    {Opcode::kAtomsMaxS32, {"ATOMS.MAX.S32", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kS32}},
    {Opcode::kAtomsExch, {"ATOMS.EXCH", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kExchange, AtomicType::kU32}},
    {Opcode::kAtomsCas, {"ATOMS.CAS", Pipe::kMemory, kCounted, Effect::kAtomicShared, 1, {1, 1, 1}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU32}},
    {Opcode::kAtomsCas64, {"ATOMS.CAS.64", Pipe::kMemory, kCounted, Effect::kAtomicShared, 2, {1, 2, 2}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU64}},
    // Shared memory of CTAs of the cluster, by generic addresses of 64 bits.
    {Opcode::kLd32, {"LD.E", Pipe::kMemory, kCounted, Effect::kLoadCluster, 1, {2, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLd64, {"LD.E.64", Pipe::kMemory, kCounted, Effect::kLoadCluster, 2, {2, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kLd128, {"LD.E.128", Pipe::kMemory, kCounted, Effect::kLoadCluster, 4, {2, 0, 0}, 16, 0, 0, 0}},
    {Opcode::kSt32, {"ST.E", Pipe::kMemory, kCounted, Effect::kStoreCluster, 0, {2, 1, 0}, 4, 0, 0, 0}},
    {Opcode::kSt64, {"ST.E.64", Pipe::kMemory, kCounted, Effect::kStoreCluster, 0, {2, 2, 0}, 8, 0, 0, 0}},
    {Opcode::kSt128, {"ST.E.128", Pipe::kMemory, kCounted, Effect::kStoreCluster, 0, {2, 4, 0}, 16, 0, 0, 0}},
    {Opcode::kAtomAdd, {"ATOM.E.ADD", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU32}},
    {Opcode::kAtomMin, {"ATOM.E.MIN", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kU32}},
    {Opcode::kAtomMinS32, {"ATOM.E.MIN.S32", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kS32}},
    {Opcode::kAtomMax, {"ATOM.E.MAX", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kU32}},
    {Opcode::kAtomMaxS32, {"ATOM.E.MAX.S32", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kS32}},
    {Opcode::kAtomExch, {"ATOM.E.EXCH", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kExchange, AtomicType::kU32}},
    {Opcode::kAtomCas, {"ATOM.E.CAS", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 1, {2, 1, 1}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU32}},
    {Opcode::kAtomCas64, {"ATOM.E.CAS.64", Pipe::kMemory, kCounted, Effect::kAtomicCluster, 2, {2, 2, 2}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU64}},
    {Opcode::kAtomgAdd, {"ATOMG.E.ADD", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU32}},
    {Opcode::kAtomgMin, {"ATOMG.E.MIN", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kU32}},
    {Opcode::kAtomgMinS32, {"ATOMG.E.MIN.S32", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kS32}},
    {Opcode::kAtomgMax, {"ATOMG.E.MAX", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kU32}},
    {Opcode::kAtomgMaxS32, {"ATOMG.E.MAX.S32", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kS32}},
    {Opcode::kAtomgExch, {"ATOMG.E.EXCH", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kExchange, AtomicType::kU32}},
    {Opcode::kAtomgCas, {"ATOMG.E.CAS", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 1}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU32}},
    {Opcode::kAtomgAddF32, {"ATOMG.E.ADD.F32", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kF32}},
    {Opcode::kAtomgAddF16x2, {"ATOMG.E.ADD.F16x2", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 1, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kF16x2}},
    {Opcode::kAtomgAdd64, {"ATOMG.E.ADD.64", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 2, {2, 2, 0}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU64}},
    {Opcode::kAtomgExch64, {"ATOMG.E.EXCH.64", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 2, {2, 2, 0}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kExchange, AtomicType::kU64}},
    {Opcode::kAtomgCas64, {"ATOMG.E.CAS.64", Pipe::kMemory, kCounted, Effect::kAtomicGlobal, 2, {2, 2, 2}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kCompareSwap, AtomicType::kU64}},
    {Opcode::kRedAdd, {"RED.E.ADD", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU32}},
    {Opcode::kRedMin, {"RED.E.MIN", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kU32}},
    {Opcode::kRedMinS32, {"RED.E.MIN.S32", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMin, AtomicType::kS32}},
    {Opcode::kRedMax, {"RED.E.MAX", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kU32}},
    {Opcode::kRedMaxS32, {"RED.E.MAX.S32", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kMax, AtomicType::kS32}},
    {Opcode::kRedAddF32, {"RED.E.ADD.F32", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kF32}},
    {Opcode::kRedAddF16x2, {"RED.E.ADD.F16x2", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 1, 0}, 4, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kF16x2}},
    {Opcode::kRedAdd64, {"RED.E.ADD.64", Pipe::kMemory, kCounted, Effect::kReduceGlobal, 0, {2, 2, 0}, 8, 0, 0, 0, MmaInput::kNone, MmaSum::kNone, false, {}, AtomicOperation::kAdd, AtomicType::kU64}},
    {Opcode::kLdc32, {"LDC", Pipe::kMemory, kCounted, Effect::kLoadConstant, 1, {1, 0, 0}, 4, 0, 0, 0}},
    {Opcode::kLdc64, {"LDC.64", Pipe::kMemory, kCounted, Effect::kLoadConstant, 2, {1, 0, 0}, 8, 0, 0, 0}},
    {Opcode::kMembar, {"MEMBAR.SC.GPU", Pipe::kControl, kFixed, Effect::kFence, 0, {0, 0, 0}, 0, 0, 0, 0}},
    // Control.
    {Opcode::kBarSync, {"BAR.SYNC", Pipe::kControl, kFixed, Effect::kBarrier, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kBarArrive, {"BAR.ARV", Pipe::kControl, kFixed, Effect::kBarrierArrive, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kBra, {"BRA", Pipe::kControl, kFixed, Effect::kBranch, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kBraSkip, {"BRA.SKIP", Pipe::kControl, kFixed, Effect::kSkipLoop, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kExit, {"EXIT", Pipe::kControl, kFixed, Effect::kExit, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kNop, {"NOP", Pipe::kControl, kFixed, Effect::kNone, 0, {0, 0, 0}, 0, 0, 0, 0}},
    // Asynchronous hardware: addresses lie in uniform registers, which are a file of their own.
    {Opcode::kSyncsExch, {"SYNCS.EXCH.64", Pipe::kControl, kFixed, Effect::kInitBarrier, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kSyncsArrive, {"SYNCS.ARRIVE.TRANS64.A1T0", Pipe::kControl, kFixed, Effect::kArrive, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kSyncsArriveBytes, {"SYNCS.ARRIVE.TRANS64", Pipe::kControl, kFixed, Effect::kArriveWithBytes, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kSyncsArriveRemote, {"SYNCS.ARRIVE.TRANS64.RED.A1T0", Pipe::kControl, kFixed, Effect::kArriveRemote, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kArrivesLdgstsbar, {"ARRIVES.LDGSTSBAR.64", Pipe::kControl, kFixed, Effect::kArriveAfterCopies, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kSyncsTryWait, {"SYNCS.PHASECHK.TRANS64.TRYWAIT", Pipe::kControl, kFixed, Effect::kWaitPhase, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldg1d, {"UTMALDG.1D", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldg2d, {"UTMALDG.2D", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldg3d, {"UTMALDG.3D", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldg4d, {"UTMALDG.4D", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldg5d, {"UTMALDG.5D", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgMulticast1d, {"UTMALDG.1D.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgMulticast2d, {"UTMALDG.2D.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgMulticast3d, {"UTMALDG.3D.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgMulticast4d, {"UTMALDG.4D.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgMulticast5d, {"UTMALDG.5D.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgIm2col4d, {"UTMALDG.4D.IM2COL", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaldgIm2colMulticast4d, {"UTMALDG.4D.IM2COL.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmastg1d, {"UTMASTG.1D", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmastg2d, {"UTMASTG.2D", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmastg3d, {"UTMASTG.3D", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmastg4d, {"UTMASTG.4D", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmastg5d, {"UTMASTG.5D", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaredgAdd1d, {"UTMAREDG.1D.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaredgAdd2d, {"UTMAREDG.2D.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaredgAdd3d, {"UTMAREDG.3D.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaredgAdd4d, {"UTMAREDG.4D.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmaredgAdd5d, {"UTMAREDG.5D.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkcpSG, {"UBLKCP.S.G", Pipe::kControl, kFixed, Effect::kLoadTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkcpSGMulticast, {"UBLKCP.S.G.MULTICAST", Pipe::kControl, kFixed, Effect::kLoadTileToMany, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkcpGS, {"UBLKCP.G.S", Pipe::kControl, kFixed, Effect::kStoreTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkcpSS, {"UBLKCP.S.S", Pipe::kControl, kFixed, Effect::kPutTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkredGSAdd, {"UBLKRED.G.S.ADD", Pipe::kControl, kFixed, Effect::kReduceTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUblkpf, {"UBLKPF", Pipe::kControl, kFixed, Effect::kPrefetchTile, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUtmacmdflush, {"UTMACMDFLUSH", Pipe::kControl, kFixed, Effect::kCloseCopyGroup, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kFenceViewAsync, {"FENCE.VIEW.ASYNC", Pipe::kControl, kFixed, Effect::kProxyFence, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kWarpgroupArrive, {"WARPGROUP.ARRIVE", Pipe::kControl, kFixed, Effect::kGroupArrive, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kWarpgroupDepbar, {"WARPGROUP.DEPBAR.LE", Pipe::kControl, kFixed, Effect::kWaitGroupMmas, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kUsetmaxreg, {"USETMAXREG", Pipe::kControl, kFixed, Effect::kSetRegisters, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kClusterArrive, {"UCGABAR_ARV", Pipe::kControl, kFixed, Effect::kClusterArrive, 0, {0, 0, 0}, 0, 0, 0, 0}},
    {Opcode::kClusterWait, {"UCGABAR_WAIT", Pipe::kControl, kFixed, Effect::kClusterWait, 0, {0, 0, 0}, 0, 0, 0, 0}},
}};

// MMAs that no kernel of ours is made of.
constexpr auto kOtherRows = std::to_array<OpcodeInfo>({
    {"HMMA.1688.F32.BF16", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 8, MmaInput::kBf16, MmaSum::kFp32},
    {"HMMA.1684.F32.TF32", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 4, MmaInput::kTf32, MmaSum::kFp32},
    {"HMMA.SP.16816.F32", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 2, 4, 1}, 0, 16, 8, 16, MmaInput::kFp16, MmaSum::kFp32, true},
    {"HMMA.SP.16816.F16", Pipe::kTensor, kFixed, Effect::kNone, 2, {2, 2, 2, 1}, 0, 16, 8, 16, MmaInput::kFp16, MmaSum::kFp16, true},
    {"HMMA.SP.16816.F32.BF16", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 2, 4, 1}, 0, 16, 8, 16, MmaInput::kBf16, MmaSum::kFp32, true},
    {"HMMA.SP.1688.F32.TF32", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 2, 4, 1}, 0, 16, 8, 8, MmaInput::kTf32, MmaSum::kFp32, true},
    {"IMMA.8832.S4.S4", Pipe::kTensor, kCounted, Effect::kNone, 2, {1, 1, 2}, 0, 8, 8, 32, MmaInput::kInt4, MmaSum::kInt32},
    {"IMMA.16832.S4.S4", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 32, MmaInput::kInt4, MmaSum::kInt32},
    {"IMMA.16864.S4.S4", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 64, MmaInput::kInt4, MmaSum::kInt32},
    {"IMMA.SP.16832.S8.S8", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 2, 4, 1}, 0, 16, 8, 32, MmaInput::kInt8, MmaSum::kInt32, true},
    {"IMMA.SP.16864.S4.S4", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 2, 4, 1}, 0, 16, 8, 64, MmaInput::kInt4, MmaSum::kInt32, true},
    {"IMMA.SP.168128.S4.S4", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 4, 4, 1}, 0, 16, 8, 128, MmaInput::kInt4, MmaSum::kInt32, true},
    {"BMMA.88128.XOR.POPC", Pipe::kTensor, kCounted, Effect::kNone, 2, {1, 1, 2}, 0, 8, 8, 128, MmaInput::kBit, MmaSum::kInt32},
    {"BMMA.168128.XOR.POPC", Pipe::kTensor, kFixed, Effect::kNone, 4, {2, 1, 4}, 0, 16, 8, 128, MmaInput::kBit, MmaSum::kInt32},
    {"BMMA.168256.XOR.POPC", Pipe::kTensor, kFixed, Effect::kNone, 4, {4, 2, 4}, 0, 16, 8, 256, MmaInput::kBit, MmaSum::kInt32},
    {"DMMA.1684", Pipe::kTensor, kCounted, Effect::kNone, 8, {4, 2, 8}, 0, 16, 8, 4, MmaInput::kFp64, MmaSum::kFp64},
    {"DMMA.1688", Pipe::kTensor, kCounted, Effect::kNone, 8, {8, 4, 8}, 0, 16, 8, 8, MmaInput::kFp64, MmaSum::kFp64},
    {"DMMA.16816", Pipe::kTensor, kCounted, Effect::kNone, 8, {16, 8, 8}, 0, 16, 8, 16, MmaInput::kFp64, MmaSum::kFp64},
});
// clang-format on

constexpr bool rows_follow_the_enumeration() {
  for (std::size_t i = 0; i < kNamedRows.size(); ++i)
    if (kNamedRows[i].opcode != static_cast<Opcode>(i)) return false;
  return true;
}
static_assert(rows_follow_the_enumeration());

constexpr auto kShapedRows = shaped_mmas();
constexpr auto kGroupRows = group_mma_rows();

constexpr std::size_t kFirstGroupRow = kNamedRows.size() + kOtherRows.size();
constexpr std::size_t kRows = kFirstGroupRow + kGroupRows.size() + kShapedRows.size();
static_assert(kRows <= kMostOpcodes);

constexpr std::array<OpcodeInfo, kRows> all_rows() {
  std::array<OpcodeInfo, kRows> rows{};
  auto* const others = std::ranges::transform(kNamedRows, rows.begin(), &Row::info).out;
  auto* const groups = std::ranges::copy(kOtherRows, others).out;
  auto* const shaped = std::ranges::copy(kGroupRows, groups).out;
  std::ranges::copy(kShapedRows, shaped);
  return rows;
}
constexpr std::array<OpcodeInfo, kRows> kInfos = all_rows();

constexpr std::array<GroupMma, kGroupRows.size()> all_group_mmas() {
  std::array<GroupMma, kGroupRows.size()> all{};
  auto* next = all.begin();
  for_each_group_mma([&next](const GroupMma& mma) { *next++ = mma; });
  return all;
}
constexpr auto kGroupMmas = all_group_mmas();

}  // namespace

const OpcodeInfo& opcode_info(Opcode opcode) { return kInfos[static_cast<std::size_t>(opcode)]; }

int opcode_count() { return static_cast<int>(kRows); }

std::optional<Opcode> parse_opcode(std::string_view mnemonic) {
  const auto* const row = std::ranges::find(kInfos, mnemonic, &OpcodeInfo::mnemonic);
  if (row == kInfos.end()) return std::nullopt;
  return static_cast<Opcode>(row - kInfos.begin());
}

int box_dimensions(Opcode opcode) {
  const std::string_view name = opcode_info(opcode).mnemonic;
  const char behind = name[name.find('.') + 1];  // UTMALDG.3D.MULTICAST, UBLKCP.S.G
  return '1' <= behind && behind <= '5' ? behind - '0' : 0;
}

const GroupMma& group_mma(Opcode opcode) {
  return kGroupMmas[static_cast<std::size_t>(opcode) - kFirstGroupRow];
}

std::optional<Opcode> group_mma_opcode(const GroupFormats& formats, int n, bool a_in_registers,
                                       bool sparse) {
  const auto* const found = std::ranges::find_if(kGroupMmas, [&](const GroupMma& mma) {
    return mma.n == n && mma.a_in_registers == a_in_registers && mma.sparse == sparse &&
           mma.formats.prefix == formats.prefix && mma.formats.suffix == formats.suffix;
  });
  if (found == kGroupMmas.end()) return std::nullopt;
  return static_cast<Opcode>(kFirstGroupRow + static_cast<std::size_t>(found - kGroupMmas.begin()));
}

std::int64_t warp_macs(Opcode opcode) {
  constexpr int kQuadPairs = 4;
  const OpcodeInfo& info = opcode_info(opcode);
  const std::int64_t shape = std::int64_t{info.m} * info.n * info.k;
  if (info.mma_step.count > 1) return kQuadPairs * shape / info.mma_step.count;
  switch (opcode) {
    case Opcode::kFfma:
    case Opcode::kDfma:
    case Opcode::kImad:
    case Opcode::kImadWide:
      return kLanes;
    case Opcode::kHfma2:
    case Opcode::kHfma2Bf16:
      return std::int64_t{2} * kLanes;
    case Opcode::kDp4a:
      return std::int64_t{4} * kLanes;
    default:
      return shape;
  }
}

}  // namespace tcsim::isa
