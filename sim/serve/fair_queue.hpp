#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace tcsim::serve {

/// Numbers that wait in the lines of their clients. Clients take turns however many each has
/// waiting, so a client waits for at most one number of each other client before its own next.
class FairQueue {
 public:
  using Number = std::uint64_t;

  void push(const std::string& client, Number number) {
    auto line = line_of(client);
    if (line == lines_.end()) line = lines_.insert(lines_.end(), {client, {}});
    line->second.push_back(number);
  }

  /// The next one, out of the queue; nothing if it is empty.
  std::optional<Number> pop() {
    if (lines_.empty()) return std::nullopt;
    Line line = std::move(lines_.front());
    lines_.pop_front();
    const Number number = line.second.front();
    line.second.pop_front();
    if (!line.second.empty()) lines_.push_back(std::move(line));
    return number;
  }

  /// Takes `number` out; false if it does not wait.
  bool remove(Number number) {
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      const auto found = std::ranges::find(line->second, number);
      if (found == line->second.end()) continue;
      line->second.erase(found);
      if (line->second.empty()) lines_.erase(line);
      return true;
    }
    return false;
  }

  /// How many come out before `number`; nothing if it does not wait.
  [[nodiscard]] std::optional<std::size_t> ahead_of(Number number) const {
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      const auto found = std::ranges::find(line->second, number);
      if (found == line->second.end()) continue;
      const auto turn = static_cast<std::size_t>(found - line->second.begin());
      std::size_t count = turn;
      for (auto other = lines_.begin(); other != lines_.end(); ++other)
        if (other != line) count += std::min(other->second.size(), turn + (other < line ? 1U : 0U));
      return count;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (const Line& line : lines_) count += line.second.size();
    return count;
  }

 private:
  using Line = std::pair<std::string, std::deque<Number>>;

  std::deque<Line>::iterator line_of(const std::string& client) {
    return std::ranges::find(lines_, client, &Line::first);
  }

  std::deque<Line> lines_;  ///< none is empty; the first has its turn
};

}  // namespace tcsim::serve
