#pragma once

#include <dlfcn.h>

#include <string>

namespace tcsim::measure {

/// Clocks, temperature and power of one GPU through NVML, which comes with the driver. Everything
/// is optional: without the library or a sensor a value is -1. Names and numbers: NVML's header.
class Nvml {
 public:
  explicit Nvml(const std::string& pci_bus_id)
      : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    const auto start = function<int()>("nvmlInit_v2");
    const auto find = function<int(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (start == nullptr || find == nullptr || start() != 0) return;
    if (find(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (library_ != nullptr) dlclose(library_);
  }

  bool available() const { return device_ != nullptr; }
  int sm_mhz() const { return of_kind("nvmlDeviceGetClockInfo", kSmClock); }
  int memory_mhz() const { return of_kind("nvmlDeviceGetClockInfo", kMemoryClock); }
  int max_sm_mhz() const { return of_kind("nvmlDeviceGetMaxClockInfo", kSmClock); }
  int max_memory_mhz() const { return of_kind("nvmlDeviceGetMaxClockInfo", kMemoryClock); }
  int application_sm_mhz() const { return of_kind("nvmlDeviceGetApplicationsClock", kSmClock); }
  int temperature_c() const { return of_kind("nvmlDeviceGetTemperature", 0); }
  int power_mw() const { return plain("nvmlDeviceGetPowerUsage"); }
  int power_limit_mw() const { return plain("nvmlDeviceGetEnforcedPowerLimit"); }

  std::string driver() const {
    char text[96] = "";
    const auto get = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return get != nullptr && get(text, sizeof text) == 0 ? text : "";
  }

 private:
  static constexpr int kSmClock = 1;
  static constexpr int kMemoryClock = 2;

  template <class Signature>
  Signature* function(const char* name) const {
    return library_ == nullptr ? nullptr : reinterpret_cast<Signature*>(dlsym(library_, name));
  }
  int of_kind(const char* name, int kind) const {
    unsigned value = 0;
    const auto get = function<int(void*, int, unsigned*)>(name);
    return available() && get != nullptr && get(device_, kind, &value) == 0
               ? static_cast<int>(value)
               : -1;
  }
  int plain(const char* name) const {
    unsigned value = 0;
    const auto get = function<int(void*, unsigned*)>(name);
    return available() && get != nullptr && get(device_, &value) == 0 ? static_cast<int>(value)
                                                                      : -1;
  }

  void* library_;
  void* device_ = nullptr;
};

}  // namespace tcsim::measure
