#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include "scripts/gpu/common/errors.hpp"

namespace tcsim::measure {

/// Throws ProgramError if a call into CUDA failed.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const bool absent = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  throw ProgramError(absent ? kNotCovered : kStopped,
                     std::string(what) + ": " + cudaGetErrorString(status));
}

/// Waits for the kernels launched so far. Throws ProgramError if one failed.
inline void finish(const char* what) {
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
}

inline int attribute(cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, 0), "cudaDeviceGetAttribute");
  return value;
}

/// `size` elements in the memory of the GPU.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* get() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return values;
  }
  void clear() { check(cudaMemset(data_, 0, size_ * sizeof(T)), "cudaMemset"); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace tcsim::measure
