#include "sim/serve/http/listener.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/errors/errors.hpp"

namespace tcsim::serve::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

/// Pages run their own scripts and styles alone, are in nobody's frame, and nothing is fetched from
/// elsewhere. A reply with its own policy says so.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr const char* kPolicyField = "Content-Security-Policy";

std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

std::string text(boost::string_view view) { return {view.data(), view.size()}; }

/// The address without the form of IPv4 in IPv6.
std::string plain_address(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

}  // namespace

class Connection;

class Listener::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& context, const WireLimits& limits)
      : limits_(limits), acceptor_(context), pause_(context) {}

  void bind(const std::string& address, std::uint16_t port);
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void start(Gate& gate, Application application) {
    gate_ = &gate;
    application_ = std::move(application);
    accept();
  }
  void stop();

  using Place = std::list<Connection*>::iterator;
  /// `connection` waits for a request from now on, until `leave`.
  Place wait(Connection* connection) { return waiting_.insert(waiting_.end(), connection); }
  void leave(Place place) { waiting_.erase(place); }
  Place join(Connection* connection) { return open_.insert(open_.end(), connection); }
  void part(Place place) { open_.erase(place); }

  [[nodiscard]] const WireLimits& limits() const { return limits_; }
  [[nodiscard]] Gate& gate() { return *gate_; }
  [[nodiscard]] const Application& application() const { return application_; }

 private:
  void accept();
  void take(tcp::socket socket);

  WireLimits limits_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  Gate* gate_ = nullptr;
  Application application_;
  std::list<Connection*> open_;
  std::list<Connection*> waiting_;  ///< the longest first
};

/// One connection: request, reply, request, reply.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, std::shared_ptr<Listener::State> listener)
      : stream_(std::move(socket)), listener_(std::move(listener)) {
    place_ = listener_->join(this);
    ErrorCode unheard;
    stream_.socket().non_blocking(true, unheard);  // for on_readable
  }
  ~Connection() {
    stop_waiting();
    listener_->part(place_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read_header();
  void close() {
    stop_waiting();
    ErrorCode unheard;
    stream_.socket().close(unheard);
  }

 private:
  void on_header(ErrorCode error);
  void invite_body(Gate::Admitted admitted);
  void read_body(Request request);
  void ask(Request request);
  void watch();
  void on_readable();
  void refuse_broken(ErrorCode error);
  void send(Reply reply, bool keeps_alive);
  void on_sent(ErrorCode error, bool keeps_alive);
  void drain();
  void stop_waiting() {
    if (waiting_) listener_->leave(*waiting_);
    waiting_.reset();
  }
  [[nodiscard]] Incoming incoming() const;

  beast::tcp_stream stream_;
  std::shared_ptr<Listener::State> listener_;
  Listener::State::Place place_;
  std::optional<Listener::State::Place> waiting_;
  beast::flat_buffer buffer_{std::size_t{64} * 1024};
  std::optional<wire::request_parser<wire::string_body>> parser_;
  std::optional<wire::response<wire::string_body>> response_;
  std::string set_cookie_;
  Answer::Act when_gone_;  ///< while an answer that can be left out is awaited
  std::size_t drained_ = 0;
};

void Listener::State::bind(const std::string& address, std::uint16_t port) {
  ErrorCode error;
  const asio::ip::address parsed = asio::ip::make_address(address, error);
  if (error)
    throw UsageError("tcsim serve: --listen: '" + address +
                     "' is not an address, such as 127.0.0.1 or ::1");
  const tcp::endpoint endpoint(parsed, port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    throw IoError(address + " port " + std::to_string(port) +
                  ": cannot listen: " + error.message());
}

void Listener::State::accept() {
  acceptor_.async_accept([self = shared_from_this()](ErrorCode error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      self->take(std::move(socket));
      self->accept();
      return;
    }
    // Out of descriptors, most likely: those who have them will give some back.
    self->pause_.expires_after(std::chrono::milliseconds(100));
    self->pause_.async_wait([self](ErrorCode stopped) {
      if (!stopped) self->accept();
    });
  });
}

void Listener::State::take(tcp::socket socket) {
  if (open_.size() >= limits_.connections) {
    if (waiting_.empty()) return;  // every other one is at work: this one is closed
    waiting_.front()->close();
  }
  std::make_shared<Connection>(std::move(socket), shared_from_this())->read_header();
}

void Listener::State::stop() {
  ErrorCode unheard;
  acceptor_.close(unheard);
  pause_.cancel();
  for (Connection* connection : open_) connection->close();
}

Incoming Connection::incoming() const {
  const auto& request = parser_->get();
  const auto field = [&](const char* name) { return text(request[name]); };
  Incoming incoming;
  incoming.method = text(request.method_string());
  incoming.target = text(request.target());
  incoming.hosts = static_cast<int>(request.count(wire::field::host));
  incoming.host = field("Host");
  incoming.origin = field("Origin");
  incoming.cookie = field("Cookie");
  incoming.authorization = field("Authorization");
  incoming.content_type = field("Content-Type");
  incoming.fetch_site = field("Sec-Fetch-Site");
  incoming.fetch_mode = field("Sec-Fetch-Mode");
  ErrorCode unheard;
  incoming.local_address = plain_address(stream_.socket().local_endpoint(unheard).address());
  return incoming;
}

void Connection::read_header() {
  parser_.emplace();
  parser_->header_limit(listener_->limits().header_bytes);
  parser_->body_limit(listener_->limits().body_bytes);
  waiting_ = listener_->wait(this);
  stream_.expires_after(duration(listener_->limits().header_s));
  wire::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_header(error); });
}

void Connection::on_header(ErrorCode error) {
  stop_waiting();
  if (error) return refuse_broken(error);
  Gate::Verdict verdict = listener_->gate().judge(incoming());
  // What is refused is not read, and ends the connection: whatever follows would be its body.
  if (auto* refused = std::get_if<Reply>(&verdict)) return send(std::move(*refused), false);
  invite_body(std::get<Gate::Admitted>(std::move(verdict)));
}

/// A peer may wait with its body until it hears that it is wanted (RFC 9110, 10.1.1).
void Connection::invite_body(Gate::Admitted admitted) {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  set_cookie_ = std::move(admitted.set_cookie);
  stream_.expires_after(duration(listener_->limits().body_s));
  const auto& header = parser_->get();
  if (parser_->is_done() || header.version() < 11 ||
      !beast::iequals(header[wire::field::expect], "100-continue"))
    return read_body(std::move(admitted.request));
  asio::async_write(stream_, asio::buffer(kContinue),
                    [self = shared_from_this(), request = std::move(admitted.request)](
                        ErrorCode error, std::size_t) mutable {
                      error ? self->close() : self->read_body(std::move(request));
                    });
}

void Connection::read_body(Request request) {
  wire::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this(), request = std::move(request)](ErrorCode error,
                                                                             std::size_t) mutable {
                     error ? self->refuse_broken(error) : self->ask(std::move(request));
                   });
}

void Connection::ask(Request request) {
  stream_.expires_never();
  request.body = std::move(parser_->get().body());
  const bool keeps_alive = parser_->get().keep_alive();
  const auto self = shared_from_this();
  listener_->application()(
      std::move(request),
      Answer([self, keeps_alive](Reply reply) { self->send(std::move(reply), keeps_alive); },
             [self](Answer::Act act) {
               self->when_gone_ = std::move(act);
               self->watch();
             }));
}

/// Nothing is read before the reply, so that it is only seen here when the peer goes.
void Connection::watch() {
  stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](ErrorCode error) {
    if (!error) self->on_readable();
  });
}

/// The end of what the peer sends counts as its going, though it might still read.
void Connection::on_readable() {
  if (!when_gone_) return;
  char next = 0;
  ErrorCode error;
  stream_.socket().receive(asio::buffer(&next, 1), tcp::socket::message_peek, error);
  if (error == asio::error::would_block) return watch();
  if (error) std::exchange(when_gone_, nullptr)();  // otherwise it is the next request
}

/// What cannot be read: a peer that has gone or is too slow is not answered.
void Connection::refuse_broken(ErrorCode error) {
  if (error.category() != make_error_code(wire::error::end_of_stream).category() ||
      error == wire::error::end_of_stream || error == wire::error::partial_message)
    return close();
  if (error == wire::error::header_limit)
    return send(refusal(431, "the header of the request is too large"), false);
  if (error == wire::error::body_limit)
    return send(refusal(413, "the body of the request is too large (--body-kib)"), false);
  send(refusal(400, "not an HTTP request: " + error.message()), false);
}

void Connection::send(Reply reply, bool keeps_alive) {
  when_gone_ = nullptr;
  ErrorCode unheard;
  stream_.socket().cancel(unheard);  // watches no more
  response_.emplace(static_cast<wire::status>(reply.status), 11);
  auto& response = *response_;
  response.set(wire::field::content_type, reply.type);
  response.set("Cache-Control", "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set(kPolicyField, kPolicy);
  for (const auto& [name, value] : reply.fields) response.set(name, value);
  if (!set_cookie_.empty()) response.set(wire::field::set_cookie, set_cookie_);
  set_cookie_.clear();
  response.keep_alive(keeps_alive);
  response.body() = std::move(reply.body);
  response.prepare_payload();
  // A reply to HEAD, which is refused, has no body whatever it says.
  if (parser_->is_header_done() && parser_->get().method() == wire::verb::head)
    response.body().clear();
  stream_.expires_after(duration(listener_->limits().reply_s));
  wire::async_write(stream_, response,
                    [self = shared_from_this(), keeps_alive](ErrorCode error, std::size_t) {
                      self->on_sent(error, keeps_alive);
                    });
}

void Connection::on_sent(ErrorCode error, bool keeps_alive) {
  response_.reset();
  if (error) return close();
  if (keeps_alive) return read_header();
  ErrorCode unheard;
  stream_.socket().shutdown(tcp::socket::shutdown_send, unheard);
  stream_.expires_after(std::chrono::seconds(1));
  drain();
}

/// Reads on for a moment what the peer still sends: closing before would take the reply from it.
void Connection::drain() {
  constexpr std::size_t kMost = std::size_t{1024} * 1024;
  if (drained_ > kMost) return close();
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = shared_from_this()](ErrorCode error, std::size_t length) {
                            self->drained_ += length;
                            error ? self->close() : self->drain();
                          });
}

Listener::Listener(asio::io_context& context, const std::string& address, std::uint16_t port,
                   const WireLimits& limits)
    : state_(std::make_shared<State>(context, limits)) {
  state_->bind(address, port);
}

// NOLINTNEXTLINE(bugprone-exception-escape): closing sockets and cancelling timers do not fail
Listener::~Listener() { stop(); }

std::uint16_t Listener::port() const { return state_->port(); }

void Listener::start(Gate& gate, Application application) {
  state_->start(gate, std::move(application));
}

void Listener::stop() { state_->stop(); }

}  // namespace tcsim::serve::http
