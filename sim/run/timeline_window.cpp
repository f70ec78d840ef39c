#include "sim/run/timeline_window.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "sim/files/nearest.hpp"
#include "sim/run/request.hpp"
#include "sim/text/number.hpp"

namespace tcsim::run {
namespace {

std::optional<Cycle> whole(std::string_view text) {
  const auto value = text::number_of<Cycle>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

}  // namespace

CycleRange parse_cycles(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto first = whole(std::string_view(text).substr(0, colon));
  const auto end =
      colon == std::string::npos ? std::nullopt : whole(std::string_view(text).substr(colon + 1));
  if (!first || !end || *first >= *end) {
    throw RequestError(
        fmt::format("'{}' is not FIRST:END with FIRST before END, for example 5000:5200", text));
  }
  return {*first, *end};
}

int parse_unit_number(const std::string& text) {
  constexpr Cycle kMost = 100'000;
  const auto value = whole(text);
  if (!value || *value > kMost)
    throw RequestError(fmt::format("'{}' is not a number from 0 to {}", text, kMost));
  return static_cast<int>(*value);
}

timeline::Window parse_window(const std::string& text) {
  timeline::Window window;
  std::set<std::string> given;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    try {
      if (!given.insert(key).second) throw RequestError("given twice");
      if (key == "sm") {
        window.sm = parse_unit_number(value);
      } else if (key == "sub-core") {
        window.sub_core = parse_unit_number(value);
      } else if (key == "cycles") {
        const CycleRange cycles = parse_cycles(value);
        window.first = cycles.first;
        window.end = cycles.end;
      } else {
        throw RequestError("unknown key; allowed: sm, sub-core, cycles" +
                           files::did_you_mean(key, {"sm", "sub-core", "cycles"}));
      }
    } catch (const RequestError& error) {
      throw RequestError(fmt::format("{}: {}", key, error.what()));
    }
  }
  if (!given.contains("cycles"))
    throw RequestError(fmt::format("'{}' names no cycles; add cycles=FIRST:END", text));
  return window;
}

std::string window_text(const timeline::Window& window) {
  return fmt::format("sm={}{},cycles={}:{}", window.sm,
                     window.sub_core ? fmt::format(",sub-core={}", *window.sub_core) : "",
                     window.first, window.end);
}

void check_window(const timeline::Window& window, const config::Machine& machine) {
  if (window.sm >= machine.gpu.sms) {
    throw RequestError(
        fmt::format("SM {}: {} has SMs 0 to {}", window.sm, machine.name, machine.gpu.sms - 1));
  }
  if (window.sub_core && *window.sub_core >= machine.sm.sub_cores) {
    throw RequestError(fmt::format("sub-core {}: {} has sub-cores 0 to {}", *window.sub_core,
                                   machine.name, machine.sm.sub_cores - 1));
  }
}

}  // namespace tcsim::run
