#include "sim/results/network_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/report/layout.hpp"
#include "sim/report/network_metrics.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/results/network_groups.hpp"
#include "sim/results/sections.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/spaced.hpp"

namespace tcsim::results {
namespace {

constexpr std::size_t kShownGroups = 10;

using Steps = std::vector<NetworkStepView>;

double time_of(const StoredNetwork& network) { return network.network.at("time_us").get<double>(); }

Cell part_cell(double part, double whole) {
  return number_cell(whole > 0 ? std::optional(part / whole) : std::nullopt, "{:.1f}", 100);
}

/// Of a step that takes no time there is none.
Cell rate_cell(double rate, int decimals) {
  if (!std::isfinite(rate)) return {"not applicable"};
  return {report::readable_number(rate, decimals), rate};
}

Cell bytes_text(double bytes) { return {readable_bytes(bytes), bytes}; }

int gpus_of(const StoredNetwork& network) { return network.network.at("gpus").get<int>(); }

std::string readable(double value, const std::string& unit) {
  constexpr double kLarge = 1000;
  if (unit == "us") return report::readable_time(value);
  if (unit == "B") return readable_bytes(value);
  if (unit == "1") return fmt::format("{:.1f} %", 100 * value);
  if (value >= kLarge && value < 1e15)
    return report::with_thousands(std::llround(value)) + " " + unit;
  return fmt::format("{:.4g} {}", value, unit);
}

/// One sentence: the longest group of layers, and the bottleneck for the longest time.
std::string verdict_sentence(const StoredNetwork& network, const Steps& steps) {
  const std::vector<StepGroup> likes = groups_of(steps, &NetworkStepView::like);
  const std::vector<StepGroup> bounds = groups_of(steps, &NetworkStepView::bound_by);
  const double time_us = time_of(network);
  if (likes.empty() || time_us <= 0) return "No step has ended.";
  const StepGroup& longest = likes.front();
  return fmt::format("{} ({}) takes {:.1f} % of the time; {} is the bottleneck for {:.1f} % of it.",
                     longest.label, text::counted(longest.steps, "step"),
                     100 * longest.time_us / time_us, text::spaced(bounds.front().label),
                     100 * bounds.front().time_us / time_us);
}

/// The figures of the whole run; of several GPUs, each says of how many it is.
Table figures_table(const StoredNetwork& network, const Steps& steps) {
  const View& json = network.network;
  const int gpus = gpus_of(network);
  Table table{"", {"", "value"}, {}};
  if (gpus > 1) table.columns.emplace_back("of");
  const auto add = [&](const std::string& label, Cell value, bool is_of_one = false) {
    table.rows.push_back({{label}, std::move(value)});
    if (gpus > 1)
      table.rows.back().push_back({is_of_one ? "one GPU" : fmt::format("all {} GPUs", gpus)});
  };
  add("time", {report::readable_time(time_of(network)), time_of(network)});
  for (const auto& [name, metric] : json.at("metrics").items()) {
    const View value = metric.at("value");
    if (value.is_number())
      add(text::spaced(name),
          {readable(value.get<double>(), metric.at("unit").get<std::string>()), value.get<double>(),
           name},
          report::is_of_one_gpu(name));
  }
  add("steps", count_cell(static_cast<std::int64_t>(steps.size())), /*is_of_one=*/true);
  add("parameters", count_cell(json.at("parameters").get<std::int64_t>()));
  return table;
}

Section network_verdict(const StoredNetwork& network, const Steps& steps) {
  Section section{"verdict", "Verdict", {}};
  const View& json = network.network;
  section.parts.emplace_back(Paragraph{verdict_sentence(network, steps)});
  if (!json.at("complete").get<bool>())
    section.parts.emplace_back(
        Paragraph{fmt::format("Partial: the run was stopped ({}) after {}.",
                              json.at("simulation").at("stopped_by").get<std::string>(),
                              text::counted(steps.size(), "step"))});
  section.parts.emplace_back(figures_table(network, steps));
  if (const auto collectives = json.find("collectives"); collectives && time_of(network) > 0)
    section.parts.emplace_back(Paragraph{fmt::format(
        "{} with {:.1f} % of the time, which a model of NVLink estimates without simulation.",
        text::counted(collectives->at("count").get<int>(), "collective operation"),
        100 * collectives->at("time_us").get<double>() / time_of(network))});
  for (const View& skipped : json.at("skipped").elements())
    section.parts.emplace_back(
        Paragraph{fmt::format("Not simulated: {} {}.", skipped.at("operation").get<std::string>(),
                              skipped.at("name").get<std::string>())});
  return section;
}

Section network_machine(const StoredNetwork& network) {
  Section section{"machine", "Machine", {}};
  const View card = network.network.at("machine_card");
  section.parts.emplace_back(Paragraph{
      fmt::format("{}: {}, {} ({}) at {} MHz.{}", card.at("name").get<std::string>(),
                  card.at("description").get<std::string>(), card.at("chip").get<std::string>(),
                  card.at("architecture").get<std::string>(), card.at("clock_mhz").get<int>(),
                  published_clock_text(card))});
  Table bandwidths{"Peak bandwidths", {"level", "GB/s", "arithmetic"}, {}};
  for (const View& bandwidth : card.at("bandwidths").elements())
    bandwidths.rows.push_back({{bandwidth.at("level").get<std::string>()},
                               number_cell(bandwidth.at("gb_per_s").get<double>(), "{:.0f}"),
                               {bandwidth.at("formula").get<std::string>()}});
  section.parts.emplace_back(std::move(bandwidths));
  section.parts.emplace_back(rates_table(card, ""));
  return section;
}

Section network_timeline(const StoredNetwork& network) {
  Section section{"timeline", "Timeline", {}};
  const plot::Lanes lanes = lanes_of(network);
  if (lanes.end <= 0) {
    section.parts.emplace_back(Paragraph{"The run took no time."});
    return section;
  }
  section.parts.emplace_back(Figure{
      "Steps run one after the other. Blocks alternate in colour. There is a lane per operator, "
      "and one for the bottleneck at each moment.",
      plot::lanes_svg(lanes, plot::Theme::kPage), plot::lanes_ascii(lanes)});
  return section;
}

/// The groups by `key`, the longest open and the others folded.
void add_groups(const Steps& steps, std::string NetworkStepView::*key, const std::string& caption,
                const std::string& column, double all_us, Section& section) {
  const bool names_operator = key == &NetworkStepView::like;
  std::vector<std::string> columns{column};
  if (names_operator) columns.emplace_back("operator");
  for (const char* name : {"steps", "time us", "% of time", "10^12 op/s", "bound by"})
    columns.emplace_back(name);
  Table top{caption, columns, {}};
  Table rest{"The others", columns, {}, /*folded=*/true};
  for (const StepGroup& group : groups_of(steps, key)) {
    std::vector<Cell> row{{group.label}};
    if (names_operator) row.push_back({group.operation});
    row.push_back(count_cell(group.steps));
    row.push_back(number_cell(group.time_us, "{:.2f}"));
    row.push_back(part_cell(group.time_us, all_us));
    row.push_back(group.flop > 0 ? rate_cell(group.flop / group.time_us / 1e6, 1) : Cell{"-"});
    row.push_back({text::spaced(group.bound_by())});
    (top.rows.size() < kShownGroups ? top : rest).rows.push_back(std::move(row));
  }
  section.parts.emplace_back(std::move(top));
  if (!rest.rows.empty()) section.parts.emplace_back(std::move(rest));
}

/// Blocks that repeat are much alike, so all of them are folded.
void add_blocks(const Steps& steps, double all_us, Section& section) {
  Table table{"", {"block", "steps", "time us", "% of time", "bound by"}, {}, /*folded=*/true};
  for (const StepGroup& group : groups_of(steps, &NetworkStepView::block))
    table.rows.push_back({{group.label},
                          count_cell(group.steps),
                          number_cell(group.time_us, "{:.2f}"),
                          part_cell(group.time_us, all_us),
                          {text::spaced(group.bound_by())}});
  table.caption = text::counted(table.rows.size(), "block");
  section.parts.emplace_back(std::move(table));
}

Section network_layers(const StoredNetwork& network, const Steps& steps) {
  Section section{"layers", "Layers", {}};
  const double all_us = time_of(network);
  add_groups(steps, &NetworkStepView::like, "Layers, those that repeat with their block grouped",
             "layers", all_us, section);
  add_groups(steps, &NetworkStepView::operation, "Operators", "operator", all_us, section);
  Steps blocks = steps;
  std::erase_if(blocks, [](const NetworkStepView& step) { return step.block.empty(); });
  if (!blocks.empty()) add_blocks(blocks, all_us, section);
  return section;
}

Section network_roofline(const StoredNetwork& network) {
  Section section{"roofline", "Roofline", {}};
  const plot::Roofline roofline = roofline_of(network);
  if (roofline.dots.empty() || roofline.ceilings.empty()) {
    section.parts.emplace_back(
        Paragraph{"Not applicable: no step has both a rate and DRAM bytes."});
    return section;
  }
  section.parts.emplace_back(
      Figure{fmt::format("One dot per step that has products and DRAM bytes, {} of {}. Steps that "
                         "find everything in the L2 have no dot.",
                         roofline.dots.size(), network.network.at("steps").elements().size()),
             plot::roofline_svg(roofline, plot::Theme::kPage),
             plot::roofline_ascii(grouped_roofline_of(network))});
  return section;
}

Section network_cycles(const StoredNetwork& network, const Steps& steps) {
  Section section{"cycles", "Where the cycles went", {}};
  if (steps.empty()) {
    section.parts.emplace_back(Paragraph{"No step has ended."});
    return section;
  }
  const plot::StackedBars bars = stalls_of(network);
  section.parts.emplace_back(Figure{"The longest groups of similar layers; each bar is 100 %.",
                                    plot::stacked_bars_svg(bars, plot::Theme::kPage),
                                    plot::stacked_bars_ascii(bars)});
  Table bounds{"Bottlenecks, by time", {"bound by", "steps", "time us", "% of time"}, {}};
  for (const StepGroup& group : groups_of(steps, &NetworkStepView::bound_by))
    bounds.rows.push_back({{text::spaced(group.label)},
                           count_cell(group.steps),
                           number_cell(group.time_us, "{:.2f}"),
                           part_cell(group.time_us, time_of(network))});
  section.parts.emplace_back(std::move(bounds));
  return section;
}

Section network_memory(const StoredNetwork& network, const Steps& steps) {
  Section section{"memory", "Memory", {}};
  const double dram_gb_per_s = bandwidth_of(network.network.at("machine_card"), "dram");
  const auto row = [&](const std::string& label, double time_us, double flop, double dram,
                       double l2) -> std::vector<Cell> {
    constexpr double kBytesPerMicrosecond = 1e3;  // in a GB/s
    const double could = dram_gb_per_s * kBytesPerMicrosecond * time_us;
    return {{label},
            bytes_text(dram),
            bytes_text(l2),
            number_cell(dram > 0 && flop > 0 ? std::optional(flop / dram) : std::nullopt, "{:.1f}"),
            part_cell(dram, could)};
  };
  Table table{"Bytes by groups of similar layers, most DRAM bytes first",
              {"layers", "DRAM", "L2", "operations per DRAM byte", "% of DRAM bandwidth"},
              {}};
  Table rest{"The others", table.columns, {}, /*folded=*/true};
  std::vector<StepGroup> groups = groups_of(steps, &NetworkStepView::like);
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StepGroup::dram_bytes);
  StepGroup all;
  for (const StepGroup& group : groups) {
    (table.rows.size() < kShownGroups ? table : rest)
        .rows.push_back(
            row(group.label, group.time_us, group.flop, group.dram_bytes, group.l2_bytes));
    all.flop += group.flop;
    all.dram_bytes += group.dram_bytes;
    all.l2_bytes += group.l2_bytes;
  }
  table.rows.push_back(row("all", time_of(network), all.flop, all.dram_bytes, all.l2_bytes));
  section.parts.emplace_back(std::move(table));
  if (!rest.rows.empty()) section.parts.emplace_back(std::move(rest));
  return section;
}

Section network_energy(const Steps& steps) {
  Section section{"energy", "Energy", {}};
  Steps counted = steps;
  std::erase_if(counted, [](const NetworkStepView& step) { return !step.energy_j; });
  if (counted.empty()) {
    section.parts.emplace_back(Paragraph{"Not applicable: no step has energy figures."});
    return section;
  }
  std::vector<StepGroup> groups = groups_of(counted, &NetworkStepView::like);
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StepGroup::energy_j);
  double all_j = 0;
  for (const StepGroup& group : groups) all_j += group.energy_j;
  section.parts.emplace_back(Paragraph{fmt::format(
      "{:.4g} mJ in {} of {}.", 1e3 * all_j, counted.size(), text::counted(steps.size(), "step"))});
  Table table{"By groups of similar layers, most energy first",
              {"layers", "mJ", "% of the energy", "W", "pJ per operation"},
              {}};
  for (const StepGroup& group : groups) {
    if (table.rows.size() == kShownGroups) break;
    table.rows.push_back(
        {{group.label},
         number_cell(group.energy_j, "{:.4g}", 1e3),
         part_cell(group.energy_j, all_j),
         number_cell(group.energy_j / group.time_us * 1e6, "{:.0f}"),
         number_cell(group.flop > 0 ? std::optional(group.energy_j / group.flop) : std::nullopt,
                     "{:.2f}", 1e12)});
  }
  section.parts.emplace_back(std::move(table));
  return section;
}

Section network_steps_section(const StoredNetwork& network, const Steps& steps) {
  Section section{"steps", "Steps", {}};
  Table table{
      fmt::format("All {}, in their order", text::counted(steps.size(), "step")),
      {"layer", "part", "operation", "time us", "% of time", "10^12 op/s", "DRAM", "bound by"},
      {},
      /*folded=*/true};
  for (const NetworkStepView& step : steps)
    table.rows.push_back({{step.layer},
                          {step.part},
                          {step.title},
                          number_cell(step.time_us, "{:.2f}"),
                          part_cell(step.time_us, time_of(network)),
                          step.tflops ? rate_cell(*step.tflops, 2) : Cell{"-"},
                          bytes_text(step.dram_bytes),
                          {text::spaced(step.bound_by)}});
  section.parts.emplace_back(std::move(table));
  return section;
}

Section network_provenance(const StoredNetwork& network) {
  Section section{"provenance", "Provenance", {}};
  Table table{"", {"", "value"}, {}};
  table.rows.push_back({{"network"}, {network.network.at("source").get<std::string>()}});
  for (const char* key : {"command", "revision", "started_utc"})
    table.rows.push_back({{text::spaced(key)}, {network.manifest.at(key).get<std::string>()}});
  table.rows.push_back({{"fidelity"}, {network.network.at("fidelity").get<std::string>()}});
  table.rows.push_back(
      {{"simulated in"},
       number_cell(network.network.at("simulation").at("wall_s").get<double>(), "{:.2f} s")});
  if (!network.verified) table.rows.push_back({{"files"}, {kNotVerified}});
  section.parts.emplace_back(std::move(table));
  for (const char* file :
       {"network.json", "stats.csv", "layers.csv", "kernels.csv", "manifest.json"})
    section.parts.emplace_back(Link{file, file});
  return section;
}

Section network_glossary(const StoredNetwork& network) {
  Section section{"glossary", "Glossary", {}};
  Table table{"", {"metric", "unit", "meaning", "formula"}, {}};
  for (const auto& [name, metric] : network.network.at("metrics").items())
    if (metric.at("value").is_number())
      table.rows.push_back({{name},
                            {metric.at("unit").get<std::string>()},
                            {metric.at("sentence").get<std::string>()},
                            {metric.at("formula").get<std::string>()}});
  section.parts.emplace_back(std::move(table));
  return section;
}

/// Says in each section of steps that they are those of one GPU, where there are several.
std::vector<Section> with_gpus(std::vector<Section> sections, int gpus) {
  constexpr std::array<std::string_view, 7> kOfSteps{"timeline", "layers", "roofline", "cycles",
                                                     "memory",   "energy", "steps"};
  if (gpus == 1) return sections;
  for (Section& section : sections)
    if (std::ranges::find(kOfSteps, section.id) != kOfSteps.end())
      section.parts.insert(section.parts.begin(),
                           Paragraph{fmt::format("Figures of one of the {} GPUs.", gpus)});
  return sections;
}

}  // namespace

Document report_of(const StoredNetwork& network) {
  const Steps steps = network_steps(network);
  return {network.network.at("title").get<std::string>(), report::name_of_run(network.name),
          with_gpus({network_verdict(network, steps), network_machine(network),
                     network_timeline(network), network_layers(network, steps),
                     network_roofline(network), network_cycles(network, steps),
                     sensitivity_of(network.network), network_memory(network, steps),
                     network_energy(steps), network_steps_section(network, steps),
                     network_provenance(network), network_glossary(network)},
                    gpus_of(network))};
}

}  // namespace tcsim::results
