#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <string>
#include <thread>
#include <utility>

#include "sim/serve/http/gate.hpp"
#include "sim/serve/http/listener.hpp"

namespace tcsim::serve {

/// A listener on its own thread, whose application echoes the request. /never has no reply.
class Served {
 public:
  explicit Served(const http::WireLimits& limits = {})
      : listener_(context_, "127.0.0.1", 0, limits),
        gate_(http::random_word(), listener_.port(), {"lab.example.org"}) {
    listener_.start(gate_, [this](const http::Request& request, const http::Answer& answer) {
      ++asked_;
      if (request.path == "/never") return answer.when_gone([this] { ++gone_; });
      answer({200, request.method + " " + request.path + " " + request.body, "text/plain"});
    });
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Served() {
    boost::asio::post(context_, [this] { listener_.stop(); });
    thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
  [[nodiscard]] const std::string& token() const { return gate_.token(); }
  /// Number of requests that the application received.
  [[nodiscard]] int asked() const { return asked_; }
  /// Number of those who went while they waited for the reply of /never.
  [[nodiscard]] int gone() const { return gone_; }

  /// A request with the right host and token.
  [[nodiscard]] std::string request(const std::string& method, const std::string& target,
                                    const std::string& fields = "",
                                    const std::string& body = "") const {
    return method + " " + target + " HTTP/1.1\r\nHost: " + host() + "\r\nAuthorization: Bearer " +
           token() + "\r\n" +
           (body.empty() ? ""
                         : "Content-Type: application/json\r\nContent-Length: " +
                               std::to_string(body.size()) + "\r\n") +
           fields + "\r\n" + body;
  }

 private:
  boost::asio::io_context context_{1};
  http::Listener listener_;
  http::Gate gate_;
  std::atomic<int> asked_ = 0;
  std::atomic<int> gone_ = 0;
  std::thread thread_;
};

}  // namespace tcsim::serve
