#include "models/energy/event_energies.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tcsim::energy {
namespace {

/// Energy of one FLOP on a tensor core, relative to FP16; 0 for types that it does not multiply.
/// INT8 is from the arithmetic energies of an IMMA (160 pJ, 1024 operations) and an HMMA (110 pJ,
/// 128 operations) that Dally gave for Turing and Volta. FP8: an H100 draws 686 W at 1227 TFLOPS of
/// e4m3 and 687 W at 616 of FP16, both near 1275 MHz (tests/validation/own/h100_power.csv). TF32
/// and FP64: assumption, from the rates of the A100 at equal power.
struct TypeRatio {
  std::string_view dtype;
  double ratio;
};
constexpr std::array<TypeRatio, 10> kTensorRatios{{{"fp16", 1.0},
                                                   {"bf16", 1.0},
                                                   {"fp8", 0.5},
                                                   {"e4m3", 0.5},
                                                   {"e5m2", 0.5},
                                                   {"int8", 0.18},
                                                   {"tf32", 2.0},
                                                   {"fp64", 16.0},
                                                   {"fp32", 0.0},
                                                   {"int32", 0.0}}};

double tensor_ratio(std::string_view dtype) {
  for (const TypeRatio& row : kTensorRatios)
    if (row.dtype == dtype) return row.ratio;
  throw std::invalid_argument("no energy is known for type " + std::string(dtype));
}

constexpr double kBitsPerByte = 8;

}  // namespace

EventEnergies event_energies(const EnergyParams& params, std::string_view dtype, double activity,
                             double clock_ratio) {
  const double voltage_squared = std::pow(clock_ratio, 2 * params.voltage_exponent);
  EventEnergies energies;
  energies.tensor_pj_per_flop =
      (params.tensor_control_pj_per_flop + activity * params.tensor_data_pj_per_flop) *
      tensor_ratio(dtype) * voltage_squared;
  energies.vector_pj_per_flop = params.vector_pj_per_flop * voltage_squared;
  energies.l1_pj_per_byte = (params.l1_control_pj_per_bit + activity * params.l1_data_pj_per_bit) *
                            kBitsPerByte * voltage_squared;
  energies.l2_pj_per_byte = (params.l2_control_pj_per_bit + activity * params.l2_data_pj_per_bit) *
                            kBitsPerByte * voltage_squared;
  energies.dram_pj_per_byte =
      (params.dram_control_pj_per_bit + activity * params.dram_data_pj_per_bit) * kBitsPerByte;
  return energies;
}

double clock_ratio_at_limit(double power_w, double fixed_w, double limit_w) {
  return std::cbrt((limit_w - fixed_w) / (power_w - fixed_w));
}

}  // namespace tcsim::energy
