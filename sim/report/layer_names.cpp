#include "sim/report/layer_names.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/text/number.hpp"

namespace tcsim::report {
namespace {

/// Parts of a name between dots.
std::vector<std::string_view> dotted_parts(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t dot = std::min(name.find('.', start), name.size());
    parts.push_back(name.substr(start, dot - start));
    start = dot + 1;
  }
  return parts;
}

}  // namespace

std::string block_of(const std::string& layer) {
  std::string block;
  std::string so_far;
  for (const std::string_view part : dotted_parts(layer)) {
    so_far += (so_far.empty() ? "" : ".") + std::string(part);
    if (text::all_digits(part)) block = so_far;
  }
  return block;
}

std::string like_name(const std::string& layer) {
  std::string name;
  for (const std::string_view part : dotted_parts(layer))
    name += (name.empty() ? "" : ".") + (text::all_digits(part) ? "*" : std::string(part));
  return name;
}

}  // namespace tcsim::report
