#include "workloads/kernels/conv/pair_values.hpp"

namespace tcsim::kernels {

bool PairValues::knows(Element element) {
  return is_16_bit(element) || element == Element::kFp32 || element == Element::kTf32;
}

Instructions PairValues::unpack(int first) const {
  if (!is_16_bit(element_)) return {};
  return {widened(element_, first + 1, first, 1), widened(element_, first, first, 0)};
}

Instructions PairValues::unpack_one(int to) const {
  if (!is_16_bit(element_)) return {};
  return {widened(element_, to, to, 0)};
}

Instructions PairValues::pack(int first) const { return narrow(element_, unit_, first, kPair); }

}  // namespace tcsim::kernels
