#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sim/core_rtl/core_source.hpp"
#include "sim/rtl/signal.hpp"

namespace tcsim::core_rtl {

/// A loaded library made by build_core; creates any number of modules.
class CoreLibrary {
 public:
  /// Throws IoError.
  explicit CoreLibrary(const std::filesystem::path& file);
  ~CoreLibrary();
  CoreLibrary(const CoreLibrary&) = delete;
  CoreLibrary& operator=(const CoreLibrary&) = delete;

 private:
  friend class CoreModule;
  template <typename Function>
  void find(const std::filesystem::path& file, const char* name, Function*& function);

  void* handle_ = nullptr;
  void* (*create_)() = nullptr;
  void (*destroy_)(void*) = nullptr;
  int (*port_)(const char*) = nullptr;
  void (*write_)(void*, int, const std::uint32_t*) = nullptr;
  void (*read_)(void*, int, std::uint32_t*) = nullptr;
  const char* (*evaluate_)(void*) = nullptr;
  const void* (*signal_)(void*, const char*, const char*, int*, int*) = nullptr;
};

/// One Verilated module with its pins. Words hold the bits of a port from the low end.
class CoreModule {
 public:
  explicit CoreModule(std::shared_ptr<const CoreLibrary> library);
  ~CoreModule();
  CoreModule(const CoreModule&) = delete;
  CoreModule& operator=(const CoreModule&) = delete;

  /// The number of the port `name`. Throws std::logic_error if there is none.
  [[nodiscard]] int port(const std::string& name) const;
  void write(int port, std::span<const std::uint32_t> words);
  void write(int port, std::uint32_t word);
  void read(int port, std::span<std::uint32_t> words) const;
  [[nodiscard]] std::uint32_t read(int port) const;
  /// Applies written inputs. Throws std::logic_error if an assertion of the RTL fails.
  void evaluate();
  /// Throws std::logic_error if there is no such signal.
  [[nodiscard]] rtl::Signal signal(const std::string& scope, const std::string& name) const;

 private:
  std::shared_ptr<const CoreLibrary> library_;
  void* core_;
};

}  // namespace tcsim::core_rtl
