#pragma once

#include <deque>
#include <span>
#include <systemc>
#include <vector>

#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

/// A port that carries register images, the first image lowest, lane 0 lowest in each.
template <int kBits>
using RegisterPort = sc_core::sc_signal<sc_dt::sc_bv<kBits>>;

/// Requires kBits / 1024 images.
template <int kBits>
sc_dt::sc_bv<kBits> to_bits(std::span<const RegisterImage> images) {
  sc_dt::sc_bv<kBits> bits;
  int word = 0;
  for (const RegisterImage& image : images)
    for (const std::uint32_t lane : image) bits.set_word(word++, lane);
  return bits;
}

template <int kBits>
std::vector<RegisterImage> to_images(const sc_dt::sc_bv<kBits>& bits) {
  std::vector<RegisterImage> images(kBits / 1024);
  int word = 0;
  for (RegisterImage& image : images)
    for (std::uint32_t& lane : image) lane = static_cast<std::uint32_t>(bits.get_word(word++));
  return images;
}

/// Drives `port` and `valid` with the front of `queue`, if there is one.
template <int kBits>
void offer(RegisterPort<kBits>& port, sc_core::sc_signal<bool>& valid,
           const std::deque<RegisterImage>& queue) {
  valid.write(!queue.empty());
  if (!queue.empty()) port.write(to_bits<kBits>(std::span(&queue.front(), 1)));
}

}  // namespace tcsim::rtl
