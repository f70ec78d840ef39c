#pragma once

#include "models/dram/params.hpp"

namespace tcsim::dram::test {

/// One V100 pseudo-channel. Timings: HBM2 2.0 Gb/s speed grade after JEDEC; clock and shape: V100
/// board.
inline constexpr int kV100MemoryMhz = 877;
inline const DramParams v100_channel{
    .channels = 64,
    .channel_width_bits = 64,
    .burst_length_beats = 4,
    .stack_ids = 1,
    .bank_groups = 4,
    .banks_per_group = 4,
    .row_bytes = 1024,
    .address_mapping = "pseudo_random",
    .t_cl_ns = 14,
    .t_cwl_ns = 5,
    .t_rcd_read_ns = 14,
    .t_rcd_write_ns = 12,
    .t_rp_ns = 14,
    .t_ras_ns = 34,
    .t_wr_ns = 16,
    .t_rtp_ns = 5,
    .t_ccd_s_clocks = 2,
    .t_ccd_l_clocks = 4,
    .t_ccd_r_clocks = 2,
    .t_rrd_ns = 4,
    .t_faw_ns = 15,
    .t_wtr_s_ns = 6,
    .t_wtr_l_ns = 8,
    .t_rtw_ns = 13.6,  // assumption: CL + burst - CWL + 2 clocks
    .t_rfc_ns = 160,
    .t_refi_ns = 3900,
    .queue_entries = 64,
    .scheduling = "fr_fcfs",
    .row_hit_cap = 128,
    .write_high_watermark_percent = 75,
    .write_low_watermark_percent = 12,
    .controller_latency_cycles = 0,
    .return_bytes_per_cycle = 32,
};

/// One H100 pseudo-channel: HBM3 6.4 Gb/s speed grade held in ns; the CCD figures are doubled
/// because this clock is twice the command clock. A stack of eight dies has two stack IDs.
inline constexpr int kH100MemoryMhz = 2619;
inline const DramParams h100_channel{
    .channels = 160,
    .channel_width_bits = 32,
    .burst_length_beats = 8,
    .stack_ids = 2,
    .bank_groups = 8,
    .banks_per_group = 4,
    .row_bytes = 1024,
    .address_mapping = "pseudo_random",
    .t_cl_ns = 12.5,
    .t_cwl_ns = 6.3,
    .t_rcd_read_ns = 19.4,
    .t_rcd_write_ns = 9.4,
    .t_rp_ns = 16.3,
    .t_ras_ns = 28.1,
    .t_wr_ns = 20.6,
    .t_rtp_ns = 5.6,
    .t_ccd_s_clocks = 4,
    .t_ccd_l_clocks = 8,
    .t_ccd_r_clocks = 6,
    .t_rrd_ns = 2.5,
    .t_faw_ns = 15,
    .t_wtr_s_ns = 4.4,
    .t_wtr_l_ns = 6.3,
    .t_rtw_ns = 12.5,
    .t_rfc_ns = 200,
    .t_refi_ns = 3900,
    .queue_entries = 224,
    .scheduling = "fr_fcfs",
    .row_hit_cap = 128,
    .write_high_watermark_percent = 75,
    .write_low_watermark_percent = 12,
    .controller_latency_cycles = 0,
    .return_bytes_per_cycle = 32,
};

/// A GDDR6 channel as on the T4: 16 bit, burst of 16; times of GDDR6 speed grades.
inline constexpr int kT4MemoryMhz = 5001;
inline const DramParams t4_channel{
    .channels = 16,
    .channel_width_bits = 16,
    .burst_length_beats = 16,
    .stack_ids = 1,
    .bank_groups = 4,
    .banks_per_group = 4,
    .row_bytes = 2048,
    .address_mapping = "pseudo_random",
    .t_cl_ns = 13.7,
    .t_cwl_ns = 3.4,
    .t_rcd_read_ns = 15.4,
    .t_rcd_write_ns = 9.1,
    .t_rp_ns = 15.4,
    .t_ras_ns = 30.3,
    .t_wr_ns = 14.8,
    .t_rtp_ns = 2.3,
    .t_ccd_s_clocks = 8,
    .t_ccd_l_clocks = 12,
    .t_ccd_r_clocks = 2,
    .t_rrd_ns = 4,
    .t_faw_ns = 16,
    .t_wtr_s_ns = 5.1,
    .t_wtr_l_ns = 6.3,
    .t_rtw_ns = 13.5,
    .t_rfc_ns = 60,
    .t_refi_ns = 1900,
    .queue_entries = 64,
    .scheduling = "fr_fcfs",
    .row_hit_cap = 128,
    .write_high_watermark_percent = 75,
    .write_low_watermark_percent = 12,
    .controller_latency_cycles = 0,
    .return_bytes_per_cycle = 32,
};

/// An invented channel at 1000 MHz, so that nanoseconds are clocks; every time is different, and
/// refresh does not interfere.
inline constexpr int kLabMemoryMhz = 1000;
inline const DramParams lab_channel{
    .channels = 1,
    .channel_width_bits = 64,
    .burst_length_beats = 4,
    .stack_ids = 1,
    .bank_groups = 4,
    .banks_per_group = 4,
    .row_bytes = 1024,
    .address_mapping = "pseudo_random",
    .t_cl_ns = 10,
    .t_cwl_ns = 4,
    .t_rcd_read_ns = 6,
    .t_rcd_write_ns = 5,
    .t_rp_ns = 7,
    .t_ras_ns = 12,
    .t_wr_ns = 8,
    .t_rtp_ns = 3,
    .t_ccd_s_clocks = 2,
    .t_ccd_l_clocks = 4,
    .t_ccd_r_clocks = 2,
    .t_rrd_ns = 2,
    .t_faw_ns = 9,
    .t_wtr_s_ns = 3,
    .t_wtr_l_ns = 5,
    .t_rtw_ns = 0,
    .t_rfc_ns = 50,
    .t_refi_ns = 160'000,
    .queue_entries = 64,
    .scheduling = "fr_fcfs",
    .row_hit_cap = 128,
    .write_high_watermark_percent = 75,
    .write_low_watermark_percent = 12,
    .controller_latency_cycles = 0,
    .return_bytes_per_cycle = 32,
};

/// Banks of lab_channel.
inline constexpr int kBank = 5;             // group 1
inline constexpr int kSameGroupBank = 6;    // group 1
inline constexpr int kOtherGroupBank = 10;  // group 2
inline constexpr int kOtherStackBank = 14;  // group 3, of the second half of the groups

}  // namespace tcsim::dram::test
