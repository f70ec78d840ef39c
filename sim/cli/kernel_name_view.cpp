#include "sim/cli/kernel_name_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::cli {
namespace {

using kernels::KernelName;
using kernels::NamedUse;
using Json = nlohmann::ordered_json;

Json unless_zero(int number) { return number > 0 ? Json(number) : Json(); }
Json unless_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// The layout of the row-major operands as workloads write it.
std::string row_major_layout(const KernelName& name) {
  if (!name.layout_a()) return "";
  const auto letter = [](kernels::Layout layout) {
    return layout == kernels::Layout::kNormal ? "n" : "t";
  };
  return std::string(letter(*name.layout_a())) + letter(*name.layout_b());
}

/// Rows and columns of D of a CTA, warps and CTAs of a cluster, in the order of `--tile`.
std::pair<int, int> turned(const KernelName& name, int first, int second) {
  return name.counts_rows_first() ? std::pair{first, second} : std::pair{second, first};
}

/// Everything that names may say; null where this one does not.
Json facts_of(const KernelName& name) {
  constexpr std::array<std::string_view, 3> kUses{"product", "convolution", "attention"};
  const auto [warps_m, warps_n] = turned(name, name.warps_first, name.warps_second);
  const auto [cluster_m, cluster_n] = turned(name, name.cluster_first, name.cluster_second);
  return {{"family", name.family},
          {"sm_version", unless_zero(name.sm_version)},
          {"computes", kUses[static_cast<std::size_t>(name.use)]},
          {"pass", unless_empty(name.pass)},
          {"instruction", unless_empty(name.instruction)},
          {"operands", unless_empty(name.operands)},
          {"sparse", name.sparse},
          {"accumulate", unless_empty(name.accumulate)},
          {"fast_accumulation", name.fast_accumulation},
          {"c", unless_empty(name.c)},
          {"results", unless_empty(name.results)},
          {"layout", unless_empty(row_major_layout(name))},
          {"tile_m", name.m()},
          {"tile_n", name.n()},
          {"tile_k", unless_zero(name.k)},
          {"stages", unless_zero(name.stages)},
          {name.is_warpgroups ? "warp_groups_m" : "warps_m", unless_zero(warps_m)},
          {name.is_warpgroups ? "warp_groups_n" : "warps_n", unless_zero(warps_n)},
          {"schedule", unless_empty(name.schedule)},
          {"sliced_k", name.sliced_k},
          {"split_k", name.split_k > 0 ? Json(name.split_k) : Json(name.splits_k)},
          {"stream_k", name.stream_k},
          {"cluster_m", unless_zero(cluster_m)},
          {"cluster_n", unless_zero(cluster_n)},
          {"elements_of_a_load", unless_zero(name.align)},
          {"tile", name.why_no_tile().empty() ? Json(name.tile_text()) : Json()}};
}

}  // namespace

std::string show_kernel_name(const std::string& name, Format format) {
  std::string reason;
  const std::optional<KernelName> parsed = kernels::parse_kernel_name(name, reason);
  if (!parsed) {
    const auto& families = kernels::kernel_families();
    const std::string family = name.substr(0, name.find('_'));
    const bool is_known = std::ranges::find(families, family) != families.end();
    throw UsageError("tcsim library parse: " + reason +
                     (is_known ? "" : files::did_you_mean(family, families)));
  }
  const Json facts = facts_of(*parsed);
  if (format == Format::kJson) return files::json_text(facts, 2) + "\n";
  Table table{{"part", "value"}, {}};
  for (const auto& [key, value] : facts.items())
    if (!value.is_null())
      table.rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  return render(table, format);
}

}  // namespace tcsim::cli
