#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tcsim::serve {

/// Numbers that wait in the lines of their clients. Clients take turns however many each has
/// waiting, so a client waits for at most one number of each other client before its own next. A
/// number that several clients want stands in the line of each and comes out once, at the first of
/// their turns.
class FairQueue {
 public:
  using Number = std::uint64_t;

  /// `number` must not stand in the line of `client` yet.
  void push(const std::string& client, Number number) {
    auto line = line_of(client);
    if (line == lines_.end()) line = lines_.insert(lines_.end(), {client, {}});
    line->second.push_back(number);
  }

  /// The next one, out of the queue; nothing if it is empty.
  std::optional<Number> pop() {
    if (lines_.empty()) return std::nullopt;
    const Number number = lines_.front().second.front();
    std::rotate(lines_.begin(), lines_.begin() + 1, lines_.end());
    remove(number);
    return number;
  }

  /// Takes `number` out of every line.
  void remove(Number number) {
    for (Line& line : lines_) std::erase(line.second, number);
    std::erase_if(lines_, [](const Line& line) { return line.second.empty(); });
  }

  /// Takes `number` out of the line of `client`; other clients still wait for it.
  void remove(const std::string& client, Number number) {
    const auto line = line_of(client);
    if (line == lines_.end()) return;
    std::erase(line->second, number);
    if (line->second.empty()) lines_.erase(line);
  }

  /// How many come out before `number`; nothing if it does not wait.
  [[nodiscard]] std::optional<std::size_t> ahead_of(Number number) const {
    std::unordered_set<Number> out;
    std::vector<std::size_t> places(lines_.size());  // in each line, behind those that are out
    for (bool is_moving = true; is_moving;) {
      is_moving = false;
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto& line = lines_[i].second;
        while (places[i] < line.size() && out.contains(line[places[i]])) ++places[i];
        if (places[i] == line.size()) continue;
        if (line[places[i]] == number) return out.size();
        out.insert(line[places[i]]);
        is_moving = true;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_empty() const { return lines_.empty(); }

 private:
  using Line = std::pair<std::string, std::deque<Number>>;

  std::deque<Line>::iterator line_of(const std::string& client) {
    return std::ranges::find(lines_, client, &Line::first);
  }

  std::deque<Line> lines_;  ///< none is empty; the first has its turn
};

}  // namespace tcsim::serve
