#include "sim/sweep/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/html_page.hpp"
#include "sim/sweep/plot_data.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::sweep {

using plot::kSeriesColours;
using plot::tick_text;

namespace {

constexpr std::array<std::string_view, 5> kMetrics{"time_us", "tflops", "energy.energy_j",
                                                   "energy.power_w", "area_mm2"};

template <typename Text>
bool differs(const std::vector<Total>& totals, const Text& text_of) {
  std::string first;
  for (const Total& total : totals) {
    if (!total.complete) continue;
    const std::string text = text_of(total);
    if (first.empty()) first = text;
    if (text != first) return true;
  }
  return false;
}

/// Parameters that are not the same everywhere.
std::vector<std::string> varying_parameters(const Plan& plan, const std::vector<Total>& totals) {
  std::vector<std::string> names;
  for (const std::string& name : plan.parameters) {
    if (differs(totals, [&](const Total& total) { return value_of(total.parameters, name); }))
      names.push_back(name);
  }
  return names;
}

/// Those of the usual metrics that every configuration with a result has.
std::vector<std::string> known_metrics(const std::vector<Total>& totals) {
  std::vector<std::string> names;
  for (const std::string_view metric : kMetrics) {
    const bool known = std::all_of(totals.begin(), totals.end(), [&](const Total& total) {
      return !total.complete || total.number(metric).has_value();
    });
    if (known) names.emplace_back(metric);
  }
  return names;
}

std::string parallel_section(const Plan& plan, const std::vector<Total>& totals) {
  PlotRequest plot;
  const std::vector<std::string> parameters = varying_parameters(plan, totals);
  plot.axes = parameters;
  for (const std::string& metric : known_metrics(totals)) {
    if (differs(totals, [&](const Total& total) { return total.text(metric); }))
      plot.axes.push_back(metric);
  }
  if (plot.axes.size() < 2) return {};
  std::vector<const Total*> all;
  for (const Total& total : totals) all.push_back(&total);
  if (!parameters.empty() && values_in(all, parameters.front()).size() <= kSeriesColours)
    plot.series = parameters.front();
  std::string picture;
  try {
    picture = parallel_svg(plot, totals);
  } catch (const std::invalid_argument& error) {
    return fmt::format("<section id=\"parallel\"><p>{}</p></section>\n", text::xml(error.what()));
  }
  return fmt::format(
      "<section id=\"parallel\"><h2>All configurations</h2><p>Draw a range on an axis to keep the "
      "configurations that pass through it; click on the axis to drop the range. "
      "<output id=\"kept\"></output></p>\n{}</section>\n",
      picture);
}

std::string plot_sections(const Plan& plan, const std::vector<Total>& totals) {
  std::string html;
  for (const PlotRequest& plot : plan.plots) {
    try {
      html += "<section class=\"plot\">" + plot_svg(plot, totals) + "</section>\n";
    } catch (const std::invalid_argument& error) {
      html += fmt::format("<section class=\"plot\"><p>{}: {}</p></section>\n", text::xml(plot.name),
                          text::xml(error.what()));
    }
  }
  return html;
}

std::string cells(const std::vector<std::string>& texts, const char* tag) {
  std::string html;
  for (const std::string& text : texts) html += fmt::format("<{0}>{1}</{0}>", tag, text::xml(text));
  return html;
}

std::string table_section(const Plan& plan, const std::vector<Total>& totals) {
  const std::vector<std::string> parameters = varying_parameters(plan, totals);
  const std::vector<std::string> metrics = known_metrics(totals);
  std::vector<std::string> head = parameters;
  head.insert(head.end(), metrics.begin(), metrics.end());
  head.emplace_back("bound by");
  std::string html = "<section><h2>Table</h2><div class=\"wide\"><table><thead><tr>" +
                     cells(head, "th") + "</tr></thead><tbody>\n";
  for (const Total& total : totals) {
    std::vector<std::string> row;
    for (const std::string& name : parameters) row.push_back(value_of(total.parameters, name));
    for (const std::string& name : metrics) {
      const auto number = total.number(name);
      row.push_back(number ? tick_text(*number) : "-");
    }
    row.push_back(total.complete ? total.text("bound_by") : total.reason);
    html += fmt::format("<tr data-row=\"{}\">{}</tr>\n", total.configuration, cells(row, "td"));
  }
  return html + "</tbody></table></div></section>\n";
}

std::string failure_section(const std::vector<Row>& rows) {
  std::string html;
  for (const Row& row : rows) {
    const PointState state = row.record.state;
    if (state == PointState::kDone || state == PointState::kOpen) continue;
    html += fmt::format("<li>point {}, {}: {}: {}</li>\n", row.point->number,
                        text::xml(label_of(row.point->parameters)), state_text(state),
                        text::xml(row.record.failure.reason));
  }
  return html.empty() ? html
                      : "<section><h2>Without a result</h2><ul>" + html + "</ul></section>\n";
}

}  // namespace

std::string report_html(const Folder& folder, const std::vector<Row>& rows,
                        const std::vector<Total>& totals) {
  const Plan& plan = folder.plan();
  const auto done = std::count_if(rows.begin(), rows.end(), [](const Row& row) {
    return row.record.state == PointState::kDone;
  });
  std::string body =
      fmt::format("<h1>{}</h1>\n<p>{}</p>\n<p>{} of {} points done. Model revision {}.</p>\n",
                  text::xml(plan.name), text::xml(plan.description), done, rows.size(),
                  text::xml(plan.revision));
  const bool any =
      std::any_of(totals.begin(), totals.end(), [](const Total& total) { return total.complete; });
  if (any) body += parallel_section(plan, totals) + plot_sections(plan, totals);
  body += table_section(plan, totals) + failure_section(rows);
  body += "<section><details><summary>SPEC</summary><pre>" + text::xml(plan.spec_text) +
          "</pre></details></section>\n";
  return html_page("tcsim sweep: " + plan.name, body);
}

}  // namespace tcsim::sweep
