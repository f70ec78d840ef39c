#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/machine.hpp"

namespace tcsim::config {

/// A multiply-add counts as two operations.
inline constexpr double kOperationsPerMac = 2;

/// Whether products of `dtype` are counted in TOPS: true for integers and bits.
bool counts_whole_numbers(std::string_view dtype);

/// The highest rate of one unit for one number format.
struct PeakRate {
  std::string unit;                      ///< "tensor" or "cuda-core"
  std::string dtype;                     ///< fp16, bf16, tf32, fp8, int8, int4, b1, fp64, fp32
  std::string accumulate;                ///< format of the sums
  bool sparse = false;                   ///< 2:4
  std::optional<double> tera_ops_per_s;  ///< a multiply-add counts as two; nothing: not supported
  double macs_per_cycle_per_sm = 0;      ///< 0: not supported
  int clock_mhz = 0;
  std::string formula;  ///< the multiplication, spelled out; "" if not supported
  /// The ridge points: operations per byte of memory traffic at which this rate and the bandwidth
  /// take equal time. 0: not supported.
  double ops_per_dram_byte = 0;
  double ops_per_l2_byte = 0;

  /// "TFLOPS" or, for integers and bits, "TOPS".
  [[nodiscard]] std::string measure() const;
};

/// Bandwidth of one level of memory, all SMs together.
struct PeakBandwidth {
  std::string level;  ///< dram, l2, network, shared
  double bytes_per_cycle = 0;
  int clock_mhz = 0;  ///< of that cycle
  double gb_per_s = 0;
  std::string formula;
};

struct Peak {
  std::string machine;
  int clock_mhz = 0;  ///< SM boost
  std::vector<PeakRate> rates;
  std::vector<PeakBandwidth> bandwidths;
};

/// Arithmetic on the parameters only, nothing is simulated.
Peak peak(const Machine& machine);

/// The peak of one unit and format, with its rate. Nothing if the machine does not support it.
/// `unit` and `dtype` as in PeakRate. FP16 has two rates on tensor cores, between which
/// `accumulate` chooses; if it is empty or matches neither, the rate with FP32 sums is used.
std::optional<PeakRate> peak_rate(const Machine& machine, const std::string& unit,
                                  const std::string& dtype, bool sparse = false,
                                  std::string_view accumulate = {});

PeakBandwidth dram_bandwidth(const Machine& machine);
/// What the channels deliver to their slices: the rate of the pins, or less.
PeakBandwidth dram_read_bandwidth(const Machine& machine);
PeakBandwidth l2_bandwidth(const Machine& machine);  ///< data ports of the slices
/// Response ports of SMs, TPCs and GPCs, the narrowest.
PeakBandwidth network_bandwidth(const Machine& machine);
PeakBandwidth shared_bandwidth(const Machine& machine);  ///< shared memory and L1 of all SMs

}  // namespace tcsim::config
