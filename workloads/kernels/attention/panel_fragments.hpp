#pragma once

#include <algorithm>
#include <limits>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/shared_panels.hpp"

namespace tcsim::kernels {

/// The addresses from which an LDSM.x4 reads 16 x 16 elements of `panels`. Lanes 8i..8i+7 name the
/// rows of matrix i: lane bit `row_bit` (3 or 4) selects the second eight rows, the other bit the
/// second eight columns.
isa::Address matrix_rows(const SharedPanels& panels, isa::Expression first_row, int column,
                         int row_bit);

/// LDSM.x4 into registers from `to` on: the 16 x 16 elements of `panels` with number `row` along
/// rows and `column` along columns. They are a B fragment for products over columns or, if
/// `transposed`, for products over rows. `stage`: bytes to the stage of the panels.
isa::Instruction moving_fragment(ProgramBuilder& builder, const AddressWork& work,
                                 const SharedPanels& panels, int row, int column, bool transposed,
                                 int to, const isa::Expression& stage = {});

/// Fragments that pass through registers: number i is at place i mod `places`, with `width`
/// registers each.
class FragmentRing {
 public:
  FragmentRing(int first, int places, int width = 4)
      : first_(first), places_(places), width_(width) {}

  [[nodiscard]] int ahead() const { return places_ - 1; }
  [[nodiscard]] int place(int number) const { return first_ + width_ * (number % places_); }

  /// Calls fetch(i) and use(i) for each of `count` fragments in turn. fetch runs as many fragments
  /// ahead of use as there are places, at most `most_ahead`. begin() is called after the first
  /// fetches.
  template <typename Fetch, typename Begin, typename Use>
  void run(int count, Fetch fetch, Begin begin, Use use, int most_ahead = kAny) const {
    const int first = std::min({ahead(), most_ahead, count});
    for (int i = 0; i < first; ++i) fetch(i);
    begin();
    for (int i = 0; i < count; ++i) {
      if (i + first < count) fetch(i + first);
      use(i);
    }
  }
  template <typename Fetch, typename Use>
  void run(int count, Fetch fetch, Use use) const {
    run(
        count, fetch, [] {}, use);
  }

 private:
  static constexpr int kAny = std::numeric_limits<int>::max();

  int first_;
  int places_;
  int width_;
};

}  // namespace tcsim::kernels
