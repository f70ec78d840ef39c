#include "tests/timeline/kanata_checker.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace tcsim::timeline::test {
namespace {

std::optional<long long> number(const std::string& text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Checker {
 public:
  /// The rule that `fields`, one command, breaks; "" if none.
  std::string command(const std::vector<std::string>& fields) {
    const std::string& name = fields[0];
    static const std::map<std::string, std::size_t> sizes{{"C=", 2}, {"C", 2}, {"I", 4}, {"L", 4},
                                                          {"S", 4},  {"E", 4}, {"R", 4}, {"W", 4}};
    const auto size = sizes.find(name);
    if (size == sizes.end()) return "unknown command";
    if (fields.size() != size->second) return "wrong number of fields";
    const auto first = number(fields[1]);
    if (!first) return "not a number";
    if (name == "C=") return std::exchange(has_start_, true) ? "a second start" : "";
    if (!has_start_) return "no start cycle";
    if (name == "C") return *first > 0 ? "" : "time does not go on";
    if (name == "I") return begin(*first);
    const auto alive = alive_.find(*first);
    if (alive == alive_.end()) return "instruction is not alive";
    if (name == "L") return fields[2] == "0" || fields[2] == "1" ? "" : "unknown kind of label";
    if (name == "S") return start(alive->second, fields);
    if (name == "E") return end(alive->second, fields);
    if (name == "W") return arrow(*first, fields);
    return retire(*first, fields);
  }
  std::string at_end() const {
    if (!alive_.empty()) return "instructions never retire";
    for (const long long producer : producers_)
      if (!executes_.contains(producer)) return "an arrow starts where no stage has an X";
    return "";
  }

 private:
  using Lanes = std::map<std::string, std::string>;

  std::string begin(long long id) {
    if (id != next_++) return "instructions are not numbered in order";
    alive_[id];
    return "";
  }
  std::string start(Lanes& lanes, const std::vector<std::string>& fields) {
    if (lanes.contains(fields[2])) return "the lane still holds a stage";
    lanes[fields[2]] = fields[3];
    if (fields[2] == "0" && fields[3].find('X') != std::string::npos)
      executes_.insert(*number(fields[1]));
    return fields[3].empty() ? "stage without a name" : "";
  }
  static std::string end(Lanes& lanes, const std::vector<std::string>& fields) {
    const auto open = lanes.find(fields[2]);
    if (open == lanes.end() || open->second != fields[3]) return "the stage was not started";
    lanes.erase(open);
    return "";
  }
  std::string arrow(long long consumer, const std::vector<std::string>& fields) {
    const auto producer = number(fields[2]);
    if (!producer || *producer < 0 || *producer >= next_) return "unknown producer";
    if (*producer == consumer) return "depends on itself";
    producers_.insert(*producer);
    return fields[3] == "0" || fields[3] == "1" ? "" : "unknown kind of arrow";
  }
  std::string retire(long long id, const std::vector<std::string>& fields) {
    if (!alive_.at(id).empty()) return "retires with an open stage";
    alive_.erase(id);
    if (!retired_.insert(fields[2]).second) return "retire number used twice";
    return fields[3] == "0" || fields[3] == "1" ? "" : "unknown kind of retirement";
  }

  bool has_start_ = false;
  long long next_ = 0;
  std::map<long long, Lanes> alive_;
  std::set<std::string> retired_;
  std::set<long long> producers_;
  std::set<long long> executes_;
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream parts(line);
  for (std::string field; std::getline(parts, field, '\t');) fields.push_back(field);
  return fields;
}

}  // namespace

std::string kanata_mistake(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "Kanata\t0004") return "line 1: not Kanata 0004";
  Checker checker;
  for (int at = 2; std::getline(lines, line); ++at) {
    const std::vector<std::string> fields = fields_of(line);
    const std::string mistake = fields.empty() ? "empty line" : checker.command(fields);
    if (!mistake.empty()) return "line " + std::to_string(at) + ": " + mistake + ": " + line;
  }
  return checker.at_end();
}

}  // namespace tcsim::timeline::test
