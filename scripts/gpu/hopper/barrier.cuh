#pragma once

#include <cstdint>

// mbarriers of Hopper. Every wait traps after two seconds, so that a mistake in a kernel cannot
// block the GPU. Instructions: PTX manual, "Parallel synchronization".

namespace tcsim::measure {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline void init_barrier(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes barriers that were set up visible to the TMA unit and to the other CTAs of the cluster.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ inline void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void arrive_expecting(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Arrives at the barrier with the same offset in CTA `rank` of the cluster.
__device__ inline void arrive_at(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{ .reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

__device__ inline bool try_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{ .reg .pred done;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done; }"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done != 0;
}

__device__ inline void wait(std::uint32_t barrier, std::uint32_t parity) {
  if (try_wait(barrier, parity)) return;
  const long long begin = clock64();
  while (!try_wait(barrier, parity))
    if (clock64() - begin > 4000000000LL) __trap();
}

/// One lane of the calling warp, elected so that the compiler knows that it is a single lane: what
/// it issues from uniform registers (TMA) needs no loop over lanes. All lanes of the warp call it.
__device__ inline bool elected() {
  std::uint32_t chosen;
  asm volatile(
      "{ .reg .pred chosen;\n"
      "elect.sync _|chosen, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, chosen; }"
      : "=r"(chosen));
  return chosen != 0;
}

/// Index of the calling warp in its CTA, in a form that is known to be the same for its lanes.
/// All lanes call it.
__device__ inline int warp_index() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

/// A place in a ring of stages and the parity of the barrier that the current round completes.
struct RingPlace {
  int stage = 0;
  std::uint32_t parity = 0;
  __device__ void advance(int stages) {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

__device__ inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ inline std::uint32_t rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

}  // namespace tcsim::measure
