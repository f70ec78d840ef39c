#include "workloads/traceg/sass_opcode.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tcsim::traceg {
namespace {

using isa::Opcode;

struct Case {
  const char* mnemonic;
  int sm_version;
  Opcode opcode;
  int bytes = 0;
};

class Sass : public ::testing::TestWithParam<Case> {};

TEST_P(Sass, HasItsClass) {
  const auto found = parse_sass(GetParam().mnemonic, GetParam().sm_version);
  ASSERT_TRUE(found) << GetParam().mnemonic;
  EXPECT_EQ(isa::opcode_info(found->opcode).mnemonic, isa::opcode_info(GetParam().opcode).mnemonic);
  EXPECT_EQ(found->bytes_per_lane, GetParam().bytes);
}

// Mnemonics as cuobjdump prints them; widths by kernels.md 7.4.
INSTANTIATE_TEST_SUITE_P(
    Operations, Sass,
    ::testing::Values(
        Case{"IMAD.MOV.U32", 70, Opcode::kImad}, Case{"IMAD.WIDE.U32", 86, Opcode::kImadWide},
        Case{"IADD3.X", 80, Opcode::kIadd3}, Case{"LOP3.LUT", 75, Opcode::kLop3},
        Case{"SHF.R.U32.HI", 90, Opcode::kShf}, Case{"HFMA2.BF16_V2", 80, Opcode::kHfma2Bf16},
        Case{"HFMA2.MMA", 80, Opcode::kHfma2}, Case{"MUFU.SIN", 70, Opcode::kMufuEx2},
        Case{"MUFU.RCP64H", 70, Opcode::kMufuEx2}, Case{"MUFU.RCP", 70, Opcode::kMufuRcp},
        Case{"F2FP.BF16.PACK_AB", 80, Opcode::kF2fpBf16}, Case{"F2F.F64.F32", 70, Opcode::kDadd},
        Case{"HMMA.884.F32.F32.STEP2", 70, Opcode::kHmma884F32Step2},
        Case{"HMMA.1688.F32", 75, Opcode::kHmma1688F32},
        Case{"HMMA.1688.F32.TF32", 80, Opcode::kHmma1688F32Tf32},
        Case{"HMMA.16816.F32.BF16", 86, Opcode::kHmma16816F32Bf16},
        Case{"IMMA.16832.U8.S8.SAT", 80, Opcode::kImma16832S8},
        Case{"LDG.E.128.CONSTANT.SYS", 70, Opcode::kLdg128, 16},
        Case{"LDG.E.U8", 80, Opcode::kLdg16, 1}, Case{"LDG.E.U16.CONSTANT", 80, Opcode::kLdg16, 2},
        Case{"LDG.E", 80, Opcode::kLdg32, 4}, Case{"STG.E.64", 80, Opcode::kStg64, 8},
        Case{"LDS.U.128", 70, Opcode::kLds128, 16}, Case{"STS.64", 90, Opcode::kSts64, 8},
        Case{"LDL.LU", 80, Opcode::kLdg32, 4}, Case{"LDC.64", 80, Opcode::kLdc64, 8},
        Case{"LDGSTS.E.BYPASS.LTC128B.128.CONSTANT", 80, Opcode::kLdgstsLine128, 16},
        Case{"LDGSTS.E.LTC128B", 80, Opcode::kLdgstsLine32, 4},
        Case{"LDGSTS.E.BYPASS.128", 80, Opcode::kLdgsts128, 16},
        Case{"LDSM.16.MT88.4", 75, Opcode::kLdsmTX4, 16},
        Case{"STSM.16.M88.4", 90, Opcode::kStsmX4, 16},
        Case{"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", 80, Opcode::kRedAddF32, 4},
        Case{"RED.E.MAX.S32.STRONG.GPU", 80, Opcode::kRedMaxS32, 4},
        Case{"RED.E.AND.STRONG.GPU", 80, Opcode::kRedAdd, 4},
        Case{"RED.E.ADD.F64.RN.STRONG.GPU", 80, Opcode::kRedAdd64, 8},
        Case{"ATOMG.E.ADD.F16x2.RN.STRONG.GPU", 80, Opcode::kAtomgAddF16x2, 4},
        Case{"ATOMG.E.CAS.STRONG.GPU", 80, Opcode::kAtomgCas, 4},
        Case{"ATOM.E.ADD.64.STRONG.GPU", 70, Opcode::kAtomgAdd64, 8},
        Case{"ATOM.E.EXCH.64.STRONG.GPU", 70, Opcode::kAtomgExch64, 8},
        Case{"ATOMS.POPC.INC.32", 80, Opcode::kAtomsAdd, 4},
        Case{"ATOMS.MIN.S32", 80, Opcode::kAtomsMinS32, 4},
        Case{"ATOMS.CAST.SPIN", 80, Opcode::kAtomsCas, 4},
        Case{"LDG.E.STRONG.GPU", 80, Opcode::kLdgStrong32, 4},
        Case{"LDG.E.64.STRONG.GPU", 80, Opcode::kLdg64, 8},
        Case{"MEMBAR.SC.GPU", 80, Opcode::kMembar}, Case{"MEMBAR.ALL.CTA", 80, Opcode::kNop},
        Case{"MEMBAR.SC.SYS", 70, Opcode::kMembar}, Case{"ERRBAR", 80, Opcode::kNop},
        Case{"BAR.SYNC.DEFER_BLOCKING", 80, Opcode::kBarSync},
        Case{"DEPBAR.LE", 80, Opcode::kDepbar}, Case{"CALL.REL.NOINC", 80, Opcode::kBra},
        Case{"SYNCS.ARRIVE.TRANS64.A1T0", 90, Opcode::kSyncsArrive, 8},
        Case{"SYNCS.ARRIVE.TRANS64.RED", 90, Opcode::kSyncsArriveBytes, 8},
        Case{"SYNCS.ARRIVE.TRANS64.RED.A1T0", 90, Opcode::kSyncsArriveRemote, 8},
        Case{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 90, Opcode::kSyncsTryWait, 8},
        Case{"ARRIVES.LDGSTSBAR.64.ARVCNT", 90, Opcode::kArrivesLdgstsbar, 8},
        Case{"UTMALDG.4D.IM2COL.MULTICAST", 90, Opcode::kUtmaldgIm2colMulticast4d},
        Case{"UTMAREDG.2D.ADD", 90, Opcode::kUtmaredgAdd2d},
        Case{"FENCE.VIEW.ASYNC.S", 90, Opcode::kFenceViewAsync},
        Case{"USETMAXREG.DEALLOC.CTAPOOL", 90, Opcode::kUsetmaxreg},
        Case{"UTMAPF.L2.2D", 90, Opcode::kUblkpf}, Case{"UBLKCP.S.G", 90, Opcode::kUblkcpSG},
        Case{"UCGABAR_WAIT", 90, Opcode::kClusterWait}, Case{"CGAERRBAR", 90, Opcode::kNop},
        Case{"B2R.RESULT", 80, Opcode::kS2r}, Case{"LEPC", 80, Opcode::kMov},
        Case{"GETLMEMBASE", 80, Opcode::kMov}, Case{"QSPC.E.S", 80, Opcode::kIsetp},
        Case{"SYNCS.CCTL.IV", 90, Opcode::kNop, 8}));

struct Missing {
  const char* mnemonic;
  int sm_version;
};
class NoSass : public ::testing::TestWithParam<Missing> {};

TEST_P(NoSass, IsNotFound) { EXPECT_FALSE(parse_sass(GetParam().mnemonic, GetParam().sm_version)); }

INSTANTIATE_TEST_SUITE_P(
    Operations, NoSass,
    ::testing::Values(Missing{"HGMMA.64x256x16.F32", 80}, Missing{"UTMALDG.2D", 80},
                      Missing{"SYNCS.ARRIVE.TRANS64.ART0", 90},
                      Missing{"SYNCS.ARRIVE.TRANS64.A0T1", 90}, Missing{"UBLKCP.S.S", 90},
                      Missing{"ARRIVES.LDGSTSBAR.64.TRANSCNT", 90}, Missing{"TEX.SCR.LL", 80},
                      Missing{"HMMA.16816.F32", 75}, Missing{"HMMA.884.F32.F32.STEP0", 80},
                      Missing{"LDGSTS.E.128", 75}, Missing{"UIADD3", 70}, Missing{"VIADD", 80},
                      Missing{"LDSM.16.M88.4", 70}, Missing{"STSM.16.M88.4", 80},
                      Missing{"FFMAX", 80}, Missing{"", 80}, Missing{"LDG2", 80}));

TEST(SassTable, HasGenericAtomicsInBothMemories) {
  const auto both = [](const char* mnemonic) {
    const SassOpcode found = parse_sass(mnemonic, 80).value();
    EXPECT_TRUE(found.is_generic) << mnemonic;
    return isa::opcode_info(in_shared_memory(found.opcode)).mnemonic;
  };
  EXPECT_EQ(both("ATOM.E.ADD.STRONG.GPU"), "ATOMS.ADD");
  EXPECT_EQ(both("ATOM.E.MIN.S32.STRONG.GPU"), "ATOMS.MIN.S32");
  EXPECT_EQ(both("ATOM.E.CAS.64.STRONG.GPU"), "ATOMS.CAS.64");
  EXPECT_EQ(both("RED.E.MAX.STRONG.GPU"), "ATOMS.MAX");
  EXPECT_EQ(both("LD.E.128"), "LDS.128");
  EXPECT_EQ(both("LD.E.STRONG.GPU"), "LDS");
  EXPECT_EQ(both("ST.E.U8"), "STS.U16");
  EXPECT_FALSE(parse_sass("ATOMG.E.ADD.STRONG.GPU", 80)->is_generic);
}

TEST(SassTable, FindsEveryOperationOfTheModelsByItsOwnName) {
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    const std::string mnemonic(isa::opcode_info(opcode).mnemonic);
    if (opcode == Opcode::kBraSkip) continue;                                    // written as BRA
    if (isa::opcode_info(opcode).effect >= isa::Effect::kInitBarrier) continue;  // not recorded
    if (opcode == Opcode::kUtmacmdflush) continue;
    // Not recorded either; LD and ST of a recording are generic.
    if (isa::addresses_cluster(isa::opcode_info(opcode).effect)) continue;
    bool found = false;
    for (const int version : known_sm_versions()) {
      const auto sass = parse_sass(mnemonic, version);
      if (!sass) continue;
      found = true;
      EXPECT_EQ(isa::opcode_info(sass->opcode).mnemonic, mnemonic) << version;
      EXPECT_EQ(sass->bytes_per_lane, isa::opcode_info(opcode).bytes_per_lane) << mnemonic;
    }
    EXPECT_TRUE(found) << mnemonic;
  }
}

}  // namespace
}  // namespace tcsim::traceg
