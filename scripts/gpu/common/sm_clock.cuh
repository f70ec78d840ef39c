#pragma once

#include <cmath>

#include "scripts/gpu/common/cuda_check.cuh"

namespace tcsim::measure {

__global__ void count_cycles(long long nanoseconds, long long* counted) {
  long long begin_ns, now_ns;
  const long long begin = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
  } while (now_ns - begin_ns < nanoseconds);
  counted[0] = clock64() - begin;
  counted[1] = now_ns - begin_ns;
}

/// Clock of the SMs now, MHz: cycles of one thread over 100 ms of the GPU's timer, whose steps are
/// at most a microsecond or two. It needs no library, but measures the clock under light load only.
inline int measured_sm_mhz() {
  DeviceArray<long long> counted(2);
  for (const long long milliseconds : {50, 100}) {  // the first raises the clocks
    count_cycles<<<1, 1>>>(milliseconds * 1000000, counted.get());
    finish("clock measurement");
  }
  const auto result = counted.read();
  return static_cast<int>(std::lround(1000.0 * result[0] / result[1]));
}

}  // namespace tcsim::measure
