#pragma once

#include <string>

namespace tcsim::dram {

/// Parameters of one channel (HBM: pseudo-channel) and the number of channels. Times are memory
/// clocks (two data beats each) unless the name says ns; the channel rounds ns up to clocks.
struct DramParams {
  int channels;
  int channel_width_bits;
  int burst_length_beats;
  int stack_ids;    ///< ranks that share the pins; in HBM, one for each four dies of a stack
  int bank_groups;  ///< of all stack IDs together, evenly divided among them
  int banks_per_group;
  int row_bytes;
  std::string address_mapping;  ///< a name in AddressMappings
  double t_cl_ns;               ///< READ to first data
  double t_cwl_ns;              ///< WRITE to first data
  double t_rcd_read_ns;         ///< ACTIVATE to READ
  double t_rcd_write_ns;        ///< ACTIVATE to WRITE
  double t_rp_ns;               ///< PRECHARGE to ACTIVATE
  double t_ras_ns;              ///< ACTIVATE to PRECHARGE
  double t_wr_ns;               ///< end of write data to PRECHARGE
  double t_rtp_ns;              ///< READ to PRECHARGE
  int t_ccd_s_clocks;           ///< column command to column command, other bank group
  int t_ccd_l_clocks;           ///< the same within one bank group
  int t_ccd_r_clocks;           ///< READ to READ of another stack ID
  double t_rrd_ns;              ///< ACTIVATE to ACTIVATE, other bank
  double t_faw_ns;              ///< window of four ACTIVATEs
  double t_wtr_s_ns;            ///< end of write data to READ, other bank group
  double t_wtr_l_ns;            ///< the same within one bank group
  double t_rtw_ns;              ///< READ to WRITE command; the data bus may require a longer delay
  double t_rfc_ns;              ///< single-bank refresh: time for which the bank is unavailable
  double t_refi_ns;   ///< average time between refreshes of one bank group of rows over all banks
  int queue_entries;  ///< requests that the scheduler can choose from
  std::string scheduling;  ///< a name in Schedulings
  int row_hit_cap;         ///< younger row hits that may overtake the oldest request of a bank and
                           ///< direction, for policies that prefer row hits
  int write_high_watermark_percent;  ///< a write turn becomes due when writes fill this share of
                                     ///< the queue
  int write_low_watermark_percent;   ///< the turn may end when as many bursts have been written as
                                     ///< were waiting above this share; at most the high watermark
  int controller_latency_cycles;  ///< L2 clock: slice to command queue plus data to slice, without
                                  ///< queueing
  int return_bytes_per_cycle;     ///< L2 clock: width from a channel to its slices
};

}  // namespace tcsim::dram
