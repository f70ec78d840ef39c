#include <algorithm>

#include "sim/report/layout.hpp"
#include "sim/report/waves.hpp"
#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

constexpr std::size_t kShownKernels = 5;

/// "-" where a run of an older shape does not say.
Cell limit_cell(const View& kernel, const char* resource) {
  const auto limits = kernel.find("ctas_per_sm_by_resource");
  const auto limit = limits ? limits->find(resource) : std::nullopt;
  return limit ? count_cell(limit->get<std::int64_t>()) : Cell{"-"};
}

Cell need_cell(const View& kernel, const char* need) {
  const auto found = kernel.find(need);
  return found ? count_cell(found->get<std::int64_t>()) : Cell{"-"};
}

Cell share_cell(const View& kernel, const char* share) {
  const auto found = kernel.find(share);
  return found ? number_cell(found->number(0, 1), "{:.1f}", 100) : Cell{"-"};
}

std::vector<View> by_time(const StoredRun& run) {
  std::vector<View> kernels = run.stats.at("kernels").elements();
  std::stable_sort(kernels.begin(), kernels.end(), [](const View& a, const View& b) {
    return a.at("cycles").get<std::int64_t>() > b.at("cycles").get<std::int64_t>();
  });
  return kernels;
}

std::vector<Cell> kernel_row(const StoredRun& run, const View& kernel) {
  const auto time_us = kernel.at("time_us").get<double>();
  const auto tile = kernel.at("tile").get<std::string>();
  return {{kernel.at("name").get<std::string>()},
          {tile.empty() ? "-" : tile},
          number_cell(time_us, "{:.2f}"),
          number_cell(time_us / std::max(run.number("time_us").value_or(0), 1e-9), "{:.1f}", 100),
          count_cell(kernel.at("ctas").get<std::int64_t>()),
          count_cell(kernel.at("warp_instructions").get<std::int64_t>()),
          count_cell(kernel.at("mma_instructions").get<std::int64_t>()),
          {readable_bytes(kernel.at("l2_read_bytes").get<double>()),
           kernel.at("l2_read_bytes").get<double>()},
          {readable_bytes(kernel.at("dram_read_bytes").get<double>()),
           kernel.at("dram_read_bytes").get<double>()}};
}

}  // namespace

Section occupancy_section(const StoredRun& run) {
  Section section{"occupancy", "Occupancy and waves", {}};
  Table needs{"What a CTA needs, and how many CTAs each resource of an SM allows",
              {"kernel", "CTAs per SM", "limit", "warps", "registers per thread", "shared bytes",
               "by registers", "by shared memory", "by warps", "by CTAs"},
              {}};
  Table waves{"How the grid fills the chip",
              {"kernel", "CTAs", "CTAs at once", "waves", "last wave full %", "fewest on an SM",
               "most on an SM", "tail: some SMs without a CTA, % of time",
               "SMs without a CTA, % of SM time"},
              {}};
  for (const View& kernel : run.stats.at("kernels").elements()) {
    const auto name = kernel.at("name").get<std::string>();
    needs.rows.push_back({{name},
                          count_cell(kernel.at("ctas_per_sm").get<std::int64_t>()),
                          {kernel.at("occupancy_limit").get<std::string>()},
                          need_cell(kernel, "warps_per_cta"),
                          need_cell(kernel, "registers_per_thread"),
                          need_cell(kernel, "shared_bytes_per_cta"),
                          limit_cell(kernel, "registers"),
                          limit_cell(kernel, "shared memory"),
                          limit_cell(kernel, "warps"),
                          limit_cell(kernel, "CTAs")});
    const report::Waves counted{kernel.at("waves").get<double>(),
                                kernel.at("last_wave_fill").get<double>()};
    const report::WavesText shown = report::text_of(counted);
    waves.rows.push_back({{name},
                          count_cell(kernel.at("ctas").get<std::int64_t>()),
                          need_cell(kernel, "ctas_at_once"),
                          {shown.count, counted.count},
                          {shown.last_wave_percent, 100 * counted.last_wave_fill},
                          need_cell(kernel, "fewest_ctas_of_an_sm"),
                          need_cell(kernel, "most_ctas_of_an_sm"),
                          share_cell(kernel, "tail_share"),
                          share_cell(kernel, "idle_sm_share")});
  }
  section.parts.emplace_back(std::move(needs));
  section.parts.emplace_back(std::move(waves));
  return section;
}

Section kernels_section(const StoredRun& run) {
  Section section{"kernels", "Kernels", {}};
  const std::vector<std::string> columns{"kernel",    "tile",    "time us",
                                         "% of time", "CTAs",    "warp instructions",
                                         "MMAs",      "L2 read", "DRAM read"};
  Table top{"Longest first", columns, {}};
  Table rest{"The others", columns, {}, /*folded=*/true};
  for (const View& kernel : by_time(run))
    (top.rows.size() < kShownKernels ? top : rest).rows.push_back(kernel_row(run, kernel));
  section.parts.emplace_back(std::move(top));
  if (!rest.rows.empty()) section.parts.emplace_back(std::move(rest));
  return section;
}

}  // namespace tcsim::results
