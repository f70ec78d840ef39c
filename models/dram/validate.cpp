#include "models/dram/validate.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <string_view>

#include "models/dram/request_queue.hpp"
#include "models/dram/timing.hpp"

namespace tcsim::dram {
namespace {

constexpr int kMaxQueueEntries = 4096;  // slot numbers have 16 bits, and no real queue is larger
constexpr double kMaxNanoseconds = 1e6;

/// The shortest text of `value`: "3900", not "3900.000000".
std::string text_of(auto value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

class Findings {
 public:
  void require(bool holds, std::string_view field, auto value, std::string_view rule) {
    if (holds) return;
    found_.push_back(std::string(field) + " is " + text_of(value) + ", but must be " +
                     std::string(rule));
  }
  void positive(std::string_view field, int value) { require(value > 0, field, value, "positive"); }
  void power_of_two(std::string_view field, int value) {
    require(value > 0 && std::has_single_bit(static_cast<unsigned>(value)), field, value,
            "a power of two");
  }
  void time(std::string_view field, double value) {
    require(value >= 0 && value <= kMaxNanoseconds, field, value, "from 0 to 1e6 ns");
  }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

void check_times(const DramParams& params, Findings& findings) {
  findings.time("t_cl_ns", params.t_cl_ns);
  findings.time("t_cwl_ns", params.t_cwl_ns);
  findings.time("t_rcd_read_ns", params.t_rcd_read_ns);
  findings.time("t_rcd_write_ns", params.t_rcd_write_ns);
  findings.time("t_rp_ns", params.t_rp_ns);
  findings.time("t_ras_ns", params.t_ras_ns);
  findings.time("t_wr_ns", params.t_wr_ns);
  findings.time("t_rtp_ns", params.t_rtp_ns);
  findings.time("t_rrd_ns", params.t_rrd_ns);
  findings.time("t_faw_ns", params.t_faw_ns);
  findings.time("t_wtr_s_ns", params.t_wtr_s_ns);
  findings.time("t_wtr_l_ns", params.t_wtr_l_ns);
  findings.time("t_rtw_ns", params.t_rtw_ns);
  findings.time("t_rfc_ns", params.t_rfc_ns);
  findings.time("t_refi_ns", params.t_refi_ns);
}

void check_shape(const DramParams& params, Findings& findings) {
  findings.positive("channels", params.channels);
  findings.require(params.channel_width_bits >= 8 && params.channel_width_bits % 8 == 0,
                   "channel_width_bits", params.channel_width_bits, "a positive multiple of 8");
  findings.require(params.burst_length_beats >= 2 && params.burst_length_beats % 2 == 0,
                   "burst_length_beats", params.burst_length_beats, "even and at least 2");
  findings.power_of_two("stack_ids", params.stack_ids);
  findings.power_of_two("bank_groups", params.bank_groups);
  findings.require(params.bank_groups >= params.stack_ids, "bank_groups", params.bank_groups,
                   "at least stack_ids");
  findings.power_of_two("banks_per_group", params.banks_per_group);
  findings.power_of_two("row_bytes", params.row_bytes);
  findings.positive("t_ccd_s_clocks", params.t_ccd_s_clocks);
  findings.require(params.t_ccd_l_clocks >= params.t_ccd_s_clocks, "t_ccd_l_clocks",
                   params.t_ccd_l_clocks, "at least t_ccd_s_clocks");
  findings.require(params.stack_ids == 1 || params.t_ccd_r_clocks >= params.t_ccd_s_clocks,
                   "t_ccd_r_clocks", params.t_ccd_r_clocks,
                   "at least t_ccd_s_clocks unless stack_ids is 1");
  findings.require(params.queue_entries > 0 && params.queue_entries <= kMaxQueueEntries,
                   "queue_entries", params.queue_entries, "from 1 to 4096");
  findings.require(params.row_hit_cap >= 0, "row_hit_cap", params.row_hit_cap, "at least 0");
  findings.require(
      params.write_low_watermark_percent >= 0 && params.write_low_watermark_percent < 100,
      "write_low_watermark_percent", params.write_low_watermark_percent, "from 0 to 99");
  findings.require(params.write_high_watermark_percent >= params.write_low_watermark_percent &&
                       params.write_high_watermark_percent <= 100,
                   "write_high_watermark_percent", params.write_high_watermark_percent,
                   "from write_low_watermark_percent to 100");
}

void check_combinations(const DramParams& params, const DramTiming& timing, Findings& findings) {
  findings.power_of_two("channel_width_bits / 8 * burst_length_beats", timing.bytes_per_burst);
  findings.require(params.row_bytes >= timing.bytes_per_burst, "row_bytes", params.row_bytes,
                   "at least one burst (channel_width_bits / 8 * burst_length_beats)");
  const int banks = params.bank_groups * params.banks_per_group;
  findings.require(banks <= kMaxBanks, "bank_groups * banks_per_group", banks, "at most 64");
  const Cycle refresh = timing.rfc_clocks + timing.rp_clocks + timing.ras_clocks;
  findings.require(timing.refi_clocks >= banks && timing.refi_clocks > 2 * refresh, "t_refi_ns",
                   params.t_refi_ns,
                   "more than twice t_rfc_ns + t_rp_ns + t_ras_ns, in clocks of memory_mhz, and a "
                   "clock for each bank");
}

}  // namespace

std::vector<std::string> validate(const DramParams& params, int memory_mhz) {
  Findings findings;
  findings.require(memory_mhz > 0 && memory_mhz <= 100'000, "memory_mhz", memory_mhz,
                   "from 1 to 100000");
  check_times(params, findings);
  check_shape(params, findings);
  if (findings.empty()) check_combinations(params, resolve(params, memory_mhz), findings);
  return findings.take();
}

}  // namespace tcsim::dram
