#include "sim/sweep/plot_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sim/files/nearest.hpp"

namespace tcsim::sweep {

std::vector<const Total*> chosen(const PlotRequest& plot, const std::vector<Total>& totals) {
  std::vector<const Total*> result;
  for (const Total& total : totals) {
    const bool meets =
        std::all_of(plot.where.begin(), plot.where.end(), [&](const NamedText& condition) {
          const std::string* value = find_value(total.parameters, condition.name);
          return value != nullptr && *value == condition.text;
        });
    if (meets && total.complete) result.push_back(&total);
  }
  if (result.empty()) throw std::invalid_argument("no configuration with a result to draw");
  return result;
}

std::vector<std::string> values_in(const std::vector<const Total*>& totals,
                                   const std::string& parameter) {
  if (parameter.empty()) return {""};
  std::vector<std::string> values;
  std::set<std::string_view> known;
  for (const Total* total : totals) {
    const std::string& value = value_of(total->parameters, parameter);
    if (known.insert(value).second) values.push_back(value);
  }
  return values;
}

std::vector<const Total*> with_value(const std::vector<const Total*>& totals,
                                     const std::string& parameter, const std::string& value) {
  if (parameter.empty()) return totals;
  std::vector<const Total*> result;
  std::copy_if(totals.begin(), totals.end(), std::back_inserter(result),
               [&](const Total* total) { return value_of(total->parameters, parameter) == value; });
  return result;
}

double metric_of(const Total& total, const std::string& metric) {
  if (const auto value = total.number(metric)) return *value;
  std::vector<std::string_view> names;
  for (const MetricValue& value : total.metrics) {
    if (value.number) names.push_back(value.name);
  }
  throw std::invalid_argument(
      fmt::format("no metric '{}'{}", metric, files::did_you_mean(metric, names)));
}

std::string title_of(const PlotRequest& plot, const std::string& otherwise) {
  return plot.title.empty() ? otherwise : plot.title;
}

}  // namespace tcsim::sweep
