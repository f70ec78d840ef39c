#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::serve {

/// How a server is reached and what its clients may take.
struct Settings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                        ///< 0: a free one
  std::vector<std::string> hosts{};              ///< further names of this machine
  bool read_only = false;                        ///< answers from the store, runs nothing
  std::optional<std::filesystem::path> store{};  ///< of results; nothing: gone at the end
  std::vector<std::filesystem::path> sweeps{};   ///< folders whose progress is shown
  int body_kib = 256;                            ///< of a request
  int connections = 256;                         ///< at once
  int jobs = 0;                                  ///< runs at once; 0: the processors of this host
  int queue = 8;                                 ///< waiting and running runs of a client
  double run_s = 60;                             ///< wall time of a run
  int memory_mib = 4096;                         ///< of a run
  int store_mib = 2048;                          ///< of all stored results

  /// Listens at every address of this machine.
  [[nodiscard]] bool is_everywhere() const { return address == "0.0.0.0" || address == "::"; }
};

}  // namespace tcsim::serve
