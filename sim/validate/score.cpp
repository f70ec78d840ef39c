#include "sim/validate/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tcsim::validate {
namespace {

/// Linear between the two ranks around `fraction` of sorted values.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (rank - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double one : values) sum += one;
  return sum / static_cast<double>(values.size());
}

bool is_constant(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least == most;
}

/// None for fewer than three pairs, which a straight line always meets, or where one is constant.
std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr std::size_t kFewest = 3;
  if (x.size() < kFewest || is_constant(x) || is_constant(y)) return std::nullopt;
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

std::optional<TileScore> tile_score(const std::vector<const Comparison*>& rows) {
  std::vector<double> tried;
  std::vector<double> fastest;
  std::vector<double> nearest;
  for (const Comparison* row : rows) {
    if (row->tiles.empty()) return std::nullopt;
    tried.push_back(static_cast<double>(row->tiles.size()));
    fastest.push_back(std::abs(row->error_percent(row->fastest().simulated_us)));
    nearest.push_back(std::abs(row->error_percent(row->nearest().simulated_us)));
  }
  return TileScore{mean(tried), mean(fastest), mean(nearest)};
}

std::optional<NamedScore> named_score(const std::vector<const Comparison*>& rows) {
  std::vector<double> named;
  std::vector<double> chosen;
  for (const Comparison* row : rows) {
    if (!row->named) continue;
    named.push_back(std::abs(row->error_percent(row->named->simulated_us)));
    chosen.push_back(std::abs(row->error_percent()));
  }
  if (named.empty()) return std::nullopt;
  return NamedScore{static_cast<int>(named.size()), mean(named), mean(chosen)};
}

GroupScore score(const std::vector<const Comparison*>& rows) {
  std::vector<double> errors;
  std::vector<double> absolute;
  std::vector<double> simulated;
  std::vector<double> measured;
  for (const Comparison* row : rows) {
    errors.push_back(row->error_percent());
    absolute.push_back(std::abs(row->error_percent()));
    simulated.push_back(std::log(row->simulated_us));
    measured.push_back(std::log(row->measurement.time_us));
  }
  std::sort(absolute.begin(), absolute.end());
  constexpr double kMedian = 0.5;
  constexpr double kNineOfTen = 0.9;
  GroupScore result;
  result.rows = static_cast<int>(rows.size());
  result.mape = mean(absolute);
  result.median_ape = quantile(absolute, kMedian);
  result.bias = mean(errors);
  result.pearson_log = correlation(simulated, measured);
  result.p90_ape = quantile(absolute, kNineOfTen);
  result.named = named_score(rows);
  result.tiles = tile_score(rows);
  return result;
}

}  // namespace

const TileTime& Comparison::fastest() const {
  return *std::ranges::min_element(tiles, {}, &TileTime::simulated_us);
}

const TileTime& Comparison::nearest() const {
  return *std::ranges::min_element(
      tiles, {}, [this](const TileTime& one) { return std::abs(error_percent(one.simulated_us)); });
}

std::vector<GroupScore> score_groups(const std::vector<Comparison>& rows) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::vector<const Comparison*>> groups;
  for (const Comparison& row : rows) {
    const Measurement& m = row.measurement;
    groups[{m.gpu, m.op, m.dtype, m.unit, std::string(size_class(m.time_us))}].push_back(&row);
  }
  std::vector<GroupScore> scores;
  for (const auto& [key, members] : groups) {
    scores.push_back(score(members));
    GroupScore& last = scores.back();
    std::tie(last.gpu, last.op, last.dtype, last.unit, last.size_class) = key;
  }
  return scores;
}

GroupScore score_total(const std::vector<Comparison>& rows) {
  std::vector<const Comparison*> all;
  all.reserve(rows.size());
  for (const Comparison& row : rows) all.push_back(&row);
  GroupScore total = score(all);
  total.gpu = total.op = total.dtype = total.unit = total.size_class = "all";
  return total;
}

nlohmann::ordered_json score_json(const GroupScore& score) {
  nlohmann::ordered_json json{{"gpu", score.gpu},
                              {"op", score.op},
                              {"dtype", score.dtype},
                              {"unit", score.unit},
                              {"size_class", score.size_class},
                              {"rows", score.rows},
                              {"mape", score.mape},
                              {"median_ape", score.median_ape},
                              {"bias", score.bias},
                              {"pearson_log", nullptr},
                              {"p90_ape", score.p90_ape}};
  if (score.pearson_log) json["pearson_log"] = *score.pearson_log;
  if (score.named) {
    json["named_rows"] = score.named->rows;
    json["named_mape"] = score.named->mape;
    json["named_rows_chosen_mape"] = score.named->chosen_mape;
  }
  if (score.tiles) {
    json["tiles_tried"] = score.tiles->tried;
    json["fastest_tile_mape"] = score.tiles->fastest_mape;
    json["nearest_tile_mape"] = score.tiles->nearest_mape;
  }
  return json;
}

}  // namespace tcsim::validate
