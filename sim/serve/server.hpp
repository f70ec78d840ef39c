#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/serve/settings.hpp"

namespace tcsim::serve {

/// The playground: a server of HTTP for browsers, whose work is done by confined children of this
/// program (docs/serve.md). It itself reads nothing but requests.
class Server {
 public:
  /// Binds its port. Throws UsageError for settings that cannot be, IoError.
  explicit Server(const Settings& settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What a browser opens, with the token: "http://127.0.0.1:43121/?token=...".
  [[nodiscard]] const std::string& link() const;

  /// Serves until `is_stopped`, asked many times a second, is true; then kills the children that
  /// still run.
  void run(const std::function<bool()>& is_stopped);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tcsim::serve
