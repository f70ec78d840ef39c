#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/serve/http/message.hpp"

namespace tcsim::serve::http {

/// 128 random bits of the system as 32 hexadecimal digits. Throws IoError.
std::string random_word();

/// Decides from the header alone, before a body is read, whether a client may make requests.
///
/// The link that the server prints holds a token. A browser that opens it receives a session in a
/// cookie that scripts cannot read and other sites do not receive; a script sends the token itself
/// ("Authorization: Bearer TOKEN"). Without one of them, everything is refused but the files of the
/// page, which hold no secrets: behind a link in another site the browser sends no cookie for the
/// page, but does so for all that the page then asks.
///
/// A page of another site can make a browser send requests here. So the Host field must name this
/// machine by a known name (against DNS rebinding), an Origin must be this server itself, and a
/// request that changes something must have one.
class Gate {
 public:
  /// A request that is allowed, and what the reply has to set.
  struct Admitted {
    Request request;         ///< without its body; `client` is empty where anybody may ask
    std::string set_cookie;  ///< a field of the reply; empty: none
  };
  using Verdict = std::variant<Reply, Admitted>;

  /// `port` makes the cookie's name, since browsers share cookies between the ports of a host.
  /// `hosts` are further names, apart from addresses and localhost, by which browsers reach this
  /// machine, in lower case. Anybody may read `open_paths`.
  Gate(std::string token, std::uint16_t port, std::vector<std::string> hosts,
       std::vector<std::string> open_paths = {});

  [[nodiscard]] Verdict judge(const Incoming& incoming);
  [[nodiscard]] const std::string& token() const { return token_; }

 private:
  [[nodiscard]] bool is_own_host(const Incoming& incoming) const;
  /// The session that the cookies name; empty if there is none.
  std::string session_of(std::string_view cookies);
  std::string new_session();

  std::string token_;
  std::string cookie_name_;
  std::vector<std::string> hosts_;
  std::vector<std::string> open_paths_;
  std::map<std::string, std::uint64_t, std::less<>> last_use_;  ///< of each session
  std::uint64_t uses_ = 0;
};

}  // namespace tcsim::serve::http
