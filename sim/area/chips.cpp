#include "sim/area/chips.hpp"

#include <algorithm>
#include <array>

namespace tcsim::area {
namespace {

// Nothing is published on the area of a DRAM interface. assumption: the 6 mm of die edge under the
// bumps of an HBM stack, 1.5 mm deep, and as much again for its controllers, on any process.
constexpr double kHbmStackMm2 = 18;
// assumption: a 16-bit GDDR6 channel with its controller.
constexpr double kGddr6ChannelMm2 = 2;

// Dies, SMs and L2: WP-P100, WP-V100, WP-TU, WP-A100, WP-H100 of docs/machines.md, full chips. DRAM
// channels: 16 to an HBM2 stack, 32 to an HBM3 stack (RAM2), of all stacks that the die has.
constexpr std::array<Chip, 5> kChips{{
    {"GP100", 610, 16, 60, 4, 64, 0, 88, kHbmStackMm2 / 16},
    {"GV100", 815, 12, 84, 6, 32, 8, 128, kHbmStackMm2 / 8},
    {"TU104", 545, 12, 48, 4, 16, 8, 96, kGddr6ChannelMm2},
    {"GA100", 826, 7, 128, 48, 96, 4, 192, kHbmStackMm2 / 16},
    {"GH100", 814, 4, 144, 60, 192, 4, 256, kHbmStackMm2 / 32},
}};

// Logic: assumption: as the transistors per mm2 of whole dies: TU106 10.8e9 on 445 mm2 (12 nm),
// GA100 54.2e9 on 826 mm2, GH100 80e9 on 814 mm2; 16 nm as 12 nm.
// Bit cells: TSMC at IEDM 2013 (16 nm), 2016 (7 nm) and 2019 (5 nm, of which 4N is a variant).
constexpr std::array<Process, 4> kProcesses{{
    {16, 1, 0.074},
    {12, 1, 0.074},
    {7, 24.3 / 65.6, 0.027},
    {4, 24.3 / 98.3, 0.021},
}};

// Shapes: WP-V100, WP-A100, WP-H100 (docs/machines.md); arithmetic: docs/values.md.
CoreDesign volta_core() {
  return {.rows = 4,
          .columns = 4,
          .floats = {{"fp16", 4, 4, 23, 23, -131}},
          .fp16_sums = true,
          .fp16_sum_exponent_floor = -20};
}

CoreDesign ampere_core() {
  return {.rows = 8,
          .columns = 4,
          .floats = {{"fp16", 8, 8, 24, 23, -132},
                     {"bf16", 8, 8, 24, 23, -132},
                     {"tf32", 4, 4, 24, 23, -132}},
          .int8_products = 16,
          .fp16_sums = true,
          .fp16_sum_exponent_floor = -21,
          .left_out = {"int4", "b1", "fp64"}};
}

CoreDesign hopper_core() {
  return {.rows = 8,
          .columns = 4,
          .floats = {{"fp16", 16, 16, 25, 23, -133},
                     {"bf16", 16, 16, 25, 23, -133},
                     {"tf32", 8, 8, 25, 23, -133}},
          .int8_products = 32,
          .fp16_sums = true,
          .fp16_sum_exponent_floor = -21,
          .left_out = {"fp8", "fp64"}};
}

}  // namespace

CoreDesign measured_core() {
  return {.rows = 4,
          .columns = 4,
          .floats = {{"fp16", 4, 4, 24, 23, -132}},
          .int8_products = 8,
          .fp16_sums = true,
          .fp16_sum_exponent_floor = -21,
          .left_out = {"int4", "b1"}};
}

std::optional<CoreDesign> core_of(const Chip& chip) {
  if (chip.name == "GV100") return volta_core();
  if (chip.name == "TU104") return measured_core();
  if (chip.name == "GA100") return ampere_core();
  if (chip.name == "GH100") return hopper_core();
  return {};
}

const Chip* find_chip(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kChips, [name](const Chip& chip) { return chip.name == name; });
  return found == kChips.end() ? nullptr : &*found;
}

const Process* find_process(int nm) {
  const auto* const found =
      std::ranges::find_if(kProcesses, [nm](const Process& process) { return process.nm == nm; });
  return found == kProcesses.end() ? nullptr : &*found;
}

}  // namespace tcsim::area
