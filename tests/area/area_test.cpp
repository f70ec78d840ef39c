#include "sim/area/area.hpp"

#include <gtest/gtest.h>

#include "sim/area/chips.hpp"
#include "sim/area/core_cells.hpp"
#include "sim/config/load.hpp"

namespace tcsim::area {
namespace {

double area_of(const char* machine, const std::vector<std::string>& changes = {}) {
  return area_mm2(config::load_machine(machine, changes)).value();
}

TEST(Area, AFullChipHasItsPublishedArea) {
  EXPECT_NEAR(area_of("v100", {"gpu.sms=84", "gpu.sms_per_gpc=[14,14,14,14,14,14]"}), 815, 1e-6);
  EXPECT_NEAR(area_of("t4", {"gpu.sms=48", "gpu.sms_per_gpc=[8,8,8,8,8,8]"}), 545, 1e-6);
}

TEST(Area, AProductIsSmallerByItsSpares) {
  const config::Machine v100 = config::load_machine("v100");
  EXPECT_NEAR(area_of("v100"), 815 - 4 * sm_mm2(*unit_areas(v100), v100), 1e-6);
  EXPECT_LT(area_of("a100"), 826);
  EXPECT_LT(area_of("h100"), 814);
}

TEST(Area, UnitsAreThoseThatWereMeasuredOnTuring) {
  const config::Machine t4 = config::load_machine("t4");
  EXPECT_NEAR(sm_mm2(*unit_areas(t4), t4), 8.94 / 2 + 1.25 / 2, 1e-9);
}

TEST(Area, EveryChipHasRoomForWhatIsNotCounted) {
  for (const char* machine : {"p100", "v100", "t4", "a100", "h100", "h200"})
    EXPECT_GT(unit_areas(config::load_machine(machine))->rest_mm2, 100) << machine;
}

TEST(Area, ChangedUnitsCount) {
  const double before = area_of("v100");
  const UnitAreas units = *unit_areas(config::load_machine("v100"));
  EXPECT_NEAR(area_of("v100", {"l2.bytes=12 MiB"}) - before, 6 * units.cache_mib_mm2, 1e-6);
  EXPECT_NEAR(area_of("v100", {"sm.tensor.fp16_macs=128"}) - before,
              80.0 * 512 * units.tensor_fma_mm2, 1e-6);
  EXPECT_NEAR(area_of("v100", {"dram.channels=16"}) - before, -16 * units.dram_channel_mm2, 1e-6);
  EXPECT_DOUBLE_EQ(area_of("v100", {"clocks.memory_mhz=1754"}), before);
}

TEST(Area, ChipsHaveTheCoresOfTheirMachines) {
  for (const char* name : {"v100", "t4", "a100", "h100", "h200"}) {
    const config::Machine machine = config::load_machine(name);
    const Chip& chip = *find_chip(machine.chip);
    CoreDesign core = core_design(machine).value();
    core.left_out = core_of(chip)->left_out;
    EXPECT_EQ(core, core_of(chip)) << name;
    EXPECT_EQ(machine.sm.sub_cores * machine.sm.tensor.cores_per_sub_core, chip.tensor_cores_per_sm)
        << name;
  }
}

TEST(Area, MoreCoresTakeAsMuchMoreAsTheyAre) {
  const UnitAreas units = *unit_areas(config::load_machine("a100"));
  const double one = tensor_cores_mm2(units, config::load_machine("a100"));
  EXPECT_NEAR(one, 1024 * units.tensor_fma_mm2, 1e-9);
  EXPECT_NEAR(
      tensor_cores_mm2(units, config::load_machine("a100", {"sm.tensor.cores_per_sub_core=2"})),
      2 * one, 1e-9);
}

TEST(Area, AMachineThatIsNoChipHasNone) {
  EXPECT_FALSE(area_mm2(config::load_machine("lab-tiny")).has_value());
}

}  // namespace
}  // namespace tcsim::area
