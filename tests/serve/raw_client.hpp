#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace tcsim::serve {

/// A reply as received; status 0: the peer closed, or sent nothing in time.
struct RawReply {
  int status = 0;
  std::string head;  ///< status line and fields
  std::string body;

  /// The value of the field `name`, as the server writes it; empty if absent.
  [[nodiscard]] std::string field(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t start = at + name.size() + 4;
    return head.substr(start, head.find("\r\n", start) - start);
  }
};

/// A connection to a server on this host that can send any bytes.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool is_open() const { return is_open_; }

  /// False if the peer accepts no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  RawReply read(double seconds = 20) {
    RawReply reply;
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!receive(seconds)) return reply;
    reply.head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    constexpr std::size_t kStatusAt = 9;  // behind "HTTP/1.1 "
    reply.status = std::atoi(reply.head.substr(kStatusAt, 3).c_str());
    const auto length = static_cast<std::size_t>(std::atoll(reply.field("Content-Length").c_str()));
    while (received_.size() < length && receive(seconds)) {
    }
    reply.body = received_.substr(0, length);
    received_.erase(0, length);
    return reply;
  }

  /// True if the peer closes within `seconds`, whatever it sends before.
  bool is_closed_within(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      if (!receive(left.count()) && is_ended_) return true;
    }
    return false;
  }

 private:
  bool receive(double seconds) {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
    char bytes[16384];
    const ssize_t length = ::recv(socket_, bytes, sizeof bytes, 0);
    is_ended_ = length <= 0;
    if (length > 0) received_.append(bytes, static_cast<std::size_t>(length));
    return length > 0;
  }

  int socket_ = -1;
  bool is_open_ = false;
  bool is_ended_ = false;
  std::string received_;
};

}  // namespace tcsim::serve
