#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::stats {

class Counter;

/// A named node of the counter tree. Groups and counters are members of the models that own them,
/// so they can be neither copied nor moved. The tree is walked after the run and never searched
/// during it.
class Group {
 public:
  /// A root. `name` is one path element, for example "gpu".
  explicit Group(std::string name) : name_(std::move(name)) {}
  /// A child of `parent`, which must outlive it.
  Group(std::string name, Group& parent) : name_(std::move(name)) {
    parent.children_.push_back(this);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() = default;

  const std::string& name() const { return name_; }
  const std::vector<Group*>& children() const { return children_; }
  const std::vector<Counter*>& counters() const { return counters_; }

  /// Sets every counter of the subtree to zero.
  void reset();

 private:
  friend class Counter;
  std::string name_;
  std::vector<Group*> children_;
  std::vector<Counter*> counters_;
};

/// An event count. `name`, `unit` and `sentence` must be string literals. The sentence states what
/// is counted and what is not; every report prints it.
class Counter {
 public:
  Counter(Group& parent, const char* name, const char* unit, const char* sentence)
      : name_(name), unit_(unit), sentence_(sentence) {
    parent.counters_.push_back(this);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() = default;

  void add(std::uint64_t amount = 1) { value_ += amount; }
  void reset() { value_ = 0; }
  std::uint64_t value() const { return value_; }
  std::string_view name() const { return name_; }
  std::string_view unit() const { return unit_; }
  std::string_view sentence() const { return sentence_; }

 private:
  std::uint64_t value_ = 0;
  const char* name_;  // pointers, not views: the counters of one unit then share few host cache
                      // lines
  const char* unit_;
  const char* sentence_;
};

inline void Group::reset() {
  for (Counter* counter : counters_) counter->reset();
  for (Group* child : children_) child->reset();
}

}  // namespace tcsim::stats
