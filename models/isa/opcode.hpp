#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/numerics/element_type.hpp"

namespace tcsim::isa {

/// SASS-class operations, one per timing class; a row of `opcode_info` holds the mnemonic and the
/// operand widths. Names follow the SASS mnemonics without dots. Operations that no code refers to
/// have only a row: programs and machine files use their mnemonic, and their numbers, up to
/// opcode_count(), follow those of the enumerators. The last rows are MMAs of shapes that SASS does
/// not have, such as MMA.M32N8K16.F32.F16: m and n of 8 to 64, rows of A of 16 to 128 bytes, powers
/// of two, if the registers of a thread can hold the fragments (models/isa/shaped_mma.hpp).
///
/// What the data-carrying operations compute, if the mnemonic does not define it:
/// - CS2R: zero into two registers (the 64-bit form that kernels use to clear accumulators).
/// - F2FP.PACK_AB: two FP32, rounded to nearest even, into one register: low half = src[1], high
///   half = src[0]. F2FP.SATFINITE.E4M3: two FP32 to E4M3, nearest even, at most 448 in magnitude,
///   in the low half, src[1] below src[0]; high half = the low half of src[2].
/// - F2F.F16.F32: one FP32 into the low half, high half zero. PRMT: byte i of dst is byte (selector
///   >> 4i) & 7 of the eight bytes {src[1], src[0]}, src[0] the low four; src[2] is the selector.
/// - HMUL2, HFMA2.BF16_V2: FP16 (BF16) in both halves, one rounding; both may use the same half of
///   src[1], selected by `immediate` if that is no literal (kLowHalfTwice, kHighHalfTwice).
/// - LOP3.LUT.0xec: (src[0] & src[2]) | src[1]. SHF.R.U32.HI.RZ: src[0] >> src[1], with zeros.
/// - FMNMX: the larger source; a NaN loses. HADD2.F32: the FP16 half src[1] (0 low, 1 high) of
///   src[0] as FP32.
/// - SHFL: lane l receives src[0] of lane l ^ src[2] (.BFLY with all lanes in one segment).
///   SHFL.IDX: of lane (l & m) | (src[2] & ~m) of 32, the mask m in bits 8 to 12 of src[2]
///   (shuffle_source). Source: PTX ISA, shfl.
/// - MUFU.EX2, .LG2, .RCP, .RSQ: 2^x, log2 x, 1 / x, 1 / sqrt(x) (numerics/transcendental.hpp).
/// - F2I.S8: FP32 to the nearest even INT8, saturated, sign-extended. I2F.S8: byte src[1] (0 to 3)
///   of src[0], signed, as FP32. I2F and I2FP: INT32 to the nearest even FP32.
/// - F2IP.S8.F32: src[1] and src[0] converted as by F2I.S8, in bytes 0 and 1; the lower half of
///   src[2] above them.
/// - BRA.SKIP: skips loop `immediate`, which starts at the next instruction, if the loop has no
///   iterations. SASS uses a guarded BRA instead.
/// - LDSM: lanes 8i..8i+7 name the eight 16-byte rows of matrix i; lane l receives in register i
///   the elements (row l/4, columns 2(l%4) and 2(l%4)+1), of the transpose when T. Source: PTX ISA,
///   ldmatrix.
/// - STSM: the reverse: lanes name rows as for LDSM, register i of src[1] holds matrix i.
///   Source: PTX ISA, stmatrix.
/// - HMMA, IMMA, DMMA: dst = src[0] * src[1] + src[2], A, B, C fragments as in numerics.md 13. An
///   HMMA.884 STEP writes the register pair of its row in numerics.md 12; `immediate` holds
///   kColumnMajorA and kRowMajorB.
/// - SP: 2:4 sparse A; k is the logical one. src[0] holds the stored half of A, src[3] its
///   metadata, `immediate` the selector of the lanes that supply the metadata (numerics.md 11).
/// - LDGSTS: src[0] is the global address pair, src[1] the shared address. With LTC128B (.L2::128B
///   in PTX) an L2 miss also fetches the rest of its line from DRAM.
/// - LDG and LDS of 16 bits write the low half and clear the high half; the stores take the low
///   half.
/// - LDG.E.STRONG.GPU reads the L2 and bypasses the L1.
/// - ATOMG, ATOMS: memory = op(memory, src[1]), dst = the old value; CAS stores src[2] if memory
///   equals src[1]. RED: the same without dst. Lanes that access one word are executed in order of
///   lanes.
/// - LD.E, ST.E, ATOM.E: access the shared memory of CTAs of the cluster, each lane that of the CTA
///   whose rank its address names (cluster_address in program.hpp; src[0] is a pair). These are
///   generic operations of SASS; here they access nothing else.
/// - LDC: constant memory of the kernel; src[0] is the offset register.
/// - SYNCS: one thread of the warp executes it on an mbarrier in shared memory
///   (async_operands.hpp). EXCH.64 initialises it; ARRIVE.TRANS64.A1T0 arrives; ARRIVE.TRANS64
///   arrives and makes the phase expect bytes; PHASECHK.TRANS64.TRYWAIT waits until the phase of a
///   parity is complete, including the loop that compiled code has around it.
/// - UTMALDG, UTMASTG, UTMAREDG.ADD: one thread starts the copy of a box (async_operands.hpp).
///   UTMAREDG adds the box to the contents of the tensor, in FP32 like RED.E.ADD.F32. The bytes of
///   a load complete on an mbarrier. The others join copy groups like LDGSTS, UTMACMDFLUSH closes a
///   group, and DEPBAR.LE waits until shared memory has been read.
/// - UBLKCP.S.G, UBLKCP.G.S, UBLKRED.G.S.ADD: the same for contiguous bytes, without a tensor map
///   (cp.async.bulk, cp.reduce.async.bulk). S is shared memory, G global memory; the destination
///   comes first. UBLKCP.S.S: from the own shared memory to that of a CTA of the cluster, on an
///   mbarrier there. UBLKPF: only into the L2, without a completion (cp.async.bulk.prefetch).
/// - FENCE.VIEW.ASYNC: makes what the warp has written to shared memory, or knows of, readable by
///   UTMASTG, UTMAREDG and wgmma (fence.proxy.async).
/// - WARPGROUP.ARRIVE comes before the first HGMMA of a group; WARPGROUP.DEPBAR.LE waits until at
///   most `immediate` groups are open (group_mma.hpp).
/// - USETMAXREG: the threads of the warp have `immediate` registers from here on (setmaxnreg).
/// - MEMBAR.SC.GPU: waits until all stores and atomics of the CTA so far are answered.
enum class Opcode : std::uint16_t {
  // CUDA-core arithmetic.
  kFadd,
  kFmul,
  kFfma,
  kFmnmx,
  kFsetp,
  kHadd2,
  kHmul2,
  kHfma2,
  kHadd2F32,
  kHfma2Bf16,
  kDadd,
  kDmul,
  kDfma,
  kIadd3,
  kLop3,
  kLop3AndOr,
  kShf,
  kShfRight,
  kLea,
  kIsetp,
  kSel,
  kMov,
  kPrmt,
  kPlop3,
  kCs2r,
  kImad,
  kImadWide,
  kDp4a,
  kF2fp,
  kF2fpBf16,
  kF2fpE4m3,
  kF2ipS8,
  kI2fp,
  kMufuEx2,
  kMufuRcp,
  kMufuRsq,
  kMufuLg2,
  kF2f,
  kI2f,
  kF2i,
  kPopc,
  kF2iS8,
  kI2fS8,
  kShfl,
  kShflIdx,
  kS2r,
  // Uniform datapath (from Turing on).
  kUiadd3,
  kUlop3,
  kUmov,
  kUshf,
  kUldc,
  kUisetp,
  kUsel,
  kUlea,
  // Tensor cores. V100 steps move 64-bit pairs; the shape digits are m, n, k.
  kHmma884F32Step0,
  kHmma884F32Step1,
  kHmma884F32Step2,
  kHmma884F32Step3,
  kHmma884F16Step0,
  kHmma884F16Step1,
  kHmma1688F32,
  kHmma1688F16,
  kHmma16816F32,
  kHmma16816F16,
  kHmma16816F32Bf16,
  kHmma1688F32Tf32,
  kImma8816S8,
  kImma16816S8,
  kImma16832S8,
  kDmma884,
  kHmmaSp16832F32,
  kHmmaSp16832F16,
  kHmmaSp16832F32Bf16,
  kHmmaSp16816F32Tf32,
  kImmaSp16864S8,
  // Memory.
  kLdg32,
  kLdg64,
  kLdg128,
  kStg32,
  kStg64,
  kStg128,
  kLds32,
  kLds64,
  kLds128,
  kSts32,
  kSts64,
  kSts128,
  kLdsmX1,
  kLdsmX2,
  kLdsmX4,
  kLdsmTX1,
  kLdsmTX2,
  kLdsmTX4,
  kStsmX1,
  kStsmX2,
  kStsmX4,
  kStsmTX1,
  kStsmTX2,
  kStsmTX4,
  kLdgsts32,
  kLdgsts64,
  kLdgsts128,
  kLdgstsLine32,
  kLdgstsLine64,
  kLdgstsLine128,
  kLdgdepbar,
  kDepbar,
  kLdg16,
  kStg16,
  kLds16,
  kSts16,
  kLdgStrong32,
  kAtomsAdd,
  kAtomsMin,
  kAtomsMinS32,
  kAtomsMax,
  kAtomsMaxS32,
  kAtomsExch,
  kAtomsCas,
  kAtomsCas64,
  kLd32,
  kLd64,
  kLd128,
  kSt32,
  kSt64,
  kSt128,
  kAtomAdd,
  kAtomMin,
  kAtomMinS32,
  kAtomMax,
  kAtomMaxS32,
  kAtomExch,
  kAtomCas,
  kAtomCas64,
  kAtomgAdd,
  kAtomgMin,
  kAtomgMinS32,
  kAtomgMax,
  kAtomgMaxS32,
  kAtomgExch,
  kAtomgCas,
  kAtomgAddF32,
  kAtomgAddF16x2,
  kAtomgAdd64,
  kAtomgExch64,
  kAtomgCas64,
  kRedAdd,
  kRedMin,
  kRedMinS32,
  kRedMax,
  kRedMaxS32,
  kRedAddF32,
  kRedAddF16x2,
  kRedAdd64,
  kLdc32,
  kLdc64,
  kMembar,
  // Control.
  kBarSync,
  kBarArrive,
  kBra,
  kBraSkip,
  kExit,
  kNop,
  // Asynchronous hardware (Hopper).
  kSyncsExch,
  kSyncsArrive,
  kSyncsArriveBytes,
  kSyncsArriveRemote,
  kArrivesLdgstsbar,
  kSyncsTryWait,
  kUtmaldg1d,
  kUtmaldg2d,
  kUtmaldg3d,
  kUtmaldg4d,
  kUtmaldg5d,
  kUtmaldgMulticast1d,
  kUtmaldgMulticast2d,
  kUtmaldgMulticast3d,
  kUtmaldgMulticast4d,
  kUtmaldgMulticast5d,
  kUtmaldgIm2col4d,
  kUtmaldgIm2colMulticast4d,
  kUtmastg1d,
  kUtmastg2d,
  kUtmastg3d,
  kUtmastg4d,
  kUtmastg5d,
  kUtmaredgAdd1d,
  kUtmaredgAdd2d,
  kUtmaredgAdd3d,
  kUtmaredgAdd4d,
  kUtmaredgAdd5d,
  kUblkcpSG,
  kUblkcpSGMulticast,
  kUblkcpGS,
  kUblkcpSS,
  kUblkredGSAdd,
  kUblkpf,
  kUtmacmdflush,
  kFenceViewAsync,
  kWarpgroupArrive,
  kWarpgroupDepbar,
  kUsetmaxreg,
  kClusterArrive,
  kClusterWait,
  kNamed,
};

/// Opcodes are less than this.
inline constexpr int kMostOpcodes = 2048;
/// How many opcodes there are.
int opcode_count();

/// Bits of an HMMA.884's `immediate`: the operand's fragment layout (.COL on A, .ROW on B).
inline constexpr int kColumnMajorA = 1;
inline constexpr int kRowMajorB = 2;

/// `immediate` of HMUL2 and HFMA2.BF16_V2: src[1].H0_H0 and src[1].H1_H1 of SASS.
inline constexpr int kLowHalfTwice = 1;
inline constexpr int kHighHalfTwice = 2;

/// The execution pipe of a sub-core that an instruction is issued to.
enum class Pipe : std::uint8_t {
  kFma,   ///< FP32 multiply-add and integer multiply-add
  kAlu,   ///< 32-bit integer, logic, compare, move
  kHalf,  ///< packed FP16
  kFp64,
  kSfu,  ///< transcendental and conversion
  kUniform,
  kTensor,
  kGroupTensor,  ///< queue of warpgroup products, which share the tensor cores of the SM
  kMemory,       ///< the sub-core's memory queue
  kControl,      ///< branch, barrier, exit, no-operation
  kCount,
};
inline constexpr int kPipeCount = static_cast<int>(Pipe::kCount);

/// True if instructions wait in a queue of the pipe, which reads their registers later than the
/// operand window of the issue stage.
constexpr bool reads_from_queue(Pipe pipe) {
  return pipe == Pipe::kMemory || pipe == Pipe::kGroupTensor;
}

/// What an instruction does outside the register file.
enum class Effect : std::uint8_t {
  kNone,
  kLoadGlobal,
  kStoreGlobal,
  kLoadShared,
  kStoreShared,
  kLoadCluster,  ///< shared memory of CTAs of the cluster
  kStoreCluster,
  kLoadMatrix,
  kStoreMatrix,
  kAtomicGlobal,  ///< with a result
  kReduceGlobal,  ///< without
  kAtomicCluster,
  kAtomicShared,
  kLoadConstant,
  kCopyGlobalToShared,
  kFence,
  kCloseCopyGroup,
  kWaitCopyGroups,
  kBarrier,
  kBarrierArrive,  ///< at a named barrier, without waiting there
  kBranch,
  kSkipLoop,
  kExit,
  // These have AsyncOperands.
  kInitBarrier,
  kArrive,
  kArriveWithBytes,
  kArriveRemote,       ///< at an mbarrier of another CTA of the cluster
  kArriveAfterCopies,  ///< when what the warp has copied by LDGSTS has arrived; closes their group
  kWaitPhase,
  kLoadTile,
  kLoadTileToMany,  ///< to several CTAs of the cluster
  kStoreTile,
  kReduceTile,    ///< adds the box to what the tensor holds
  kPutTile,       ///< to the shared memory of a CTA of the cluster
  kPrefetchTile,  ///< into the L2
  kGroupMma,
  // These have none.
  kProxyFence,
  kGroupArrive,
  kWaitGroupMmas,
  kSetRegisters,
  kClusterArrive,
  kClusterWait,
};

/// What an MMA multiplies; the signedness of integers does not affect timing.
enum class MmaInput : std::uint8_t { kNone, kFp16, kBf16, kTf32, kInt8, kInt4, kBit, kFp64, kFp8 };

/// The MmaInput for operands of `type`; kNone if no MMA has them.
constexpr MmaInput input_of(numerics::ElementType type) {
  using enum numerics::ElementType;
  switch (type) {
    case kFp16:
      return MmaInput::kFp16;
    case kBf16:
      return MmaInput::kBf16;
    case kTf32:
      return MmaInput::kTf32;
    case kInt8:
    case kUint8:
      return MmaInput::kInt8;
    case kInt4:
    case kUint4:
      return MmaInput::kInt4;
    case kB1:
      return MmaInput::kBit;
    case kFp64:
      return MmaInput::kFp64;
    case kE4m3:
    case kE5m2:
      return MmaInput::kFp8;
    default:
      return MmaInput::kNone;
  }
}

/// The position of an MMA among the instructions that together make one product of register
/// fragments: the steps of an HMMA.884. Their opcodes are consecutive.
struct MmaStep {
  std::uint8_t index = 0;
  std::uint8_t count = 1;
};

enum class AtomicOperation : std::uint8_t { kNone, kAdd, kMin, kMax, kExchange, kCompareSwap };
/// The operand type of an atomic; F16x2 adds both halves of a word.
enum class AtomicType : std::uint8_t { kU32, kS32, kU64, kF32, kF16x2 };

/// One row of the instruction table. Register counts are 32-bit registers per lane.
struct OpcodeInfo {
  std::string_view mnemonic;
  Pipe pipe;
  bool fixed_latency;  ///< false: completion is signalled through a dependence counter
  Effect effect;
  std::uint8_t dst_registers;
  std::array<std::uint8_t, 4> src_registers;  ///< 0: the operand does not exist
  std::uint8_t bytes_per_lane;  ///< memory operations: bytes moved by one lane (LDSM: bytes
                                ///< received, STSM: bytes supplied)
  std::uint16_t m, n, k;  ///< MMA shape (HMMA.884: of one quad pair); all 0 for other operations
  MmaInput mma_input = MmaInput::kNone;
  std::optional<numerics::ElementType> mma_sum{};  ///< format in which an MMA adds its products
  bool sparse = false;                             ///< MMA: A is 2:4 sparse
  MmaStep mma_step{};
  AtomicOperation atomic = AtomicOperation::kNone;
  AtomicType atomic_type = AtomicType::kU32;
  /// LTC128B: if a sector misses in L2, the rest of its line is also fetched from DRAM.
  bool prefetches_line = false;
  bool shaped = false;  ///< an MMA of a shape that SASS does not have
};

/// The row of `opcode`.
const OpcodeInfo& opcode_info(Opcode opcode);

/// The opcode with mnemonic `mnemonic` (for example "HMMA.16816.F32"), or empty.
std::optional<Opcode> parse_opcode(std::string_view mnemonic);

/// Multiply-adds of one warp instruction with all lanes active; 0 if it does not multiply and add.
std::int64_t warp_macs(Opcode opcode);

inline bool is_mma(Opcode opcode) { return opcode_info(opcode).pipe == Pipe::kTensor; }
constexpr bool is_shuffle(Opcode opcode) {
  return opcode == Opcode::kShfl || opcode == Opcode::kShflIdx;
}
/// src[2] of SHFL.IDX that selects `lane` by the bits outside `segment_mask`.
constexpr std::int32_t shuffle_source(int lane, int segment_mask) {
  return lane | segment_mask << 8;
}
/// The lane from which `lane` receives, with such a src[2].
constexpr std::size_t source_lane(std::uint32_t source, std::size_t lane) {
  const std::uint32_t mask = source >> 8 & 31;
  return (lane & mask) | (source & 31 & ~mask);
}
inline bool is_group_mma(Opcode opcode) { return opcode_info(opcode).effect == Effect::kGroupMma; }
/// True if `Instruction::access` of operations of `effect` is an index into WarpProgram::async.
constexpr bool is_asynchronous(Effect effect) {
  return effect >= Effect::kInitBarrier && effect <= Effect::kGroupMma;
}
/// True for arrivals at an mbarrier.
constexpr bool arrives(Effect effect) {
  return effect >= Effect::kArrive && effect <= Effect::kArriveAfterCopies;
}
/// True for BAR, both the waiting form and the one that only arrives.
constexpr bool is_named_barrier(Effect effect) {
  return effect == Effect::kBarrier || effect == Effect::kBarrierArrive;
}
/// True for loads of boxes.
constexpr bool loads_tile(Effect effect) {
  return effect == Effect::kLoadTile || effect == Effect::kLoadTileToMany;
}
/// True for boxes that go from shared memory to their tensor.
constexpr bool writes_tile(Effect effect) {
  return effect == Effect::kStoreTile || effect == Effect::kReduceTile;
}
/// True for copies whose bytes complete on an mbarrier.
constexpr bool brings_bytes(Effect effect) {
  return loads_tile(effect) || effect == Effect::kPutTile;
}
/// True for boxes whose lines are read from memory.
constexpr bool reads_tile(Effect effect) {
  return loads_tile(effect) || effect == Effect::kPrefetchTile;
}
constexpr bool copies_tile(Effect effect) {
  return effect >= Effect::kLoadTile && effect <= Effect::kPrefetchTile;
}
/// Dimensions of the tensor of which `opcode` copies a box; 0: it copies contiguous bytes (UBLKCP).
/// Requires copies_tile of its effect.
int box_dimensions(Opcode opcode);
/// True if memory operations of `effect` address the shared memory of CTAs of the cluster.
constexpr bool addresses_cluster(Effect effect) {
  return effect == Effect::kLoadCluster || effect == Effect::kStoreCluster ||
         effect == Effect::kAtomicCluster;
}
/// True for atomics on shared memory of any CTA.
constexpr bool is_shared_atomic(Effect effect) {
  return effect == Effect::kAtomicShared || effect == Effect::kAtomicCluster;
}
/// True for operations between CTAs of one cluster.
constexpr bool needs_cluster(Effect effect) {
  return addresses_cluster(effect) || effect == Effect::kArriveRemote ||
         effect == Effect::kLoadTileToMany || effect == Effect::kPutTile ||
         effect == Effect::kClusterArrive || effect == Effect::kClusterWait;
}
constexpr bool is_memory(Effect effect) {
  return effect >= Effect::kLoadGlobal && effect <= Effect::kCopyGlobalToShared;
}
inline bool is_memory(Opcode opcode) { return is_memory(opcode_info(opcode).effect); }
/// True for the branches at the ends and starts of loops, whose `immediate` is the loop.
constexpr bool is_branch(Effect effect) {
  return effect == Effect::kBranch || effect == Effect::kSkipLoop;
}
/// True if memory operations of `effect` address global (or shared) memory, including that of other
/// CTAs; copies do both.
constexpr bool addresses_global(Effect effect) {
  return effect == Effect::kLoadGlobal || effect == Effect::kStoreGlobal ||
         effect == Effect::kAtomicGlobal || effect == Effect::kReduceGlobal ||
         effect == Effect::kCopyGlobalToShared;
}
constexpr bool addresses_shared(Effect effect) {
  return (effect >= Effect::kLoadShared && effect <= Effect::kStoreMatrix) ||
         is_shared_atomic(effect) || effect == Effect::kCopyGlobalToShared;
}
/// True for operations that write registers to shared memory of any CTA and return nothing.
constexpr bool stores_shared(Effect effect) {
  return effect == Effect::kStoreShared || effect == Effect::kStoreCluster ||
         effect == Effect::kStoreMatrix;
}
inline constexpr int kMatrixRows = 8;       ///< of LDSM and STSM; each is named by a lane
inline constexpr int kMatrixRowBytes = 16;  ///< of such a row
/// True for LDSM and STSM.
constexpr bool moves_matrices(Effect effect) {
  return effect == Effect::kLoadMatrix || effect == Effect::kStoreMatrix;
}
/// Number of matrices of kMatrixRows rows that `info` moves, each in one register per thread; 0 for
/// others.
constexpr int matrices_of(const OpcodeInfo& info) {
  if (!moves_matrices(info.effect)) return 0;
  return info.effect == Effect::kLoadMatrix ? info.dst_registers : info.src_registers[1];
}
/// True if src[1] of memory operations of `effect` holds data for memory.
constexpr bool carries_data(Effect effect) {
  return effect == Effect::kStoreGlobal || stores_shared(effect) ||
         (effect >= Effect::kAtomicGlobal && effect <= Effect::kAtomicShared);
}

}  // namespace tcsim::isa
