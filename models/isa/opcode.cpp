#include "models/isa/opcode.hpp"

#include <algorithm>

#include "models/isa/expression.hpp"
#include "models/isa/group_mma.hpp"
#include "models/isa/shaped_mma.hpp"
#include "models/numerics/instruction.hpp"

namespace tcsim::isa {
namespace {

using Type = numerics::ElementType;

// Pipes and counted operations: microarchitecture.md 3.3 and 3.5. FP64 signals completion through
// counters in code for 7.5 and 8.x.
constexpr OpcodeInfo arithmetic(std::string_view mnemonic, Pipe pipe, std::uint8_t dst,
                                const std::array<std::uint8_t, 4>& src) {
  const bool counted = pipe == Pipe::kFp64 || pipe == Pipe::kSfu || pipe == Pipe::kMemory;
  return {mnemonic, pipe, !counted, Effect::kNone, dst, src, 0, 0, 0, 0};
}

constexpr OpcodeInfo control(std::string_view mnemonic, Effect effect) {
  return {mnemonic, Pipe::kControl, true, effect, 0, {}, 0, 0, 0, 0};
}

constexpr std::uint8_t registers(int bits) { return static_cast<std::uint8_t>(bits / (32 * 32)); }

/// Fragment registers: microarchitecture.md 4.6. Turing IMMA and DMMA signal completion through
/// counters.
constexpr OpcodeInfo mma(std::string_view mnemonic, const numerics::MmaShape& of, Type input,
                         Type sum) {
  OpcodeInfo row = arithmetic(mnemonic, Pipe::kTensor, registers(of.m * of.n * numerics::bits(sum)),
                              {registers(of.m * of.k * numerics::bits(input)),
                               registers(of.n * of.k * numerics::bits(input)),
                               registers(of.m * of.n * numerics::bits(sum))});
  row.fixed_latency = of.m > 8 && input != Type::kFp64;
  row.m = static_cast<std::uint16_t>(of.m);
  row.n = static_cast<std::uint16_t>(of.n);
  row.k = static_cast<std::uint16_t>(of.k);
  row.mma_input = input_of(input);
  row.mma_sum = sum;
  return row;
}

constexpr OpcodeInfo sparse_mma(std::string_view mnemonic, const numerics::MmaShape& of, Type input,
                                Type sum) {
  OpcodeInfo row = mma(mnemonic, of, input, sum);
  row.src_registers[0] /= 2;
  row.src_registers[3] = 1;
  row.sparse = true;
  return row;
}

constexpr OpcodeInfo hmma_step(std::string_view mnemonic, Type sum, MmaStep step) {
  OpcodeInfo row = mma(mnemonic, {8, 8, 4}, Type::kFp16, sum);
  row.fixed_latency = true;
  row.dst_registers = 2;
  row.src_registers = {2, 2, 2};
  row.mma_step = step;
  return row;
}

/// Global and cluster addresses are register pairs, others single registers.
constexpr OpcodeInfo memory(std::string_view mnemonic, Effect effect, std::uint8_t dst,
                            std::uint8_t src, std::uint8_t bytes) {
  const bool is_short = effect == Effect::kLoadShared || effect == Effect::kStoreShared ||
                        effect == Effect::kLoadMatrix || effect == Effect::kStoreMatrix ||
                        effect == Effect::kAtomicShared || effect == Effect::kLoadConstant;
  const std::uint8_t address = is_short ? 1 : 2;
  return {mnemonic, Pipe::kMemory, false, effect, dst, {address, src}, bytes, 0, 0, 0};
}

constexpr std::uint8_t data_registers(std::uint8_t bytes) {
  return static_cast<std::uint8_t>(bytes < 4 ? 1 : bytes / 4);
}
constexpr OpcodeInfo load(std::string_view mnemonic, Effect effect, std::uint8_t bytes) {
  return memory(mnemonic, effect, data_registers(bytes), 0, bytes);
}
constexpr OpcodeInfo store(std::string_view mnemonic, Effect effect, std::uint8_t bytes) {
  return memory(mnemonic, effect, 0, data_registers(bytes), bytes);
}
constexpr OpcodeInfo copy(std::string_view mnemonic, std::uint8_t bytes) {
  return memory(mnemonic, Effect::kCopyGlobalToShared, 0, 1, bytes);
}
constexpr OpcodeInfo line_copy(std::string_view mnemonic, std::uint8_t bytes) {
  OpcodeInfo row = copy(mnemonic, bytes);
  row.prefetches_line = true;
  return row;
}

/// src[1] is the operand; for CAS, src[1] is the value compared with and src[2] its replacement.
constexpr OpcodeInfo atomic(std::string_view mnemonic, Effect effect, AtomicOperation operation,
                            AtomicType type) {
  const std::uint8_t words = type == AtomicType::kU64 ? 2 : 1;
  const std::uint8_t dst = effect == Effect::kReduceGlobal ? 0 : words;
  OpcodeInfo row = memory(mnemonic, effect, dst, words, static_cast<std::uint8_t>(4 * words));
  if (operation == AtomicOperation::kCompareSwap) row.src_registers[2] = words;
  row.atomic = operation;
  row.atomic_type = type;
  return row;
}
constexpr OpcodeInfo atoms(std::string_view mnemonic, AtomicOperation operation,
                           AtomicType type = AtomicType::kU32) {
  return atomic(mnemonic, Effect::kAtomicShared, operation, type);
}
constexpr OpcodeInfo atom(std::string_view mnemonic, AtomicOperation operation,
                          AtomicType type = AtomicType::kU32) {
  return atomic(mnemonic, Effect::kAtomicCluster, operation, type);
}
constexpr OpcodeInfo atomg(std::string_view mnemonic, AtomicOperation operation,
                           AtomicType type = AtomicType::kU32) {
  return atomic(mnemonic, Effect::kAtomicGlobal, operation, type);
}
constexpr OpcodeInfo red(std::string_view mnemonic, AtomicOperation operation,
                         AtomicType type = AtomicType::kU32) {
  return atomic(mnemonic, Effect::kReduceGlobal, operation, type);
}

struct Row {
  Opcode opcode;
  OpcodeInfo info;
};

constexpr std::array<Row, static_cast<std::size_t>(Opcode::kNamed)> kNamedRows{{
    // CUDA-core arithmetic; comparisons write predicates, which are not registers.
    {Opcode::kFadd, arithmetic("FADD", Pipe::kFma, 1, {1, 1})},
    {Opcode::kFmul, arithmetic("FMUL", Pipe::kFma, 1, {1, 1})},
    {Opcode::kFfma, arithmetic("FFMA", Pipe::kFma, 1, {1, 1, 1})},
    {Opcode::kFmnmx, arithmetic("FMNMX", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kFsetp, arithmetic("FSETP", Pipe::kAlu, 0, {1, 1})},
    {Opcode::kHadd2, arithmetic("HADD2", Pipe::kHalf, 1, {1, 1})},
    {Opcode::kHmul2, arithmetic("HMUL2", Pipe::kHalf, 1, {1, 1})},
    {Opcode::kHfma2, arithmetic("HFMA2", Pipe::kHalf, 1, {1, 1, 1})},
    {Opcode::kHadd2F32, arithmetic("HADD2.F32", Pipe::kHalf, 1, {1, 1})},
    {Opcode::kHfma2Bf16, arithmetic("HFMA2.BF16_V2", Pipe::kHalf, 1, {1, 1, 1})},
    {Opcode::kDadd, arithmetic("DADD", Pipe::kFp64, 2, {2, 2})},
    {Opcode::kDmul, arithmetic("DMUL", Pipe::kFp64, 2, {2, 2})},
    {Opcode::kDfma, arithmetic("DFMA", Pipe::kFp64, 2, {2, 2, 2})},
    {Opcode::kIadd3, arithmetic("IADD3", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kLop3, arithmetic("LOP3.LUT", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kLop3AndOr, arithmetic("LOP3.LUT.0xec", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kShf, arithmetic("SHF", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kShfRight, arithmetic("SHF.R.U32.HI.RZ", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kLea, arithmetic("LEA", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kIsetp, arithmetic("ISETP", Pipe::kAlu, 0, {1, 1})},
    {Opcode::kSel, arithmetic("SEL", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kMov, arithmetic("MOV", Pipe::kAlu, 1, {1})},
    {Opcode::kPrmt, arithmetic("PRMT", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kPlop3, arithmetic("PLOP3.LUT", Pipe::kAlu, 0, {})},
    {Opcode::kCs2r, arithmetic("CS2R", Pipe::kAlu, 2, {})},
    {Opcode::kImad, arithmetic("IMAD", Pipe::kFma, 1, {1, 1, 1})},
    {Opcode::kImadWide, arithmetic("IMAD.WIDE", Pipe::kFma, 2, {1, 1, 2})},
    {Opcode::kDp4a, arithmetic("IDP.4A", Pipe::kFma, 1, {1, 1, 1})},
    // Packing conversions run in the ALU from sm_80 on (Nsight Compute guide, pipelines).
    {Opcode::kF2fp, arithmetic("F2FP.PACK_AB", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kF2fpBf16, arithmetic("F2FP.BF16.PACK_AB", Pipe::kAlu, 1, {1, 1})},
    {Opcode::kF2fpE4m3,
     arithmetic("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C", Pipe::kAlu, 1, {1, 1, 1})},
    // From Ampere on (CUDA Binary Utilities); in the ALU of a later chip at its full rate (TRTSASS
    // in docs/machines.md).
    {Opcode::kF2ipS8, arithmetic("F2IP.S8.F32", Pipe::kAlu, 1, {1, 1, 1})},
    {Opcode::kI2fp, arithmetic("I2FP.F32.S32", Pipe::kAlu, 1, {1})},
    {Opcode::kMufuEx2, arithmetic("MUFU.EX2", Pipe::kSfu, 1, {1})},
    {Opcode::kMufuRcp, arithmetic("MUFU.RCP", Pipe::kSfu, 1, {1})},
    {Opcode::kMufuRsq, arithmetic("MUFU.RSQ", Pipe::kSfu, 1, {1})},
    {Opcode::kMufuLg2, arithmetic("MUFU.LG2", Pipe::kSfu, 1, {1})},
    {Opcode::kF2f, arithmetic("F2F.F16.F32", Pipe::kSfu, 1, {1})},
    {Opcode::kI2f, arithmetic("I2F", Pipe::kSfu, 1, {1})},
    {Opcode::kF2i, arithmetic("F2I", Pipe::kSfu, 1, {1})},
    {Opcode::kPopc, arithmetic("POPC", Pipe::kSfu, 1, {1})},
    {Opcode::kF2iS8, arithmetic("F2I.S8", Pipe::kSfu, 1, {1})},
    {Opcode::kI2fS8, arithmetic("I2F.S8", Pipe::kSfu, 1, {1, 1})},
    // SHFL crosses lanes in the shared-memory pipe; the pipe of S2R is an assumption.
    {Opcode::kShfl, arithmetic("SHFL", Pipe::kMemory, 1, {1, 1, 1})},
    {Opcode::kShflIdx, arithmetic("SHFL.IDX", Pipe::kMemory, 1, {1, 1, 1})},
    {Opcode::kS2r, arithmetic("S2R", Pipe::kSfu, 1, {})},
    // Uniform registers are a file of their own, so no general register appears.
    {Opcode::kUiadd3, arithmetic("UIADD3", Pipe::kUniform, 0, {})},
    {Opcode::kUlop3, arithmetic("ULOP3.LUT", Pipe::kUniform, 0, {})},
    {Opcode::kUmov, arithmetic("UMOV", Pipe::kUniform, 0, {})},
    {Opcode::kUshf, arithmetic("USHF", Pipe::kUniform, 0, {})},
    {Opcode::kUldc, arithmetic("ULDC", Pipe::kUniform, 0, {})},
    {Opcode::kUisetp, arithmetic("UISETP", Pipe::kUniform, 0, {})},
    {Opcode::kUsel, arithmetic("USEL", Pipe::kUniform, 0, {})},
    {Opcode::kUlea, arithmetic("ULEA", Pipe::kUniform, 0, {})},
    // Tensor cores.
    {Opcode::kHmma884F32Step0, hmma_step("HMMA.884.F32.F32.STEP0", Type::kFp32, {0, 4})},
    {Opcode::kHmma884F32Step1, hmma_step("HMMA.884.F32.F32.STEP1", Type::kFp32, {1, 4})},
    {Opcode::kHmma884F32Step2, hmma_step("HMMA.884.F32.F32.STEP2", Type::kFp32, {2, 4})},
    {Opcode::kHmma884F32Step3, hmma_step("HMMA.884.F32.F32.STEP3", Type::kFp32, {3, 4})},
    {Opcode::kHmma884F16Step0, hmma_step("HMMA.884.F16.F16.STEP0", Type::kFp16, {0, 2})},
    {Opcode::kHmma884F16Step1, hmma_step("HMMA.884.F16.F16.STEP1", Type::kFp16, {1, 2})},
    {Opcode::kHmma1688F32, mma("HMMA.1688.F32", {16, 8, 8}, Type::kFp16, Type::kFp32)},
    {Opcode::kHmma1688F16, mma("HMMA.1688.F16", {16, 8, 8}, Type::kFp16, Type::kFp16)},
    {Opcode::kHmma16816F32, mma("HMMA.16816.F32", {16, 8, 16}, Type::kFp16, Type::kFp32)},
    {Opcode::kHmma16816F16, mma("HMMA.16816.F16", {16, 8, 16}, Type::kFp16, Type::kFp16)},
    {Opcode::kHmma16816F32Bf16, mma("HMMA.16816.F32.BF16", {16, 8, 16}, Type::kBf16, Type::kFp32)},
    {Opcode::kHmma1688F32Tf32, mma("HMMA.1688.F32.TF32", {16, 8, 8}, Type::kTf32, Type::kFp32)},
    {Opcode::kImma8816S8, mma("IMMA.8816.S8.S8", {8, 8, 16}, Type::kInt8, Type::kInt32)},
    {Opcode::kImma16816S8, mma("IMMA.16816.S8.S8", {16, 8, 16}, Type::kInt8, Type::kInt32)},
    {Opcode::kImma16832S8, mma("IMMA.16832.S8.S8", {16, 8, 32}, Type::kInt8, Type::kInt32)},
    {Opcode::kDmma884, mma("DMMA.884", {8, 8, 4}, Type::kFp64, Type::kFp64)},
    {Opcode::kHmmaSp16832F32,
     sparse_mma("HMMA.SP.16832.F32", {16, 8, 32}, Type::kFp16, Type::kFp32)},
    {Opcode::kHmmaSp16832F16,
     sparse_mma("HMMA.SP.16832.F16", {16, 8, 32}, Type::kFp16, Type::kFp16)},
    {Opcode::kHmmaSp16832F32Bf16,
     sparse_mma("HMMA.SP.16832.F32.BF16", {16, 8, 32}, Type::kBf16, Type::kFp32)},
    {Opcode::kHmmaSp16816F32Tf32,
     sparse_mma("HMMA.SP.16816.F32.TF32", {16, 8, 16}, Type::kTf32, Type::kFp32)},
    {Opcode::kImmaSp16864S8,
     sparse_mma("IMMA.SP.16864.S8.S8", {16, 8, 64}, Type::kInt8, Type::kInt32)},
    // Memory.
    {Opcode::kLdg32, load("LDG.E", Effect::kLoadGlobal, 4)},
    {Opcode::kLdg64, load("LDG.E.64", Effect::kLoadGlobal, 8)},
    {Opcode::kLdg128, load("LDG.E.128", Effect::kLoadGlobal, 16)},
    {Opcode::kStg32, store("STG.E", Effect::kStoreGlobal, 4)},
    {Opcode::kStg64, store("STG.E.64", Effect::kStoreGlobal, 8)},
    {Opcode::kStg128, store("STG.E.128", Effect::kStoreGlobal, 16)},
    {Opcode::kLds32, load("LDS", Effect::kLoadShared, 4)},
    {Opcode::kLds64, load("LDS.64", Effect::kLoadShared, 8)},
    {Opcode::kLds128, load("LDS.128", Effect::kLoadShared, 16)},
    {Opcode::kSts32, store("STS", Effect::kStoreShared, 4)},
    {Opcode::kSts64, store("STS.64", Effect::kStoreShared, 8)},
    {Opcode::kSts128, store("STS.128", Effect::kStoreShared, 16)},
    {Opcode::kLdsmX1, load("LDSM.16.M88", Effect::kLoadMatrix, 4)},
    {Opcode::kLdsmX2, load("LDSM.16.M88.2", Effect::kLoadMatrix, 8)},
    {Opcode::kLdsmX4, load("LDSM.16.M88.4", Effect::kLoadMatrix, 16)},
    {Opcode::kLdsmTX1, load("LDSM.16.MT88", Effect::kLoadMatrix, 4)},
    {Opcode::kLdsmTX2, load("LDSM.16.MT88.2", Effect::kLoadMatrix, 8)},
    {Opcode::kLdsmTX4, load("LDSM.16.MT88.4", Effect::kLoadMatrix, 16)},
    {Opcode::kStsmX1, store("STSM.16.M88", Effect::kStoreMatrix, 4)},
    {Opcode::kStsmX2, store("STSM.16.M88.2", Effect::kStoreMatrix, 8)},
    {Opcode::kStsmX4, store("STSM.16.M88.4", Effect::kStoreMatrix, 16)},
    {Opcode::kStsmTX1, store("STSM.16.MT88", Effect::kStoreMatrix, 4)},
    {Opcode::kStsmTX2, store("STSM.16.MT88.2", Effect::kStoreMatrix, 8)},
    {Opcode::kStsmTX4, store("STSM.16.MT88.4", Effect::kStoreMatrix, 16)},
    {Opcode::kLdgsts32, copy("LDGSTS.E", 4)},
    {Opcode::kLdgsts64, copy("LDGSTS.E.64", 8)},
    {Opcode::kLdgsts128, copy("LDGSTS.E.128", 16)},
    {Opcode::kLdgstsLine32, line_copy("LDGSTS.E.LTC128B", 4)},
    {Opcode::kLdgstsLine64, line_copy("LDGSTS.E.LTC128B.64", 8)},
    {Opcode::kLdgstsLine128, line_copy("LDGSTS.E.BYPASS.LTC128B.128", 16)},
    // Group completion is counted by the copy unit, not by a counter the assembler assigns.
    {Opcode::kLdgdepbar,
     {"LDGDEPBAR", Pipe::kMemory, true, Effect::kCloseCopyGroup, 0, {}, 0, 0, 0, 0}},
    {Opcode::kDepbar, control("DEPBAR.LE", Effect::kWaitCopyGroups)},
    {Opcode::kLdg16, load("LDG.E.U16", Effect::kLoadGlobal, 2)},
    {Opcode::kStg16, store("STG.E.U16", Effect::kStoreGlobal, 2)},
    {Opcode::kLds16, load("LDS.U16", Effect::kLoadShared, 2)},
    {Opcode::kSts16, store("STS.U16", Effect::kStoreShared, 2)},
    {Opcode::kLdgStrong32, load("LDG.E.STRONG.GPU", Effect::kLoadGlobal, 4)},
    // Atomics.
    {Opcode::kAtomsAdd, atoms("ATOMS.ADD", AtomicOperation::kAdd)},
    {Opcode::kAtomsMin, atoms("ATOMS.MIN", AtomicOperation::kMin)},
    {Opcode::kAtomsMinS32, atoms("ATOMS.MIN.S32", AtomicOperation::kMin, AtomicType::kS32)},
    {Opcode::kAtomsMax, atoms("ATOMS.MAX", AtomicOperation::kMax)},
    {Opcode::kAtomsMaxS32, atoms("ATOMS.MAX.S32", AtomicOperation::kMax, AtomicType::kS32)},
    {Opcode::kAtomsExch, atoms("ATOMS.EXCH", AtomicOperation::kExchange)},
    {Opcode::kAtomsCas, atoms("ATOMS.CAS", AtomicOperation::kCompareSwap)},
    {Opcode::kAtomsCas64, atoms("ATOMS.CAS.64", AtomicOperation::kCompareSwap, AtomicType::kU64)},
    // Shared memory of CTAs of the cluster, by generic addresses of 64 bits.
    {Opcode::kLd32, load("LD.E", Effect::kLoadCluster, 4)},
    {Opcode::kLd64, load("LD.E.64", Effect::kLoadCluster, 8)},
    {Opcode::kLd128, load("LD.E.128", Effect::kLoadCluster, 16)},
    {Opcode::kSt32, store("ST.E", Effect::kStoreCluster, 4)},
    {Opcode::kSt64, store("ST.E.64", Effect::kStoreCluster, 8)},
    {Opcode::kSt128, store("ST.E.128", Effect::kStoreCluster, 16)},
    {Opcode::kAtomAdd, atom("ATOM.E.ADD", AtomicOperation::kAdd)},
    {Opcode::kAtomMin, atom("ATOM.E.MIN", AtomicOperation::kMin)},
    {Opcode::kAtomMinS32, atom("ATOM.E.MIN.S32", AtomicOperation::kMin, AtomicType::kS32)},
    {Opcode::kAtomMax, atom("ATOM.E.MAX", AtomicOperation::kMax)},
    {Opcode::kAtomMaxS32, atom("ATOM.E.MAX.S32", AtomicOperation::kMax, AtomicType::kS32)},
    {Opcode::kAtomExch, atom("ATOM.E.EXCH", AtomicOperation::kExchange)},
    {Opcode::kAtomCas, atom("ATOM.E.CAS", AtomicOperation::kCompareSwap)},
    {Opcode::kAtomCas64, atom("ATOM.E.CAS.64", AtomicOperation::kCompareSwap, AtomicType::kU64)},
    {Opcode::kAtomgAdd, atomg("ATOMG.E.ADD", AtomicOperation::kAdd)},
    {Opcode::kAtomgMin, atomg("ATOMG.E.MIN", AtomicOperation::kMin)},
    {Opcode::kAtomgMinS32, atomg("ATOMG.E.MIN.S32", AtomicOperation::kMin, AtomicType::kS32)},
    {Opcode::kAtomgMax, atomg("ATOMG.E.MAX", AtomicOperation::kMax)},
    {Opcode::kAtomgMaxS32, atomg("ATOMG.E.MAX.S32", AtomicOperation::kMax, AtomicType::kS32)},
    {Opcode::kAtomgExch, atomg("ATOMG.E.EXCH", AtomicOperation::kExchange)},
    {Opcode::kAtomgCas, atomg("ATOMG.E.CAS", AtomicOperation::kCompareSwap)},
    {Opcode::kAtomgAddF32, atomg("ATOMG.E.ADD.F32", AtomicOperation::kAdd, AtomicType::kF32)},
    {Opcode::kAtomgAddF16x2, atomg("ATOMG.E.ADD.F16x2", AtomicOperation::kAdd, AtomicType::kF16x2)},
    {Opcode::kAtomgAdd64, atomg("ATOMG.E.ADD.64", AtomicOperation::kAdd, AtomicType::kU64)},
    {Opcode::kAtomgExch64, atomg("ATOMG.E.EXCH.64", AtomicOperation::kExchange, AtomicType::kU64)},
    {Opcode::kAtomgCas64, atomg("ATOMG.E.CAS.64", AtomicOperation::kCompareSwap, AtomicType::kU64)},
    {Opcode::kRedAdd, red("RED.E.ADD", AtomicOperation::kAdd)},
    {Opcode::kRedMin, red("RED.E.MIN", AtomicOperation::kMin)},
    {Opcode::kRedMinS32, red("RED.E.MIN.S32", AtomicOperation::kMin, AtomicType::kS32)},
    {Opcode::kRedMax, red("RED.E.MAX", AtomicOperation::kMax)},
    {Opcode::kRedMaxS32, red("RED.E.MAX.S32", AtomicOperation::kMax, AtomicType::kS32)},
    {Opcode::kRedAddF32, red("RED.E.ADD.F32", AtomicOperation::kAdd, AtomicType::kF32)},
    {Opcode::kRedAddF16x2, red("RED.E.ADD.F16x2", AtomicOperation::kAdd, AtomicType::kF16x2)},
    {Opcode::kRedAdd64, red("RED.E.ADD.64", AtomicOperation::kAdd, AtomicType::kU64)},
    {Opcode::kLdc32, load("LDC", Effect::kLoadConstant, 4)},
    {Opcode::kLdc64, load("LDC.64", Effect::kLoadConstant, 8)},
    {Opcode::kMembar, control("MEMBAR.SC.GPU", Effect::kFence)},
    // Control.
    {Opcode::kBarSync, control("BAR.SYNC", Effect::kBarrier)},
    {Opcode::kBarArrive, control("BAR.ARV", Effect::kBarrierArrive)},
    {Opcode::kBra, control("BRA", Effect::kBranch)},
    {Opcode::kBraSkip, control("BRA.SKIP", Effect::kSkipLoop)},
    {Opcode::kExit, control("EXIT", Effect::kExit)},
    {Opcode::kNop, control("NOP", Effect::kNone)},
    // Asynchronous hardware: addresses lie in uniform registers, which are a file of their own.
    {Opcode::kSyncsExch, control("SYNCS.EXCH.64", Effect::kInitBarrier)},
    {Opcode::kSyncsArrive, control("SYNCS.ARRIVE.TRANS64.A1T0", Effect::kArrive)},
    {Opcode::kSyncsArriveBytes, control("SYNCS.ARRIVE.TRANS64", Effect::kArriveWithBytes)},
    {Opcode::kSyncsArriveRemote, control("SYNCS.ARRIVE.TRANS64.RED.A1T0", Effect::kArriveRemote)},
    {Opcode::kArrivesLdgstsbar, control("ARRIVES.LDGSTSBAR.64", Effect::kArriveAfterCopies)},
    {Opcode::kSyncsTryWait, control("SYNCS.PHASECHK.TRANS64.TRYWAIT", Effect::kWaitPhase)},
    {Opcode::kUtmaldg1d, control("UTMALDG.1D", Effect::kLoadTile)},
    {Opcode::kUtmaldg2d, control("UTMALDG.2D", Effect::kLoadTile)},
    {Opcode::kUtmaldg3d, control("UTMALDG.3D", Effect::kLoadTile)},
    {Opcode::kUtmaldg4d, control("UTMALDG.4D", Effect::kLoadTile)},
    {Opcode::kUtmaldg5d, control("UTMALDG.5D", Effect::kLoadTile)},
    {Opcode::kUtmaldgMulticast1d, control("UTMALDG.1D.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmaldgMulticast2d, control("UTMALDG.2D.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmaldgMulticast3d, control("UTMALDG.3D.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmaldgMulticast4d, control("UTMALDG.4D.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmaldgMulticast5d, control("UTMALDG.5D.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmaldgIm2col4d, control("UTMALDG.4D.IM2COL", Effect::kLoadTile)},
    {Opcode::kUtmaldgIm2colMulticast4d,
     control("UTMALDG.4D.IM2COL.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUtmastg1d, control("UTMASTG.1D", Effect::kStoreTile)},
    {Opcode::kUtmastg2d, control("UTMASTG.2D", Effect::kStoreTile)},
    {Opcode::kUtmastg3d, control("UTMASTG.3D", Effect::kStoreTile)},
    {Opcode::kUtmastg4d, control("UTMASTG.4D", Effect::kStoreTile)},
    {Opcode::kUtmastg5d, control("UTMASTG.5D", Effect::kStoreTile)},
    {Opcode::kUtmaredgAdd1d, control("UTMAREDG.1D.ADD", Effect::kReduceTile)},
    {Opcode::kUtmaredgAdd2d, control("UTMAREDG.2D.ADD", Effect::kReduceTile)},
    {Opcode::kUtmaredgAdd3d, control("UTMAREDG.3D.ADD", Effect::kReduceTile)},
    {Opcode::kUtmaredgAdd4d, control("UTMAREDG.4D.ADD", Effect::kReduceTile)},
    {Opcode::kUtmaredgAdd5d, control("UTMAREDG.5D.ADD", Effect::kReduceTile)},
    {Opcode::kUblkcpSG, control("UBLKCP.S.G", Effect::kLoadTile)},
    {Opcode::kUblkcpSGMulticast, control("UBLKCP.S.G.MULTICAST", Effect::kLoadTileToMany)},
    {Opcode::kUblkcpGS, control("UBLKCP.G.S", Effect::kStoreTile)},
    {Opcode::kUblkcpSS, control("UBLKCP.S.S", Effect::kPutTile)},
    {Opcode::kUblkredGSAdd, control("UBLKRED.G.S.ADD", Effect::kReduceTile)},
    {Opcode::kUblkpf, control("UBLKPF", Effect::kPrefetchTile)},
    {Opcode::kUtmacmdflush, control("UTMACMDFLUSH", Effect::kCloseCopyGroup)},
    {Opcode::kFenceViewAsync, control("FENCE.VIEW.ASYNC", Effect::kProxyFence)},
    {Opcode::kWarpgroupArrive, control("WARPGROUP.ARRIVE", Effect::kGroupArrive)},
    {Opcode::kWarpgroupDepbar, control("WARPGROUP.DEPBAR.LE", Effect::kWaitGroupMmas)},
    {Opcode::kUsetmaxreg, control("USETMAXREG", Effect::kSetRegisters)},
    {Opcode::kClusterArrive, control("UCGABAR_ARV", Effect::kClusterArrive)},
    {Opcode::kClusterWait, control("UCGABAR_WAIT", Effect::kClusterWait)},
}};

// MMAs that no kernel of ours is made of.
constexpr auto kOtherRows = std::to_array<OpcodeInfo>({
    mma("HMMA.1688.F32.BF16", {16, 8, 8}, Type::kBf16, Type::kFp32),
    mma("HMMA.1684.F32.TF32", {16, 8, 4}, Type::kTf32, Type::kFp32),
    sparse_mma("HMMA.SP.16816.F32", {16, 8, 16}, Type::kFp16, Type::kFp32),
    sparse_mma("HMMA.SP.16816.F16", {16, 8, 16}, Type::kFp16, Type::kFp16),
    sparse_mma("HMMA.SP.16816.F32.BF16", {16, 8, 16}, Type::kBf16, Type::kFp32),
    sparse_mma("HMMA.SP.1688.F32.TF32", {16, 8, 8}, Type::kTf32, Type::kFp32),
    mma("IMMA.8832.S4.S4", {8, 8, 32}, Type::kInt4, Type::kInt32),
    mma("IMMA.16832.S4.S4", {16, 8, 32}, Type::kInt4, Type::kInt32),
    mma("IMMA.16864.S4.S4", {16, 8, 64}, Type::kInt4, Type::kInt32),
    sparse_mma("IMMA.SP.16832.S8.S8", {16, 8, 32}, Type::kInt8, Type::kInt32),
    sparse_mma("IMMA.SP.16864.S4.S4", {16, 8, 64}, Type::kInt4, Type::kInt32),
    sparse_mma("IMMA.SP.168128.S4.S4", {16, 8, 128}, Type::kInt4, Type::kInt32),
    mma("BMMA.88128.XOR.POPC", {8, 8, 128}, Type::kB1, Type::kInt32),
    mma("BMMA.168128.XOR.POPC", {16, 8, 128}, Type::kB1, Type::kInt32),
    mma("BMMA.168256.XOR.POPC", {16, 8, 256}, Type::kB1, Type::kInt32),
    mma("DMMA.1684", {16, 8, 4}, Type::kFp64, Type::kFp64),
    mma("DMMA.1688", {16, 8, 8}, Type::kFp64, Type::kFp64),
    mma("DMMA.16816", {16, 8, 16}, Type::kFp64, Type::kFp64),
});

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
