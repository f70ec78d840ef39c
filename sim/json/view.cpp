#include "sim/json/view.hpp"

#include <fmt/format.h>

#include <limits>

#include "sim/config/error.hpp"

namespace tcsim::json {
namespace {

constexpr std::size_t kShownValueBytes = 40;  // of a value in a message

std::string member_place(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

/// The place of `wanted`, found by its address; nothing if it is not inside `value`.
std::optional<std::string> place_below(const Json& value, const std::string& place,
                                       const Json* wanted) {
  if (&value == wanted) return place;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      if (auto found = place_below(member, member_place(place, key), wanted)) return found;
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto found = place_below(value[i], fmt::format("{}[{}]", place, i), wanted)) return found;
  }
  return std::nullopt;
}

template <typename Integer>
Integer integer_of(const View& view, const std::string& shown) {
  const Json& value = view.json();
  const auto refuse = [&] {
    view.refuse(fmt::format("expected an integer from {} to {}, got {}",
                            std::numeric_limits<Integer>::min(),
                            std::numeric_limits<Integer>::max(), shown));
  };
  if (!value.is_number_integer()) refuse();
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (!std::in_range<Integer>(number)) refuse();
    return static_cast<Integer>(number);
  }
  const auto number = value.get<std::int64_t>();
  if (!std::in_range<Integer>(number)) refuse();
  return static_cast<Integer>(number);
}

}  // namespace

View::View() : View(Json(), "") {}

View::View(Json document, std::string file)
    : document_(std::make_shared<const Document>(Document{std::move(document), std::move(file)})),
      value_(&document_->root) {}

View::View(std::shared_ptr<const Document> document, const Json& value)
    : document_(std::move(document)), value_(&value) {}

View View::at(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  const std::string where = place();
  throw config::ConfigError(
      {fmt::format("{}: {}: missing", file(), member_place(where, std::string(key)))});
}

std::optional<View> View::find(std::string_view key) const {
  if (!is_object()) refuse(fmt::format("expected an object, got {}", shown()));
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) return std::nullopt;
  return View(document_, *found);
}

std::vector<View> View::elements() const {
  if (!is_array()) refuse(fmt::format("expected an array, got {}", shown()));
  std::vector<View> views;
  views.reserve(value_->size());
  for (const Json& element : *value_) views.push_back(View(document_, element));
  return views;
}

std::vector<std::pair<std::string, View>> View::items() const {
  if (!is_object()) refuse(fmt::format("expected an object, got {}", shown()));
  std::vector<std::pair<std::string, View>> views;
  views.reserve(value_->size());
  for (const auto& [key, member] : value_->items())
    views.emplace_back(key, View(document_, member));
  return views;
}

template <>
bool View::get<bool>() const {
  if (!is_boolean()) refuse(fmt::format("expected true or false, got {}", shown()));
  return value_->get<bool>();
}

template <>
int View::get<int>() const {
  return integer_of<int>(*this, shown());
}

template <>
std::int64_t View::get<std::int64_t>() const {
  return integer_of<std::int64_t>(*this, shown());
}

template <>
std::uint64_t View::get<std::uint64_t>() const {
  return integer_of<std::uint64_t>(*this, shown());
}

template <>
double View::get<double>() const {
  if (!is_number()) refuse(fmt::format("expected a number, got {}", shown()));
  return value_->get<double>();
}

template <>
std::string View::get<std::string>() const {
  if (!is_string()) refuse(fmt::format("expected a text, got {}", shown()));
  return value_->get<std::string>();
}

double View::number(double least, double most) const {
  const auto value = get<double>();
  if (!(value >= least && value <= most))
    refuse(fmt::format("expected a number from {} to {}, got {}", least, most, shown()));
  return value;
}

bool View::is(std::string_view word) const {
  return is_string() && value_->get_ref<const std::string&>() == word;
}

std::string View::place() const { return place_below(document_->root, "", value_).value_or(""); }

void View::refuse(std::string_view reason) const {
  const std::string where = place();
  throw config::ConfigError({where.empty() ? fmt::format("{}: {}", file(), reason)
                                           : fmt::format("{}: {}: {}", file(), where, reason)});
}

std::string View::shown() const {
  if (is_object()) return "an object";
  if (is_array()) return "an array";
  // A file cannot contain text that is not UTF-8, but a program could.
  const std::string text = value_->dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kShownValueBytes ? text : text.substr(0, kShownValueBytes) + "...";
}

}  // namespace tcsim::json
