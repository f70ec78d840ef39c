#pragma once

#include "models/dram/params.hpp"
#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// DramParams in whole memory clocks (two data beats each). Minimum times are rounded up; the
/// refresh interval, a maximum time, is rounded down.
struct DramTiming {
  Cycle cl_clocks;         ///< READ to first data
  Cycle cwl_clocks;        ///< WRITE to first data
  Cycle burst_clocks;      ///< first data to the clock after the last data
  Cycle rcd_read_clocks;   ///< ACTIVATE to READ
  Cycle rcd_write_clocks;  ///< ACTIVATE to WRITE
  Cycle rp_clocks;         ///< PRECHARGE to ACTIVATE or REFRESH of the bank
  Cycle ras_clocks;        ///< ACTIVATE to PRECHARGE
  Cycle wr_clocks;         ///< end of write data to PRECHARGE
  Cycle rtp_clocks;        ///< READ to PRECHARGE
  Cycle ccd_s_clocks;  ///< READ to READ, WRITE to WRITE, other bank group; at least burst_clocks
  Cycle ccd_l_clocks;  ///< the same within one bank group; at least ccd_s_clocks
  Cycle ccd_r_clocks;  ///< READ to READ of another stack ID; at least ccd_s_clocks
  Cycle rrd_clocks;    ///< ACTIVATE to ACTIVATE, any two banks
  Cycle faw_clocks;    ///< ACTIVATE to the fourth ACTIVATE after it
  Cycle wtr_s_clocks;  ///< end of write data to READ, other bank group
  Cycle wtr_l_clocks;  ///< the same within one bank group
  Cycle rtw_clocks;    ///< READ to WRITE command; at least the time that keeps their data apart
  Cycle rfc_clocks;    ///< REFRESH to ACTIVATE or REFRESH of the bank
  Cycle refi_clocks;   ///< time in which every bank is refreshed once
  int bytes_per_burst;
};

/// Converts through integer picoseconds: parameters are rounded to the nearest picosecond, then
/// divided exactly. Requires values in the ranges of machine files.
DramTiming resolve(const DramParams& params, int memory_mhz);

}  // namespace tcsim::dram
