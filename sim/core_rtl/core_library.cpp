#include "sim/core_rtl/core_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "sim/errors/errors.hpp"

namespace tcsim::core_rtl {

template <typename Function>
void CoreLibrary::find(const std::filesystem::path& file, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle_, name));
  if (function == nullptr) throw IoError(fmt::format("{}: no {} in it", file.string(), name));
}

CoreLibrary::CoreLibrary(const std::filesystem::path& file)
    : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr)
    throw IoError(fmt::format("{}: cannot load: {}", file.string(), ::dlerror()));
  find(file, "tcsim_core_create", create_);
  find(file, "tcsim_core_destroy", destroy_);
  find(file, "tcsim_core_port", port_);
  find(file, "tcsim_core_write", write_);
  find(file, "tcsim_core_read", read_);
  find(file, "tcsim_core_evaluate", evaluate_);
  find(file, "tcsim_core_signal", signal_);
}

CoreLibrary::~CoreLibrary() { ::dlclose(handle_); }

CoreModule::CoreModule(std::shared_ptr<const CoreLibrary> library)
    : library_(std::move(library)), core_(library_->create_()) {}

CoreModule::~CoreModule() { library_->destroy_(core_); }

int CoreModule::port(const std::string& name) const {
  const int index = library_->port_(name.c_str());
  if (index < 0) throw std::logic_error("no port " + name);
  return index;
}

void CoreModule::write(int port, std::span<const std::uint32_t> words) {
  library_->write_(core_, port, words.data());
}

void CoreModule::write(int port, std::uint32_t word) {
  const std::array<std::uint32_t, 2> words{word, 0};
  write(port, words);
}

void CoreModule::read(int port, std::span<std::uint32_t> words) const {
  library_->read_(core_, port, words.data());
}

std::uint32_t CoreModule::read(int port) const {
  std::array<std::uint32_t, 2> words{};
  read(port, words);
  return words[0];
}

void CoreModule::evaluate() {
  if (const char* const failed = library_->evaluate_(core_); failed != nullptr)
    throw std::logic_error(fmt::format("an assertion of the RTL does not hold: {}", failed));
}

rtl::Signal CoreModule::signal(const std::string& scope, const std::string& name) const {
  int width = 0;
  int wide = 0;
  const void* const data = library_->signal_(core_, scope.c_str(), name.c_str(), &width, &wide);
  if (data == nullptr) throw std::logic_error("no public signal " + scope + "." + name);
  return {data, width, wide != 0};
}

}  // namespace tcsim::core_rtl
