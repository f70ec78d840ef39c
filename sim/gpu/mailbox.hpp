#pragma once

#include <systemc>

#include <iterator>
#include <utility>
#include <vector>

namespace tcsim::gpu {

/// A channel between two shells with evaluate/update semantics: what is posted in one delta cycle
/// can be taken from the next one on, in the order of posting, so the order in which SystemC runs
/// processes cannot change results.
template <typename Item>
class Mailbox : public sc_core::sc_prim_channel {
 public:
  explicit Mailbox(const char* name) : sc_core::sc_prim_channel(name) {}

  void post(Item item) {
    posted_.push_back(std::move(item));
    request_update();
  }
  /// True if nothing is posted that has not been taken.
  bool empty() const { return posted_.empty() && delivered_.empty(); }
  /// Moves everything that has been delivered to the end of `items`.
  void take(std::vector<Item>& items) {
    if (items.empty()) {
      items.swap(delivered_);
    } else {
      items.insert(items.end(), std::make_move_iterator(delivered_.begin()),
                   std::make_move_iterator(delivered_.end()));
    }
    delivered_.clear();
  }

 private:
  void update() override {
    delivered_.insert(delivered_.end(), std::make_move_iterator(posted_.begin()),
                      std::make_move_iterator(posted_.end()));
    posted_.clear();
  }

  std::vector<Item> posted_;
  std::vector<Item> delivered_;
};

}  // namespace tcsim::gpu
