#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/serve/http/gate.hpp"
#include "sim/serve/http/message.hpp"

namespace tcsim::serve::http {

/// What a connection may take.
struct WireLimits {
  std::uint32_t header_bytes = 8192;
  std::uint64_t body_bytes = 256UL * 1024;
  double header_s = 15;  ///< from the end of the last reply to the whole next header
  double body_s = 20;    ///< for the rest of the request
  double reply_s = 60;   ///< for the peer to take the reply
  /// At once; one more replaces the connection that has waited longest for a request.
  std::size_t connections = 256;
};

/// Accepts connections and passes the requests that `gate` admits to an application. Runs in the
/// context's one thread. A malformed or too large request is answered and its connection closed; a
/// connection that is too slow is closed.
class Listener {
 public:
  /// Binds `address`, "127.0.0.1" or "::1", and `port`, 0 for a free one. Throws UsageError for
  /// what is no address, IoError if it cannot be bound.
  Listener(boost::asio::io_context& context, const std::string& address, std::uint16_t port,
           const WireLimits& limits);
  // NOLINTNEXTLINE(bugprone-exception-escape): closing sockets and cancelling timers do not fail
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// Starts to accept. `gate` must outlive the context's run.
  void start(Gate& gate, Application application);
  /// Accepts no more and closes every connection.
  void stop();

  class State;  ///< of the listener's file alone

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tcsim::serve::http
