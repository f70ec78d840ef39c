#pragma once

#include <systemc>

#include <iterator>
#include <utility>
#include <vector>

namespace tcsim::gpu {

/// A channel between two shells with evaluate/update semantics: what is posted in one delta cycle
/// can be taken from the next one on, in the order of posting. So the order in which SystemC runs
/// processes cannot change results.
template <typename Item>
class Mailbox : public sc_core::sc_prim_channel {
 public:
  explicit Mailbox(const char* name) : sc_core::sc_prim_channel(name) {}

  void post(Item item) {
    posted_.push_back(std::move(item));
    request_update();
  }
  /// Posts [first, last).
  template <typename Iterator>
  void post(Iterator first, Iterator last) {
    if (first == last) return;
    posted_.insert(posted_.end(), first, last);
    request_update();
  }
  /// True if everything posted has been taken.
  bool empty() const { return posted_.empty() && delivered_.empty(); }
  /// Moves everything that has been delivered to the end of `items`.
  void take(std::vector<Item>& items) { move_to_end(delivered_, items); }

 private:
  void update() override { move_to_end(posted_, delivered_); }

  static void move_to_end(std::vector<Item>& from, std::vector<Item>& to) {
    if (to.empty())
      to.swap(from);
    else
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    from.clear();
  }

  std::vector<Item> posted_;
  std::vector<Item> delivered_;
};

}  // namespace tcsim::gpu
