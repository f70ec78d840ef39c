#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tcsim::dispatch {

/// SMs in the order in which they receive their first CTAs.
using SmOrder = std::vector<std::size_t>;

/// One SM of each TPC, then the others (GIL21, measured on Turing). Consecutive SMs in this order
/// are in different GPCs: the first TPC of every GPC comes before the second of any (Linux,
/// nouveau, gm200_grctx_generate_tpcid). SMs are numbered GPC by GPC. `sms_per_gpc` has one entry
/// for each GPC, its number of SMs, a multiple of `sms_per_tpc`.
inline SmOrder sm_order(int sms_per_tpc, const std::vector<int>& sms_per_gpc) {
  const int largest = std::ranges::max(sms_per_gpc);
  SmOrder order;
  for (int in_tpc = 0; in_tpc < sms_per_tpc; ++in_tpc) {
    for (int sm = in_tpc; sm < largest; sm += sms_per_tpc) {
      int first = 0;
      for (const int sms : sms_per_gpc) {
        if (sm < sms) order.push_back(static_cast<std::size_t>(first + sm));
        first += sms;
      }
    }
  }
  return order;
}

}  // namespace tcsim::dispatch
