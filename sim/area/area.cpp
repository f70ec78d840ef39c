#include "sim/area/area.hpp"

#include "models/sm/tensor_core.hpp"
#include "sim/area/chips.hpp"

namespace tcsim::area {
namespace {

// Measured on die photographs at 12 nm (Qesa, reported by Hardwareluxx and TechPowerUp in 2019): a
// TPC of two SMs of TU116 8.94 mm2; the tensor cores of a TPC of TU106, 1024 multiply-adds, 1.25.
constexpr double kSmAt12Nm = 8.94 / 2;
constexpr double kTensorFmaAt12Nm = 1.25 / 1024;
constexpr double kSmCacheMib = (96.0 + 256.0) / 1024;  // WP-TU: L1 with shared memory, registers

// AMD at ISSCC 2022: 64 MiB of cache with tags on a die of 41 mm2 in 7 nm, so that the bit cells of
// 0.027 um2 take 0.35 of it. assumption: as much on other processes and in an SM.
constexpr double kBitsPerMib = 8.0 * 1024 * 1024;
constexpr double kCellShare = 0.027e-6 * kBitsPerMib * 64 / 41;

double cache_mib_mm2(const Process& process) {
  return process.bit_cell_um2 * 1e-6 * kBitsPerMib / kCellShare;
}

double sm_mm2(const UnitAreas& units, double tensor_fma, double cache_mib) {
  return units.sm_logic_mm2 + tensor_fma * units.tensor_fma_mm2 + cache_mib * units.cache_mib_mm2;
}

double mib(double bytes) { return bytes / (1024.0 * 1024.0); }

}  // namespace

std::optional<UnitAreas> unit_areas(const config::Machine& machine) {
  const Chip* chip = find_chip(machine.chip);
  if (chip == nullptr) return {};
  const Process& process = *find_process(chip->process_nm);
  const Process& measured = *find_process(12);
  UnitAreas units;
  units.sm_logic_mm2 = (kSmAt12Nm - kSmCacheMib * cache_mib_mm2(measured)) * process.logic_scale;
  units.tensor_fma_mm2 = kTensorFmaAt12Nm * process.logic_scale;
  units.cache_mib_mm2 = cache_mib_mm2(process);
  units.dram_channel_mm2 = chip->channel_mm2;
  constexpr double kRegisterKib = 256;  // all of these chips
  const double sm = sm_mm2(units, chip->tensor_fma_per_sm, (chip->l1_kib + kRegisterKib) / 1024);
  units.rest_mm2 = chip->die_mm2 - chip->sms * sm - chip->l2_mib * units.cache_mib_mm2 -
                   chip->dram_channels * units.dram_channel_mm2;
  return units;
}

double sm_mm2(const UnitAreas& units, const config::Machine& machine) {
  const sm::SmParams& sm = machine.sm;
  constexpr double kBytesPerRegister = 4;
  const double cache_bytes =
      static_cast<double>(sm.l1.bytes) + kBytesPerRegister * sm.residency.registers;
  const double tensor_fma = static_cast<double>(sm.sub_cores) * sm.tensor.cores_per_sub_core *
                            sm::dense_macs(*sm::tensor_type("fp16"), sm.tensor);
  return sm_mm2(units, tensor_fma, mib(cache_bytes));
}

std::optional<double> area_mm2(const config::Machine& machine) {
  const auto units = unit_areas(machine);
  if (!units) return {};
  return units->rest_mm2 + machine.gpu.sms * sm_mm2(*units, machine) +
         mib(static_cast<double>(machine.l2.bytes)) * units->cache_mib_mm2 +
         machine.dram.channels * units->dram_channel_mm2;
}

}  // namespace tcsim::area
