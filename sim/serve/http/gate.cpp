#include "sim/serve/http/gate.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sim/errors/errors.hpp"
#include "sim/text/hex.hpp"
#include "sim/text/lower_case.hpp"

namespace tcsim::serve::http {
namespace {

constexpr std::size_t kMostSessions = 4096;
constexpr std::string_view kBearer = "bearer ";   ///< a scheme in any case: RFC 7235, 2.1
constexpr std::string_view kScripts = "scripts";  ///< the client of all who send the token itself

/// In a time that does not tell how much of `given` is right.
bool is_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

/// "127.0.0.1" of "127.0.0.1:8080", "::1" of "[::1]:8080"; empty if `host` has another form.
std::string name_in(const std::string& host) {
  const bool is_v6 = host.starts_with('[');
  const std::size_t end = is_v6 ? host.find(']') : host.find(':');
  if (is_v6 && end == std::string::npos) return "";
  const std::size_t behind = is_v6 ? end + 1 : std::min(end, host.size());
  const std::string_view port = std::string_view(host).substr(behind);
  const bool is_sound =
      port.empty() ||
      (port.size() > 1 && port.front() == ':' &&
       std::ranges::all_of(port.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
  if (!is_sound) return "";
  return text::lower_case(is_v6 ? host.substr(1, end - 1) : host.substr(0, behind));
}

bool is_loopback(const std::string& address) {
  return address == "::1" || address.starts_with("127.");
}

/// A browser says that another site asks, and not for the page itself by a link.
bool is_of_another_site(const Incoming& incoming, const std::string& path) {
  if (incoming.fetch_site.empty() || incoming.fetch_site == "same-origin" ||
      incoming.fetch_site == "none")
    return false;
  return !(incoming.method == "GET" && path == "/" && incoming.fetch_mode == "navigate");
}

constexpr const char* kNoToken =
    "This needs the link that tcsim serve printed when it started: it contains the token.";

/// "application/json" of "Application/JSON; charset=utf-8".
std::string media_type(const std::string& content_type) {
  std::string type = text::lower_case(content_type.substr(0, content_type.find(';')));
  type.erase(type.find_last_not_of(" \t") + 1);
  return type;
}

}  // namespace

std::string random_word() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw IoError(std::string("no random numbers: ") + std::strerror(errno));
  std::string word;
  for (const unsigned char byte : bytes) word += text::hex_of(byte);
  return word;
}

Gate::Gate(std::string token, std::uint16_t port, std::vector<std::string> hosts,
           std::vector<std::string> open_paths)
    : token_(std::move(token)),
      cookie_name_("tcsim-" + std::to_string(port)),
      hosts_(std::move(hosts)),
      open_paths_(std::move(open_paths)) {}

bool Gate::is_own_host(const Incoming& incoming) const {
  if (incoming.hosts != 1) return false;
  const std::string name = name_in(incoming.host);
  if (name.empty()) return false;
  return name == incoming.local_address ||
         (name == "localhost" && is_loopback(incoming.local_address)) ||
         std::ranges::find(hosts_, name) != hosts_.end();
}

std::string Gate::session_of(std::string_view cookies) {
  while (!cookies.empty()) {
    std::string_view part = cookies.substr(0, cookies.find(';'));
    cookies.remove_prefix(std::min(cookies.size(), part.size() + 1));
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (!part.starts_with(cookie_name_ + "=")) continue;
    const auto known = last_use_.find(part.substr(cookie_name_.size() + 1));
    if (known == last_use_.end()) continue;
    known->second = ++uses_;
    return known->first;
  }
  return "";
}

std::string Gate::new_session() {
  if (last_use_.size() >= kMostSessions)
    last_use_.erase(
        std::ranges::min_element(last_use_, {}, [](const auto& entry) { return entry.second; }));
  std::string session = random_word();
  last_use_[session] = ++uses_;
  return session;
}

Gate::Verdict Gate::judge(const Incoming& incoming) {
  Admitted admitted;
  Request& request = admitted.request;
  request.method = incoming.method;
  if (!split_target(incoming.target, request.path, request.query))
    return refusal(400, "the target is not of the form /path?name=value");
  if (!is_own_host(incoming))
    return refusal(403, "the Host field does not name this server (--host NAME adds a name)");
  const bool has_origin = !incoming.origin.empty();
  if ((has_origin &&
       text::lower_case(incoming.origin) != "http://" + text::lower_case(incoming.host)) ||
      is_of_another_site(incoming, request.path))
    return refusal(403, "the request comes from a page of another site");

  const bool is_reading = incoming.method == "GET";
  if (!is_reading && incoming.method != "POST" && incoming.method != "DELETE") {
    Reply reply = refusal(405, "the methods are GET, POST and DELETE");
    reply.fields.emplace_back("Allow", "GET, POST, DELETE");
    return reply;
  }
  if (text::lower_case(incoming.authorization.substr(0, kBearer.size())) == kBearer) {
    if (!is_secret(std::string_view(incoming.authorization).substr(kBearer.size()), token_))
      return refusal(401, kNoToken);
    request.client = kScripts;
  } else {
    request.client = session_of(incoming.cookie);
    const auto token = request.query.find("token");
    const bool is_link = is_reading && request.path == "/" && token != request.query.end();
    if (request.client.empty() && is_link && is_secret(token->second, token_)) {
      request.client = new_session();
      admitted.set_cookie =
          cookie_name_ + "=" + request.client + "; Path=/; HttpOnly; SameSite=Strict";
    }
    const bool is_open =
        is_reading && !is_link && std::ranges::find(open_paths_, request.path) != open_paths_.end();
    if (request.client.empty() && !is_open) return refusal(401, kNoToken);
    if (!is_reading && !has_origin)
      return refusal(403, "a request that changes something needs an Origin field");
    request.query.erase("token");
  }
  if (incoming.method == "POST" && media_type(incoming.content_type) != "application/json")
    return refusal(415, "the body has to be application/json");
  return admitted;
}

}  // namespace tcsim::serve::http
