#include "workloads/traceg/sass_opcode.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "models/isa/async_operands.hpp"

namespace tcsim::traceg {
namespace {

using isa::Opcode;
using Parts = std::vector<std::string_view>;

constexpr std::array kVersions{70, 75, 80, 86, 90};
constexpr int kAll = 70;

/// Code from sm_`first` on. Existence: CUDA Binary Utilities, tables of the
/// instruction sets for Volta, Turing, Ampere and Hopper.
struct Row {
  std::string_view mnemonic;  ///< the dotted parts that a mnemonic must start with
  Opcode opcode;
  int first = kAll;
};

/// Operations without memory, by timing class. If the models have no such class, the one with the
/// same pipe and result width is used.
constexpr std::array kRows{
    Row{"FADD", Opcode::kFadd},
    Row{"FADD32I", Opcode::kFadd},
    Row{"FSWZADD", Opcode::kFadd},
    Row{"FMUL", Opcode::kFmul},
    Row{"FMUL32I", Opcode::kFmul},
    Row{"FFMA", Opcode::kFfma},
    Row{"FFMA32I", Opcode::kFfma},
    Row{"FMNMX", Opcode::kFmnmx},
    Row{"FSEL", Opcode::kSel},
    Row{"FSET", Opcode::kFmnmx},
    Row{"FSETP", Opcode::kFsetp},
    Row{"FCHK", Opcode::kMufuRcp},
    Row{"MUFU", Opcode::kMufuEx2},
    Row{"MUFU.LG2", Opcode::kMufuLg2},
    Row{"MUFU.RCP", Opcode::kMufuRcp},
    Row{"MUFU.RSQ", Opcode::kMufuRsq},
    Row{"HADD2", Opcode::kHadd2},
    Row{"HADD2.F32", Opcode::kHadd2F32},
    Row{"HADD2_32I", Opcode::kHadd2},
    Row{"HMUL2", Opcode::kHmul2},
    Row{"HMUL2_32I", Opcode::kHmul2},
    Row{"HFMA2", Opcode::kHfma2},
    Row{"HFMA2_32I", Opcode::kHfma2},
    Row{"HFMA2.BF16_V2", Opcode::kHfma2Bf16, 80},
    Row{"HFMA2.MMA.BF16_V2", Opcode::kHfma2Bf16, 80},
    Row{"HMNMX2", Opcode::kHadd2, 80},
    Row{"HSET2", Opcode::kHadd2},
    Row{"HSETP2", Opcode::kHadd2},
    Row{"DADD", Opcode::kDadd},
    Row{"DMUL", Opcode::kDmul},
    Row{"DFMA", Opcode::kDfma},
    Row{"DSETP", Opcode::kDadd},
    Row{"IADD", Opcode::kIadd3},
    Row{"IADD3", Opcode::kIadd3},
    Row{"IADD32I", Opcode::kIadd3},
    Row{"VIADD", Opcode::kIadd3, 90},
    Row{"VIADDMNMX", Opcode::kIadd3, 90},
    Row{"VIMNMX", Opcode::kIadd3, 90},
    Row{"VIMNMX3", Opcode::kIadd3, 90},
    Row{"IMNMX", Opcode::kIadd3},
    Row{"IABS", Opcode::kMov},
    Row{"ISCADD", Opcode::kLea},
    Row{"VABSDIFF", Opcode::kIadd3},
    Row{"VABSDIFF4", Opcode::kIadd3},
    Row{"LEA", Opcode::kLea},
    Row{"LEA.HI", Opcode::kIadd3},
    Row{"LOP", Opcode::kLop3},
    Row{"LOP3", Opcode::kLop3},
    Row{"LOP32I", Opcode::kLop3},
    Row{"LOP3.LUT.0xec", Opcode::kLop3AndOr},
    Row{"PLOP3", Opcode::kPlop3},
    Row{"SHF", Opcode::kShf},
    Row{"SHF.R.U32.HI.RZ", Opcode::kShfRight},
    Row{"SHL", Opcode::kShf},
    Row{"SHR", Opcode::kShf},
    Row{"BMSK", Opcode::kShf},
    Row{"SGXT", Opcode::kShf},
    Row{"ISETP", Opcode::kIsetp},
    Row{"SEL", Opcode::kSel},
    Row{"MOV", Opcode::kMov},
    Row{"MOV32I", Opcode::kMov},
    Row{"P2R", Opcode::kMov},
    Row{"R2P", Opcode::kIsetp},
    Row{"VOTE", Opcode::kMov},
    Row{"PRMT", Opcode::kPrmt},
    Row{"CS2R", Opcode::kCs2r},
    Row{"CS2R.32", Opcode::kS2r},
    Row{"S2R", Opcode::kS2r},
    Row{"B2R", Opcode::kS2r},
    Row{"LEPC", Opcode::kMov},
    Row{"GETLMEMBASE", Opcode::kMov},
    Row{"QSPC", Opcode::kIsetp},
    Row{"IMAD", Opcode::kImad},
    Row{"IMAD.WIDE", Opcode::kImadWide},
    Row{"IMUL", Opcode::kImad},
    Row{"IMUL.WIDE", Opcode::kImadWide},
    Row{"IDP", Opcode::kDp4a},
    Row{"F2FP", Opcode::kF2fp, 75},
    Row{"F2FP.BF16", Opcode::kF2fpBf16, 80},
    Row{"F2FP.SATFINITE.E4M3", Opcode::kF2fpE4m3, 90},
    Row{"F2F", Opcode::kF2f},
    Row{"F2F.F64", Opcode::kDadd},
    Row{"FRND", Opcode::kF2f},
    Row{"FRND.F64", Opcode::kDadd},
    Row{"F2IP", Opcode::kF2ipS8, 80},
    Row{"F2I", Opcode::kF2i},
    Row{"F2I.S8", Opcode::kF2iS8},
    Row{"F2I.S64", Opcode::kDadd},
    Row{"F2I.U64", Opcode::kDadd},
    Row{"I2F", Opcode::kI2f},
    Row{"I2F.S8", Opcode::kI2fS8},
    Row{"I2F.F64", Opcode::kDadd},
    Row{"I2FP", Opcode::kI2fp, 80},
    Row{"I2I", Opcode::kI2f},
    Row{"I2IP", Opcode::kF2fp, 75},
    Row{"POPC", Opcode::kPopc},
    Row{"FLO", Opcode::kPopc},
    Row{"BREV", Opcode::kPopc},
    Row{"SHFL", Opcode::kShfl},
    Row{"SHFL.IDX", Opcode::kShflIdx},
    Row{"MATCH", Opcode::kShfl},
    Row{"REDUX", Opcode::kShfl, 80},
    Row{"R2UR", Opcode::kIsetp, 75},
    Row{"S2UR", Opcode::kS2r, 75},
    Row{"UIADD3", Opcode::kUiadd3, 75},
    Row{"UIMAD", Opcode::kUiadd3, 75},
    Row{"UIMNMX", Opcode::kUiadd3, 75},
    Row{"ULOP", Opcode::kUlop3, 75},
    Row{"ULOP3", Opcode::kUlop3, 75},
    Row{"UPLOP3", Opcode::kUlop3, 75},
    Row{"UMOV", Opcode::kUmov, 75},
    Row{"UP2UR", Opcode::kUmov, 75},
    Row{"UR2UP", Opcode::kUmov, 75},
    Row{"VOTEU", Opcode::kUmov, 75},
    Row{"UPRMT", Opcode::kUlop3, 75},
    Row{"USHF", Opcode::kUshf, 75},
    Row{"USHL", Opcode::kUshf, 75},
    Row{"USHR", Opcode::kUshf, 75},
    Row{"UBMSK", Opcode::kUshf, 75},
    Row{"USGXT", Opcode::kUshf, 75},
    Row{"UBREV", Opcode::kUshf, 75},
    Row{"UFLO", Opcode::kUshf, 75},
    Row{"UPOPC", Opcode::kUshf, 75},
    Row{"ULDC", Opcode::kUldc, 75},
    Row{"UISETP", Opcode::kUisetp, 75},
    Row{"USEL", Opcode::kUsel, 75},
    Row{"ULEA", Opcode::kUlea, 75},
    Row{"ELECT", Opcode::kUmov, 90},
    Row{"SYNCS.CCTL", Opcode::kNop, 90},
    Row{"SYNCS.EXCH.64", Opcode::kSyncsExch, 90},
    Row{"SYNCS.ARRIVE.TRANS64", Opcode::kSyncsArriveBytes, 90},
    Row{"SYNCS.ARRIVE.TRANS64.A1T0", Opcode::kSyncsArrive, 90},
    Row{"SYNCS.ARRIVE.TRANS64.RED.A1T0", Opcode::kSyncsArriveRemote, 90},
    Row{"SYNCS.PHASECHK.TRANS64", Opcode::kSyncsTryWait, 90},
    Row{"ARRIVES.LDGSTSBAR.64", Opcode::kArrivesLdgstsbar, 90},
    Row{"UTMACMDFLUSH", Opcode::kUtmacmdflush, 90},
    Row{"UTMACCTL", Opcode::kNop, 90},
    Row{"UTMAPF", Opcode::kUblkpf, 90},
    Row{"FENCE.VIEW.ASYNC", Opcode::kFenceViewAsync, 90},
    Row{"WARPGROUP.ARRIVE", Opcode::kWarpgroupArrive, 90},
    Row{"WARPGROUP.DEPBAR", Opcode::kWarpgroupDepbar, 90},
    Row{"USETMAXREG", Opcode::kUsetmaxreg, 90},
    Row{"UCGABAR_ARV", Opcode::kClusterArrive, 90},
    Row{"UCGABAR_WAIT", Opcode::kClusterWait, 90},
    Row{"CGAERRBAR", Opcode::kNop, 90},
    Row{"ACQBULK", Opcode::kNop, 90},
    Row{"PREEXIT", Opcode::kNop, 90},
    Row{"BAR", Opcode::kBarSync},
    Row{"BAR.ARV", Opcode::kBarArrive},
    Row{"LDGDEPBAR", Opcode::kLdgdepbar, 80},
    Row{"DEPBAR", Opcode::kDepbar},
    Row{"BRA", Opcode::kBra},
    Row{"BRX", Opcode::kBra},
    Row{"BRXU", Opcode::kBra, 80},
    Row{"JMP", Opcode::kBra},
    Row{"JMX", Opcode::kBra},
    Row{"JMXU", Opcode::kBra, 80},
    Row{"CALL", Opcode::kBra},
    Row{"RET", Opcode::kBra},
    Row{"EXIT", Opcode::kExit},
    Row{"KILL", Opcode::kNop},
    Row{"NOP", Opcode::kNop},
    Row{"BSSY", Opcode::kNop},
    Row{"BSYNC", Opcode::kNop},
    Row{"BREAK", Opcode::kNop},
    Row{"BMOV", Opcode::kNop},
    Row{"RPCMOV", Opcode::kNop},
    Row{"WARPSYNC", Opcode::kNop},
    Row{"YIELD", Opcode::kNop},
    Row{"NANOSLEEP", Opcode::kNop},
    Row{"PMTRIG", Opcode::kNop},
    Row{"MEMBAR", Opcode::kMembar},
    // Within a CTA all accesses go through one L1 in order.
    Row{"MEMBAR.SC.CTA", Opcode::kNop},
    Row{"MEMBAR.ALL.CTA", Opcode::kNop},
    Row{"ERRBAR", Opcode::kNop, 80},
    Row{"CCTL", Opcode::kNop},
    Row{"CCTLL", Opcode::kNop},
};

enum class Space : std::uint8_t { kGlobal, kShared, kGeneric };

/// Memory operations except atomics, by their first part.
struct MemoryRow {
  std::string_view mnemonic;
  Space space;
  std::array<Opcode, 4> opcodes;  ///< for up to 2, for 4, 8 and 16 bytes per lane
  int first = kAll;
};
constexpr std::array kLoads{Opcode::kLdg16, Opcode::kLdg32, Opcode::kLdg64, Opcode::kLdg128};
constexpr std::array kStores{Opcode::kStg16, Opcode::kStg32, Opcode::kStg64, Opcode::kStg128};
constexpr std::array kSharedLoads{Opcode::kLds16, Opcode::kLds32, Opcode::kLds64, Opcode::kLds128};
constexpr std::array kSharedStores{Opcode::kSts16, Opcode::kSts32, Opcode::kSts64, Opcode::kSts128};
constexpr std::array kConstantLoads{Opcode::kLdc32, Opcode::kLdc32, Opcode::kLdc64, Opcode::kLdc64};
constexpr std::array kCopies{Opcode::kLdgsts32, Opcode::kLdgsts32, Opcode::kLdgsts64,
                             Opcode::kLdgsts128};
constexpr std::array kLineCopies{Opcode::kLdgstsLine32, Opcode::kLdgstsLine32,
                                 Opcode::kLdgstsLine64, Opcode::kLdgstsLine128};
constexpr std::array kMemoryRows{
    MemoryRow{"LDG", Space::kGlobal, kLoads},
    MemoryRow{"LDL", Space::kGlobal, kLoads},
    MemoryRow{"LD", Space::kGeneric, kLoads},
    MemoryRow{"STG", Space::kGlobal, kStores},
    MemoryRow{"STL", Space::kGlobal, kStores},
    MemoryRow{"ST", Space::kGeneric, kStores},
    MemoryRow{"LDS", Space::kShared, kSharedLoads},
    MemoryRow{"LDC", Space::kShared, kConstantLoads},
    MemoryRow{"STS", Space::kShared, kSharedStores},
    MemoryRow{"LDGSTS", Space::kGlobal, kCopies, 80},
};

/// Atomics by their first part: the operations of the models by what follows. Others are treated
/// like an addition of the same width.
struct AtomicRow {
  std::string_view mnemonic;
  isa::Effect effect;
  bool is_generic = false;
};
constexpr std::array kAtomicRows{AtomicRow{"ATOM", isa::Effect::kAtomicGlobal, true},
                                 AtomicRow{"ATOMG", isa::Effect::kAtomicGlobal},
                                 AtomicRow{"RED", isa::Effect::kReduceGlobal, true},
                                 AtomicRow{"ATOMS", isa::Effect::kAtomicShared}};

Parts split(std::string_view mnemonic) {
  Parts parts;
  while (true) {
    const std::size_t dot = mnemonic.find('.');
    parts.push_back(mnemonic.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    mnemonic.remove_prefix(dot + 1);
  }
}

bool starts_with(std::string_view mnemonic, std::string_view front) {
  return mnemonic.starts_with(front) &&
         (mnemonic.size() == front.size() || mnemonic[front.size()] == '.');
}

/// The bits that a part such as 64, U8 or F64 names, or 0.
int bits_of(std::string_view part) {
  if (part.starts_with('U') || part.starts_with('S') || part.starts_with('F'))
    part.remove_prefix(1);
  int bits = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), bits);
  const bool is_number = error == std::errc{} && end == part.data() + part.size();
  return is_number ? bits : 0;
}

int bytes_per_lane(const Parts& parts) {
  constexpr int kDefault = 4;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const int bits = bits_of(parts[i]);
    for (const int bytes : {1, 2, 4, 8, 16})
      if (bits == 8 * bytes) return bytes;
  }
  return kDefault;
}

bool has_part(const Parts& parts, std::string_view part) {
  return std::ranges::find(parts, part) != parts.end();
}

isa::AtomicOperation atomic_operation(const Parts& parts) {
  using isa::AtomicOperation;
  if (has_part(parts, "MIN")) return AtomicOperation::kMin;
  if (has_part(parts, "MAX")) return AtomicOperation::kMax;
  if (has_part(parts, "EXCH")) return AtomicOperation::kExchange;
  if (has_part(parts, "CAS") || has_part(parts, "CAST")) return AtomicOperation::kCompareSwap;
  return AtomicOperation::kAdd;
}

isa::AtomicType atomic_type(const Parts& parts, int bytes) {
  if (bytes == 8) return isa::AtomicType::kU64;
  if (has_part(parts, "F16x2") || has_part(parts, "BF16x2")) return isa::AtomicType::kF16x2;
  if (has_part(parts, "F32")) return isa::AtomicType::kF32;
  return has_part(parts, "S32") ? isa::AtomicType::kS32 : isa::AtomicType::kU32;
}

/// The atomic with `effect` that is closest to one of `bytes`: of the same operation and type, then
/// of the same type, then any of the same width, which is 4 or 8.
Opcode closest_atomic(isa::Effect effect, int bytes, isa::AtomicOperation operation,
                      isa::AtomicType type) {
  std::optional<Opcode> best;
  int best_score = -1;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const isa::OpcodeInfo& info = isa::opcode_info(static_cast<Opcode>(i));
    if (info.effect != effect || info.bytes_per_lane != bytes) continue;
    const int score =
        2 * static_cast<int>(info.atomic_type == type) + static_cast<int>(info.atomic == operation);
    if (score > best_score) best = static_cast<Opcode>(i);
    best_score = std::max(best_score, score);
  }
  return *best;
}

std::optional<SassOpcode> parse_atomic(std::string_view mnemonic) {
  const Parts parts = split(mnemonic);
  const auto* const row = std::ranges::find(kAtomicRows, parts.front(), &AtomicRow::mnemonic);
  if (row == kAtomicRows.end()) return std::nullopt;
  const int bytes = bytes_per_lane(parts) == 8 ? 8 : 4;
  return SassOpcode{.opcode = closest_atomic(row->effect, bytes, atomic_operation(parts),
                                             atomic_type(parts, bytes)),
                    .bytes_per_lane = bytes,
                    .is_generic = row->is_generic};
}

/// The place of `bytes` per lane in MemoryRow::opcodes.
std::size_t width_index(int bytes) {
  if (bytes <= 2) return 0;
  if (bytes == 4) return 1;
  return bytes == 8 ? 2 : 3;
}

std::optional<SassOpcode> parse_memory(std::string_view mnemonic, int sm_version) {
  const Parts parts = split(mnemonic);
  const auto* const row = std::ranges::find(kMemoryRows, parts.front(), &MemoryRow::mnemonic);
  if (row == kMemoryRows.end() || sm_version < row->first) return std::nullopt;
  SassOpcode found;
  found.bytes_per_lane = bytes_per_lane(parts);
  const std::size_t width = width_index(found.bytes_per_lane);
  const bool copies_line = row->opcodes == kCopies && has_part(parts, "LTC128B");
  found.opcode = copies_line ? kLineCopies[width] : row->opcodes[width];
  const bool past_l1 =
      has_part(parts, "STRONG") && (has_part(parts, "GPU") || has_part(parts, "SYS"));
  if (past_l1 && found.opcode == Opcode::kLdg32) found.opcode = Opcode::kLdgStrong32;
  found.is_generic = row->space == Space::kGeneric;
  found.is_constant = row->mnemonic == "LDC";
  return found;
}

/// Whether the operands of an IMMA are signed makes no difference in time.
std::string without_signs(std::string_view mnemonic) {
  std::string text(mnemonic);
  for (const std::string_view type : {".U8", ".U4"}) {
    for (std::size_t at = text.find(type); at != std::string::npos; at = text.find(type))
      text[at + 1] = 'S';
  }
  return text;
}

/// First and last instruction set with MMA `opcode`, by its shape (microarchitecture.md 4.6).
bool has_mma(Opcode opcode, int sm_version) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (opcode <= Opcode::kHmma884F16Step1) return sm_version == 70;
  if (opcode == Opcode::kHmma1688F32 || opcode == Opcode::kHmma1688F16) return sm_version >= 75;
  if (info.m == 8 && info.mma_input != isa::MmaInput::kFp64) return sm_version >= 75;
  if (info.m == 16 && info.mma_input == isa::MmaInput::kFp64) return sm_version >= 90;
  return sm_version >= 80;
}

bool is_hopper(isa::Effect effect) {
  return isa::copies_tile(effect) || effect == isa::Effect::kGroupMma;
}

/// MMAs, LDSM and STSM, copies of TMA and warpgroup products: the longest mnemonic of the models
/// with which `mnemonic` starts.
std::optional<SassOpcode> parse_exact(std::string_view mnemonic, int sm_version) {
  const std::string name = without_signs(mnemonic);
  std::optional<Opcode> best;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const isa::OpcodeInfo& info = isa::opcode_info(opcode);
    if (!isa::is_mma(opcode) && !isa::moves_matrices(info.effect) && !is_hopper(info.effect))
      continue;
    if (!starts_with(name, info.mnemonic)) continue;
    if (!best || isa::opcode_info(*best).mnemonic.size() < info.mnemonic.size()) best = opcode;
  }
  if (!best) return std::nullopt;
  const isa::OpcodeInfo& info = isa::opcode_info(*best);
  const bool since_hopper = info.effect == isa::Effect::kStoreMatrix || is_hopper(info.effect);
  const int first_version = since_hopper ? 90 : 75;
  if (isa::is_mma(*best) ? !has_mma(*best, sm_version) : sm_version < first_version)
    return std::nullopt;
  return SassOpcode{
      .opcode = *best, .bytes_per_lane = info.bytes_per_lane, .matrices = isa::matrices_of(info)};
}

}  // namespace

std::span<const int> known_sm_versions() { return kVersions; }

std::optional<SassOpcode> parse_sass(std::string_view mnemonic, int sm_version) {
  if (starts_with(mnemonic, "REPLAY_START") || starts_with(mnemonic, "REPLAY_END"))
    return SassOpcode{.is_marker = true};
  // Arrivals at an mbarrier that registers count, or without an arrival. The format does not state
  // what UBLKCP.S.S accesses.
  constexpr std::array kMissing{"ARRIVES.LDGSTSBAR.64.TRANSCNT", "SYNCS.ARRIVE.TRANS64.ART0",
                                "SYNCS.ARRIVE.TRANS64.A0T1",     "SYNCS.ARRIVE.TRANS64.A0TR",
                                "SYNCS.ARRIVE.TRANS64.A0TX",     "UBLKCP.S.S"};
  if (std::ranges::any_of(kMissing, [&](auto front) { return starts_with(mnemonic, front); }))
    return std::nullopt;
  if (auto atomic = parse_atomic(mnemonic)) return atomic;
  if (auto memory = parse_memory(mnemonic, sm_version)) return memory;
  if (auto exact = parse_exact(mnemonic, sm_version)) return exact;
  const Row* best = nullptr;
  for (const Row& row : kRows) {
    if (!starts_with(mnemonic, row.mnemonic)) continue;
    if (best == nullptr || best->mnemonic.size() < row.mnemonic.size()) best = &row;
  }
  if (best == nullptr || sm_version < best->first) return std::nullopt;
  const bool on_mbarrier = mnemonic.starts_with("SYNCS") || mnemonic.starts_with("ARRIVES");
  return SassOpcode{.opcode = best->opcode, .bytes_per_lane = on_mbarrier ? isa::kBarrierBytes : 0};
}

isa::Opcode in_shared_memory(isa::Opcode global) {
  const isa::OpcodeInfo& info = isa::opcode_info(global);
  if (info.atomic != isa::AtomicOperation::kNone)
    return closest_atomic(isa::Effect::kAtomicShared, info.bytes_per_lane, info.atomic,
                          info.atomic_type);
  const auto& opcodes = info.effect == isa::Effect::kLoadGlobal ? kSharedLoads : kSharedStores;
  return opcodes[width_index(info.bytes_per_lane)];
}

}  // namespace tcsim::traceg
