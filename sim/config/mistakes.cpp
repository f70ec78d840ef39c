#include "sim/config/mistakes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "sim/config/error.hpp"

namespace tcsim::config {
namespace {

std::tuple<int, int, int, int> order(const Place& place) {
  if (place.set > 0) return {2, 0, place.set, 0};
  if (place.line == 0) return {1, 0, 0, 0};
  return {0, -place.base, place.line, place.column};
}

}  // namespace

Mistakes::Mistakes(std::string file) : files_{std::move(file)} {}

void Mistakes::add(const Place& place, std::string_view key, const std::string& reason) {
  const std::string& file = files_.at(static_cast<std::size_t>(place.base));
  std::string where = file;
  if (place.set > 0)
    where = fmt::format("--set #{}", place.set);
  else if (place.line > 0)
    where = fmt::format("{}:{}:{}", file, place.line, place.column);
  const std::string message = key.empty() ? fmt::format("{}: {}", where, reason)
                                          : fmt::format("{}: {}: {}", where, key, reason);
  entries_.push_back({place, message});
}

void Mistakes::finish() const {
  if (entries_.empty()) return;
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry& a, const Entry& b) { return order(a.place) < order(b.place); });
  std::vector<std::string> messages;
  std::set<std::string_view> told;
  for (const Entry& entry : sorted)
    if (told.insert(entry.message).second) messages.push_back(entry.message);
  throw ConfigError(std::move(messages));
}

}  // namespace tcsim::config
