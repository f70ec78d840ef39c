#pragma once

#ifdef __CUDACC__
#define TC_EVERYWHERE __host__ __device__
#else
#define TC_EVERYWHERE
#endif

namespace tcsim::measure {

// Which words of the operands a lane of m16n8 and of wgmma m64n8 holds (mma_instructions.cuh).
// Vector j of the eight that share an instruction is row j of A, and again row j + 8, and column j
// of B; its result is D(j, j).

struct Word {
  int vector;
  int word;
};

/// Register `r` of A in `lane`.
TC_EVERYWHERE constexpr Word word_of_a(int lane, int r) {
  return {lane / 4, lane % 4 + 4 * (r / 2)};
}

/// Register `r` of B in `lane`.
TC_EVERYWHERE constexpr Word word_of_b(int lane, int r) { return {lane / 4, lane % 4 + 4 * r}; }

/// True for the lane that holds D(j, j), j = lane / 4.
TC_EVERYWHERE constexpr bool holds_result(int lane) { return lane % 4 == lane / 8; }

/// Its element: the register, or the half of register 0.
TC_EVERYWHERE constexpr int result_element(int lane) { return lane / 4 % 2; }

}  // namespace tcsim::measure
