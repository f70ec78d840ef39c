#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/serve/raw_client.hpp"

namespace tcsim::serve {

using Json = nlohmann::json;

/// A separate `tcsim serve`, killed with the object.
class ServeProcess {
 public:
  explicit ServeProcess(const std::vector<std::string>& options = {});
  ~ServeProcess();
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  /// The link that it printed first; empty if it ended without one.
  [[nodiscard]] const std::string& link() const { return link_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// The processes that run a command it has started.
  [[nodiscard]] std::vector<pid_t> children() const;
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string token() const { return link_.substr(link_.rfind('=') + 1); }
  /// Sends `signal` and returns the exit status; -1 if it does not end in seconds.
  int end(int signal);

  /// A request of a browser that has the cookie of `client`; a new client opens the link first.
  std::string request(const std::string& client, const std::string& method,
                      const std::string& target, const std::string& body = "");
  /// What the server replies to it.
  RawReply ask(const std::string& client, const std::string& method, const std::string& target,
               const std::string& body = "");
  /// The same for its JSON.
  Json json(const std::string& client, const std::string& method, const std::string& target,
            const Json& body = nullptr);
  /// Polls the run until it has ended.
  Json finished(const std::string& client, const std::string& id);

 private:
  [[nodiscard]] std::string message(const std::string& what, const std::string& fields,
                                    const std::string& body) const;

  pid_t process_ = -1;
  int output_ = -1;
  std::string link_;
  std::uint16_t port_ = 0;
  std::map<std::string, std::string> cookies_;
};

}  // namespace tcsim::serve
