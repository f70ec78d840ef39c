// Rules between keys: each message names both keys and both values.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/config/machine_checks.hpp"
#include "tests/config/machine_text.hpp"

namespace tcsim::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

struct Inconsistency {
  const char* name;
  const char* setting;
  const char* message;
};

void PrintTo(const Inconsistency& value, std::ostream* stream) { *stream << value.name; }

class Inconsistent : public testing::TestWithParam<Inconsistency> {};

/// The setting is the only change to a sound A100, so the check is what refuses it, and names it
/// where it reports a key of the file.
TEST_P(Inconsistent, SettingIsRefused) {
  const auto messages = mistakes_of(plain_a100(), {GetParam().setting});
  std::string expected = with_lines(GetParam().message, plain_a100());
  if (expected.starts_with("m.yaml")) expected += " (with --set #1)";
  EXPECT_THAT(messages, Contains(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Chip, Inconsistent,
    testing::Values(
        Inconsistency{"GpcsAddUp", "gpu.sms_per_gpc=[16,16]",
                      "m.yaml:{sms: 108}:8: gpu.sms: 108, but gpu.sms_per_gpc adds up to 32"},
        Inconsistency{
            "WholeTpcs", "gpu.sms_per_tpc=5",
            "m.yaml:{sms: 108}:8: gpu.sms: 108 is not a multiple of gpu.sms_per_tpc, which is 5"},
        Inconsistency{
            "WholeTpcsInAGpc", "gpu.sms_per_gpc=[53,55]",
            "--set #1: gpu.sms_per_gpc: 53 is not a multiple of gpu.sms_per_tpc, which is 2"},
        Inconsistency{"MeasuredNameOnce", "descriptive.measured_as=[A100, A30, A100]",
                      "--set #1: descriptive.measured_as: 'A100' is given twice"},
        Inconsistency{"MeasuredNameFirst", "descriptive.measured_as=[clocks.sm_mhz=1380 A30]",
                      "--set #1: descriptive.measured_as: 'clocks.sm_mhz=1380 A30' does not begin "
                      "with the name of a board"},
        Inconsistency{"MeasuredNameAndAKey", "descriptive.measured_as=[A30 clocks.sm_mz=1380]",
                      "--set #1: descriptive.measured_as: 'A30 clocks.sm_mz=1380': unknown key "
                      "'clocks.sm_mz'; did you mean \"clocks.sm_mhz\"?"},
        Inconsistency{"MeasuredNameAndAValue", "descriptive.measured_as=[A30 clocks.sm_mhz]",
                      "--set #1: descriptive.measured_as: 'A30 clocks.sm_mhz': 'clocks.sm_mhz' is "
                      "not key.path=value"},
        Inconsistency{"MeasuredNameAndAWord", "descriptive.measured_as=[A30 clocks.sm_mhz=abc]",
                      "--set #1: descriptive.measured_as: 'A30 clocks.sm_mhz=abc': clocks.sm_mhz: "
                      "expected an integer, got 'abc'"},
        Inconsistency{"MeasuredNameAndANumber", "descriptive.measured_as=[A30 clocks.sm_mhz=0]",
                      "--set #1: descriptive.measured_as: 'A30 clocks.sm_mhz=0': clocks.sm_mhz: 0 "
                      "is out of range; allowed are 1 to 10000"},
        Inconsistency{"MeasuredNameAndAChoice",
                      "descriptive.measured_as=[A30 features.async_copy=perhaps]",
                      "--set #1: descriptive.measured_as: 'A30 features.async_copy=perhaps': "
                      "features.async_copy: 'perhaps' is not one of present, absent"},
        Inconsistency{"NameIsEmpty", "name=\"\"", "--set #1: name: is empty"},
        Inconsistency{"NameOfTwoLines", "name=\"a\\nb\"",
                      "--set #1: name: has a control character"},
        Inconsistency{"MeasuredNamesAreAList", "descriptive.measured_as=A100",
                      "--set #1: descriptive.measured_as: expected a list of texts, got 'A100'"},
        Inconsistency{"MeasuredNamesAreTexts", "descriptive.measured_as=[[A100]]",
                      "--set #1: descriptive.measured_as: expected text, got [A100]"},
        Inconsistency{"RatesDivideByTheSlowdown", "sm.tensor.fp32_sum_slowdown=3",
                      "m.yaml:{tf32_macs}:16: sm.tensor.tf32_macs: 128 is not a multiple of "
                      "sm.tensor.fp32_sum_slowdown, which is 3"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Sm, Inconsistent,
    testing::Values(
        Inconsistency{"L1LatencyHoldsTheAddressUnit", "sm.l1.hit_latency_cycles=1",
                      "--set #1: sm.l1.hit_latency_cycles: 1 is less than twice "
                      "sm.memory_queue.address_interval_cycles, which is 4"},
        Inconsistency{"L1LatencyHoldsTheReturn", "sm.memory_queue.load_return_bytes_per_cycle=4",
                      "m.yaml:{ hit_latency_cycles: 33}:25: sm.l1.hit_latency_cycles: 33 is less "
                      "than twice the 32 cycles of a register through "
                      "sm.memory_queue.load_return_bytes_per_cycle, which is 4"},
        Inconsistency{"SharedLatencyHoldsItsParts", "sm.shared_memory.load_latency_cycles=5",
                      "--set #1: sm.shared_memory.load_latency_cycles: 5 is less than "
                      "sm.memory_queue.address_interval_cycles, which is 4, and the 2 cycles of a "
                      "register through sm.memory_queue.load_return_bytes_per_cycle, which is 64"},
        Inconsistency{"ConstantLatencyHoldsItsParts", "sm.constant_cache.load_latency_cycles=5",
                      "--set #1: sm.constant_cache.load_latency_cycles: 5 is less than "
                      "sm.memory_queue.address_interval_cycles, which is 4, and the 2 cycles of a "
                      "register through sm.memory_queue.load_return_bytes_per_cycle, which is 64"},
        Inconsistency{"SharedBanks", "sm.shared_memory.banks=24",
                      "--set #1: sm.shared_memory.banks: 24 is not a power of two"},
        Inconsistency{"BankWidth", "sm.shared_memory.bank_width_bytes=3",
                      "--set #1: sm.shared_memory.bank_width_bytes: 3 is not a power of two"},
        Inconsistency{"WaysForBothPartitions", "l2.ways=1",
                      "--set #1: l2.ways: 1, but l2.partitions is 2: a set holds lines of both "
                      "sides"},
        Inconsistency{"TensorBoostNearTheClock", "clocks.tensor_boost_mhz=1",
                      "--set #1: clocks.tensor_boost_mhz: 1 is less than three quarters of "
                      "clocks.sm_mhz, which is 1410"},
        Inconsistency{"RegistersPerSubCore", "sm.residency.registers=65534",
                      "--set #1: sm.residency.registers: 65534 is not a multiple of sm.sub_cores, "
                      "which is 4"},
        Inconsistency{
            "RegisterUnits", "sm.residency.registers=65540",
            "--set #1: sm.residency.registers: 65540 over sm.sub_cores = 4 is not a multiple of "
            "sm.residency.register_allocation_unit, which is 256"},
        Inconsistency{
            "RegistersHoldAWarp", "sm.residency.registers=16384",
            "--set #1: sm.residency.registers: 16384 over sm.sub_cores = 4 cannot hold a warp of "
            "sm.residency.max_registers_per_thread, which is 255"},
        Inconsistency{
            "WarpsPerSubCore", "sm.residency.max_warps=63",
            "--set #1: sm.residency.max_warps: 63 is not a multiple of sm.sub_cores, which is 4"},
        Inconsistency{"CtaFits", "sm.residency.max_threads_per_cta=4096",
                      "--set #1: sm.residency.max_threads_per_cta: 4096 threads do not fit "
                      "sm.residency.max_warps, which is 64 warps of 32"},
        Inconsistency{"WholeWarps", "sm.residency.max_threads_per_cta=1000",
                      "--set #1: sm.residency.max_threads_per_cta: 1000 is not a multiple of 32"},
        Inconsistency{
            "Lanes", "sm.pipes.fp32_lanes=48",
            "--set #1: sm.pipes.fp32_lanes: 48 does not divide 32 x sm.sub_cores, which is 128"},
        Inconsistency{
            "SubCoresAndLanes", "sm.sub_cores=3",
            "m.yaml:{fp32_lanes}:17: sm.pipes.fp32_lanes: 64 does not divide 32 x sm.sub_cores, "
            "which is 96"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Tensor, Inconsistent,
    testing::Values(
        Inconsistency{"ProductsThatDoNotFillAPass", "sm.tensor.products.tf32=0.3",
                      "--set #1: sm.tensor.products.tf32: 0.3 times k = 8 of sm.tensor.core, "
                      "8x4x8, is neither a whole number of products nor one that divides n and m"},
        Inconsistency{"ACoreThatNoFormatDivides", "sm.tensor.core=8x3x4",
                      "m.yaml:{fp64: 0.0625}:13: sm.tensor.products.fp64: 0.0625 times k = 4 of "
                      "sm.tensor.core, 8x3x4, is neither a whole number of products nor one that "
                      "divides n and m"},
        Inconsistency{"AGivenRateWithoutProducts", "sm.tensor.fp8_macs=512",
                      "m.yaml:{fp8: 0}:12: sm.tensor.products.fp8: 0, but sm.tensor.fp8_macs is "
                      "512"},
        Inconsistency{"ASystolicArrayWithoutAFillTime", "sm.tensor.organisation=weight_stationary",
                      "m.yaml:{fill_cycles: 0}:18: sm.tensor.fill_cycles: 0, but "
                      "sm.tensor.organisation is weight_stationary, a systolic array"},
        Inconsistency{"APassTooLarge", "sm.tensor.core=64x64x32",
                      "m.yaml:{fp16: 1}:13: sm.tensor.products.fp16: 131072 multiply-adds of a "
                      "pass through sm.tensor.core, 64x64x32; at most 65536"},
        Inconsistency{"CoresWithoutRates", "sm.tensor.fp16_macs=0",
                      "m.yaml:{cores_per_sub_core}:25: sm.tensor.cores_per_sub_core: 1, but "
                      "sm.tensor.fp16_macs is 0"},
        Inconsistency{
            "InstructionsWithoutARate", "sm.tensor.tf32_macs=0",
            "m.yaml:{instructions:}:5: sm.tensor.instructions: HMMA.1684.F32.TF32 is listed, but "
            "sm.tensor.tf32_macs is 0"},
        Inconsistency{"InstructionsWithoutProducts", "sm.tensor.products.fp64=0",
                      "m.yaml:{instructions:}:5: sm.tensor.instructions: DMMA.884 is listed, but "
                      "sm.tensor.products.fp64 is 0"},
        Inconsistency{
            "InstructionsOfALaterArchitecture", "architecture=turing",
            "m.yaml:{instructions:}:5: sm.tensor.instructions: HMMA.1688.F32.BF16 is listed, but "
            "architecture is turing: turing mma has no bf16 with fp32 accumulation; it starts with "
            "ampere"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Caches, Inconsistent,
    testing::Values(
        Inconsistency{
            "CarveoutsAscend", "sm.shared_memory.carveouts_bytes=[0, 16 KiB, 8 KiB, 164 KiB]",
            "--set #1: sm.shared_memory.carveouts_bytes: must ascend, but 8192 follows 16384"},
        Inconsistency{"LargestCarveout", "sm.shared_memory.max_bytes=200 KiB",
                      "--set #1: sm.shared_memory.max_bytes: 204800, but the largest of "
                      "sm.shared_memory.carveouts_bytes is 167936"},
        Inconsistency{"CtaShare", "sm.shared_memory.max_bytes_per_cta=164 KiB",
                      "--set #1: sm.shared_memory.max_bytes_per_cta: 167936 plus "
                      "sm.shared_memory.reserved_bytes_per_cta = 1024 is more than "
                      "sm.shared_memory.max_bytes, "
                      "which is 167936"},
        Inconsistency{"CarveoutsFitL1", "sm.l1.bytes=128 KiB",
                      "--set #1: sm.l1.bytes: 131072 is less than 135168 of "
                      "sm.shared_memory.carveouts_bytes"},
        Inconsistency{
            "WholeL1Sets", "sm.l1.ways=64",
            "m.yaml:{bytes: 192 KiB}:12: sm.l1.bytes: 196608 less the carve-out 102400 of "
            "sm.shared_memory.carveouts_bytes is "
            "not a multiple of sm.l1.line_bytes x sm.l1.ways, which is 8192"},
        Inconsistency{
            "L1Sectors", "sm.l1.sector_bytes=48",
            "m.yaml:{line_bytes: 128\n    sector}:17: sm.l1.line_bytes: 128 is not a multiple of "
            "sm.l1.sector_bytes, which is 48"},
        Inconsistency{"L2Sectors", "l2.sector_bytes=48",
                      "m.yaml:{line_bytes: 128\n  sector}:15: l2.line_bytes: 128 is not a multiple "
                      "of l2.sector_bytes, which is 48"},
        Inconsistency{"EqualSectors", "l2.sector_bytes=64",
                      "--set #1: l2.sector_bytes: 64 differs from sm.l1.sector_bytes, which is 32; "
                      "misses move whole sectors"},
        Inconsistency{
            "Interleave", "l2.interleave_bytes=192",
            "--set #1: l2.interleave_bytes: 192 is not a multiple of l2.line_bytes, which is 128"},
        Inconsistency{"PolynomialOf80", "l2.slice_hash=polynomial",
                      "--set #1: l2.slice_hash: polynomial needs a power of two of l2.slices, "
                      "which is 80"},
        Inconsistency{"SlicesPerPartition", "l2.slices=5",
                      "--set #1: l2.slices: 5 is not a multiple of l2.partitions, which is 2"},
        Inconsistency{
            "WholeL2Sets", "l2.ways=24",
            "m.yaml:{bytes: 40 MiB}:10: l2.bytes: 41943040 is not a multiple of l2.slices x "
            "l2.line_bytes x l2.ways, which is "
            "245760"},
        Inconsistency{
            "Crossing", "l2.crossing_bytes_per_cycle=0",
            "--set #1: l2.crossing_bytes_per_cycle: 0 bytes can cross, but l2.partitions is 2"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Dram, Inconsistent,
    testing::Values(
        Inconsistency{
            "ChannelsAndSlices", "dram.channels=48",
            "--set #1: dram.channels: 48 and l2.slices, which is 80, do not divide each other"},
        Inconsistency{"ChannelsPerPartition", "dram.channels=5",
                      "--set #1: dram.channels: 5 is not a multiple of l2.partitions, which is 2"},
        Inconsistency{"BurstAndSector", "dram.burst_length_beats=8",
                      "--set #1: dram.burst_length_beats: 8 beats of dram.channel_width_bits = 64 "
                      "are 64 bytes, "
                      "which do not divide l2.sector_bytes, which is 32"},
        Inconsistency{
            "RowAndSector", "dram.row_bytes=80",
            "--set #1: dram.row_bytes: 80 is not a multiple of l2.sector_bytes, which is 32"},
        Inconsistency{"ColumnsAndBurst", "dram.t_ccd_s_clocks=1",
                      "--set #1: dram.t_ccd_s_clocks: 1 is less than the 2 clocks of "
                      "dram.burst_length_beats, which is 4"},
        Inconsistency{
            "RowIsOpenLongEnoughForAWrite", "dram.t_rcd_write_ns=40",
            "--set #1: dram.t_rcd_write_ns: 40 is more than dram.t_ras_ns, which is 33.3"},
        Inconsistency{"RowIsOpenLongEnough", "dram.t_rcd_read_ns=40",
                      "--set #1: dram.t_rcd_read_ns: 40 is more than dram.t_ras_ns, which is 33.3"},
        Inconsistency{"ActivateWindow", "dram.t_rrd_ns=30",
                      "--set #1: dram.t_rrd_ns: 30 is more than dram.t_faw_ns, which is 15"},
        Inconsistency{"WriteToRead", "dram.t_wtr_s_ns=9",
                      "--set #1: dram.t_wtr_s_ns: 9 is more than dram.t_wtr_l_ns, which is 8.3"},
        Inconsistency{"WholeBytes", "dram.channel_width_bits=60",
                      "--set #1: dram.channel_width_bits: 60 is not a multiple of 8"},
        Inconsistency{"WholeClocks", "dram.burst_length_beats=5",
                      "--set #1: dram.burst_length_beats: 5 is not a multiple of 2"},
        Inconsistency{"StackIds", "dram.stack_ids=3",
                      "--set #1: dram.stack_ids: 3 is not a power of two"},
        Inconsistency{"BankGroups", "dram.bank_groups=3",
                      "--set #1: dram.bank_groups: 3 is not a power of two"},
        Inconsistency{"BanksPerGroup", "dram.banks_per_group=6",
                      "--set #1: dram.banks_per_group: 6 is not a power of two"},
        Inconsistency{"Rows", "dram.row_bytes=96",
                      "--set #1: dram.row_bytes: 96 is not a power of two"},
        Inconsistency{"GroupsOfEachStackId", "dram.stack_ids=16",
                      "--set #1: dram.stack_ids: 16 is more than dram.bank_groups, which is 8"},
        Inconsistency{"Banks", "dram.banks_per_group=16",
                      "m.yaml:{bank_groups: 8}:16: dram.bank_groups: 8 of dram.banks_per_group = "
                      "16 are 128 banks; at most 64"},
        Inconsistency{"ColumnsOfAGroup", "dram.t_ccd_l_clocks=1",
                      "m.yaml:{t_ccd_s_clocks}:19: dram.t_ccd_s_clocks: 2 is more than "
                      "dram.t_ccd_l_clocks, which is 1"},
        Inconsistency{"ColumnsOfAnotherStackId", "dram.t_ccd_r_clocks=1",
                      "--set #1: dram.t_ccd_r_clocks: 1 is less than dram.t_ccd_s_clocks, which is "
                      "2, but dram.stack_ids is 2"},
        Inconsistency{"WriteWatermarks", "dram.write_low_watermark_percent=80",
                      "--set #1: dram.write_low_watermark_percent: 80 is more than "
                      "dram.write_high_watermark_percent, which is 50"},
        Inconsistency{"Refresh", "dram.t_rfc_ns=3900",
                      "m.yaml:{t_refi_ns}:14: dram.t_refi_ns: 3900 is 4738 clocks of "
                      "clocks.memory_mhz, which is 1215; must be more than twice the 4798 of "
                      "dram.t_rfc_ns + dram.t_rp_ns + dram.t_ras_ns, which are 3900, 14.2 and "
                      "33.3"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MachineChecks, HoldForEveryKeyTheyName) {
  for (const MachineCheck& check : machine_checks()) EXPECT_FALSE(check.keys.empty());
}

TEST(MachineChecks, WaitForKeysThatWereNotRead) {
  EXPECT_THAT(mistakes_of(edited(plain_a100(), {{"sms: 108", "sms: 1O8"}})),
              ElementsAre(with_lines("m.yaml:{sms: 108}:8: gpu.sms: expected an integer, got '1O8'",
                                     plain_a100())));
}

TEST(MachineChecks, NameTheProductsThatDoNotFitAndNotTheirInstructionsToo) {
  EXPECT_THAT(mistakes_of(plain_a100(), {"sm.tensor.core=5x3x8"}),
              ElementsAre(testing::HasSubstr("sm.tensor.products.fp64: 0.0625 times k = 8")));
}

TEST(MachineChecks, NameEverySettingOfAContradiction) {
  EXPECT_THAT(
      mistakes_of(plain_a100(), {"gpu.sms_per_gpc=[15,15]", "l2.ways=8", "gpu.sms_per_tpc=5"}),
      Contains(
          testing::EndsWith("gpu.sms: 108, but gpu.sms_per_gpc adds up to 30 (with --set #1)")));
  EXPECT_THAT(mistakes_of(plain_a100(), {"dram.t_ras_ns=1000", "dram.t_rfc_ns=3900"}),
              Contains(testing::EndsWith(" (with --set #1, #2)")));
}

TEST(MachineChecks, RefreshesTakeAClockForEachBank) {
  const auto refreshed_each = [](const std::string& ns) {
    return mistakes_of(plain_a100(),
                       {"dram.t_refi_ns=" + ns, "dram.t_rfc_ns=0", "dram.t_rp_ns=0",
                        "dram.t_ras_ns=0", "dram.t_rcd_read_ns=0", "dram.t_rcd_write_ns=0"});
  };
  EXPECT_THAT(refreshed_each("26"),
              ElementsAre("--set #1: dram.t_refi_ns: 26 is 31 clocks of clocks.memory_mhz, which "
                          "is 1215; must be a clock for each of dram.bank_groups x "
                          "dram.banks_per_group = 8 x 4"));
  EXPECT_THAT(refreshed_each("27"), IsEmpty());
}

TEST(MachineChecks, OneStackIdNeedsNoDelayOfOthers) {
  EXPECT_THAT(mistakes_of(plain_a100(), {"dram.stack_ids=1", "dram.t_ccd_r_clocks=1"}), IsEmpty());
}

TEST(MachineChecks, AConsistentPairOfSettingsIsAccepted) {
  EXPECT_THAT(mistakes_of(plain_a100(), {"gpu.sms=32", "gpu.sms_per_gpc=[16,16]"}), IsEmpty());
}

struct TreeOver {
  const char* name;
  const char* replacement;
  const char* places;
};

class TreeOverWays : public testing::TestWithParam<TreeOver> {};

TEST_P(TreeOverWays, NeedsAPowerOfTwo) {
  const std::string tree = fmt::format("{}=tree_plru", GetParam().replacement);
  const auto with = [&](int places) {
    return mistakes_of(plain_a100(), {tree, fmt::format("{}={}", GetParam().places, places)});
  };
  const std::string refusal =
      fmt::format("--set #1: {}: tree_plru needs a power of two of {}, which is 12",
                  GetParam().replacement, GetParam().places);
  EXPECT_THAT(with(12), Contains(refusal));
  EXPECT_THAT(with(8), testing::Not(Contains(testing::HasSubstr("power of two"))));
}

INSTANTIATE_TEST_SUITE_P(
    Caches, TreeOverWays,
    testing::Values(
        TreeOver{"L0", "sm.instruction_fetch.replacement", "sm.instruction_fetch.l0_ways"},
        TreeOver{"InstructionL1", "sm.instruction_fetch.replacement",
                 "sm.instruction_fetch.l1_ways"},
        TreeOver{"ConstantL0", "sm.constant_cache.replacement", "sm.constant_cache.l0_ways"},
        TreeOver{"Ldc", "sm.constant_cache.replacement", "sm.constant_cache.load_ways"},
        TreeOver{"L1", "sm.l1.replacement", "sm.l1.ways"},
        TreeOver{"TpcTlb", "tlb.replacement", "tlb.tpc_entries"},
        TreeOver{"ChipTlb", "tlb.replacement", "tlb.chip_entries"},
        TreeOver{"L2", "l2.replacement", "l2.ways"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MachineChecks, NameThePlaceOfAReplacementInItsFile) {
  const std::string text =
      edited(plain_a100(), {{"tpc_entries: 16", "tpc_entries: 12"},
                            {"  replacement: lru\n\nl2:", "  replacement: tree_plru\n\nl2:"}});
  const auto line = std::count(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("tree_plru")), '\n');
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format("m.yaml:{}:16: tlb.replacement: tree_plru needs a power of "
                                      "two of tlb.tpc_entries, which is 12",
                                      line + 1)));
}

TEST(MachineChecks, TranslationThatCostsNothingNeedsNoTree) {
  EXPECT_THAT(mistakes_of(plain_a100(), {"tlb.replacement=tree_plru", "tlb.tpc_entries=0"}),
              IsEmpty());
}

}  // namespace
}  // namespace tcsim::config
