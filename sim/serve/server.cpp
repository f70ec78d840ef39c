#include "sim/serve/server.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <thread>

#include "sim/serve/api.hpp"
#include "sim/serve/confined_command.hpp"
#include "sim/serve/http/gate.hpp"
#include "sim/serve/http/listener.hpp"
#include "sim/serve/lane.hpp"
#include "sim/serve/pages.hpp"
#include "sim/serve/runs.hpp"
#include "sim/serve/store.hpp"

namespace tcsim::serve {
namespace {

constexpr std::uint64_t kKibibyte = 1024;
constexpr auto kStopInterval = std::chrono::milliseconds(50);
/// A browser asks a few things at once: a check, a peak, a forecast and what typing left behind.
constexpr std::size_t kQuestionsOfAClient = 6;

std::size_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

http::WireLimits wire_limits(const Settings& settings) {
  http::WireLimits limits;
  limits.body_bytes = kKibibyte * static_cast<std::uint64_t>(settings.body_kib);
  limits.connections = static_cast<std::size_t>(settings.connections);
  return limits;
}

Lane::Limits run_limits(const Settings& settings) {
  return {.at_once = settings.jobs > 0 ? static_cast<std::size_t>(settings.jobs) : processors(),
          .per_client = static_cast<std::size_t>(settings.queue)};
}

std::string link_of(const Settings& settings, std::uint16_t port, const std::string& token) {
  std::string host = settings.address;
  if (settings.is_everywhere() && !settings.hosts.empty())
    host = settings.hosts.front();
  else if (settings.is_everywhere())
    host = host == "::" ? "::1" : "127.0.0.1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return "http://" + host + ":" + std::to_string(port) + "/?token=" + token;
}

}  // namespace

// The order matters: who uses another one stands behind it, and goes first.
struct Server::Parts {
  explicit Parts(const Settings& settings)
      : store(settings.store, settings.store_mib, settings.read_only),
        listener(context, settings.address, settings.port, wire_limits(settings)),
        gate(http::random_word(), listener.port(), settings.hosts, page_paths()),
        runs_lane(context, run_limits(settings)),
        questions_lane(context, {.at_once = processors() + 1, .per_client = kQuestionsOfAClient}),
        runs(runs_lane, store, settings, program_hash()),
        api(questions_lane, runs, settings),
        link(link_of(settings, listener.port(), gate.token())) {}

  boost::asio::io_context context{1};
  Store store;
  http::Listener listener;
  http::Gate gate;
  Lane runs_lane;
  Lane questions_lane;
  Runs runs;
  Api api;
  std::string link;
};

Server::Server(const Settings& settings) : parts_(std::make_unique<Parts>(settings)) {}

Server::~Server() = default;

const std::string& Server::link() const { return parts_->link; }

void Server::run(const std::function<bool()>& is_stopped) {
  Parts& parts = *parts_;
  parts.listener.start(parts.gate,
                       [&parts](const http::Request& request, const http::Answer& answer) {
                         parts.api.answer(request, answer);
                       });
  boost::asio::steady_timer timer(parts.context);
  std::function<void(boost::system::error_code)> look = [&](boost::system::error_code) {
    if (is_stopped()) return parts.context.stop();
    timer.expires_after(kStopInterval);
    timer.async_wait(look);
  };
  look({});
  parts.context.run();
  parts.listener.stop();
  parts.runs_lane.stop();
  parts.questions_lane.stop();
}

}  // namespace tcsim::serve
