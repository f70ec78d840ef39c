#include "models/dram/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tcsim::dram {
namespace {

constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

std::int64_t picoseconds(double nanoseconds) { return std::llround(nanoseconds * 1000.0); }

}  // namespace

DramTiming resolve(const DramParams& params, int memory_mhz) {
  const auto least = [memory_mhz](double nanoseconds) -> Cycle {
    return ceil_div(picoseconds(nanoseconds) * memory_mhz, kPicosecondsPerMicrosecond);
  };
  DramTiming timing{};
  timing.cl_clocks = least(params.t_cl_ns);
  timing.cwl_clocks = least(params.t_cwl_ns);
  timing.burst_clocks = params.burst_length_beats / 2;
  timing.rcd_read_clocks = least(params.t_rcd_read_ns);
  timing.rcd_write_clocks = least(params.t_rcd_write_ns);
  timing.rp_clocks = least(params.t_rp_ns);
  timing.ras_clocks = least(params.t_ras_ns);
  timing.wr_clocks = least(params.t_wr_ns);
  timing.rtp_clocks = least(params.t_rtp_ns);
  timing.ccd_s_clocks = std::max<Cycle>(params.t_ccd_s_clocks, timing.burst_clocks);
  timing.ccd_l_clocks = std::max<Cycle>(params.t_ccd_l_clocks, timing.ccd_s_clocks);
  timing.ccd_r_clocks = std::max<Cycle>(params.t_ccd_r_clocks, timing.ccd_s_clocks);
  timing.rrd_clocks = least(params.t_rrd_ns);
  timing.faw_clocks = least(params.t_faw_ns);
  timing.wtr_s_clocks = least(params.t_wtr_s_ns);
  timing.wtr_l_clocks = std::max(least(params.t_wtr_l_ns), timing.wtr_s_clocks);
  const Cycle apart_on_the_bus = timing.cl_clocks + timing.burst_clocks - timing.cwl_clocks;
  timing.rtw_clocks = std::max({least(params.t_rtw_ns), apart_on_the_bus, Cycle{1}});
  timing.rfc_clocks = least(params.t_rfc_ns);
  timing.refi_clocks = picoseconds(params.t_refi_ns) * memory_mhz / kPicosecondsPerMicrosecond;
  timing.bytes_per_burst = params.channel_width_bits / 8 * params.burst_length_beats;
  return timing;
}

}  // namespace tcsim::dram
