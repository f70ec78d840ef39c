#include "sim/serve/lane.hpp"

#include <chrono>
#include <exception>
#include <vector>

#include "sim/process/child.hpp"

namespace tcsim::serve {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);

}  // namespace

Lane::Lane(boost::asio::io_context& context, const Limits& limits)
    : timer_(context), limits_(limits) {}

Lane::~Lane() = default;

std::optional<Lane::Number> Lane::submit(const std::string& client, Start start, End end) {
  if (is_stopped_ || is_full() || !has_room(client)) return std::nullopt;
  const Number number = ++last_;
  work_[number] = {{}, std::move(start), std::move(end)};
  enter(client, number);
  schedule();
  return number;
}

bool Lane::join(const std::string& client, Number number) {
  if (work_.at(number).clients.contains(client)) return true;
  if (!has_room(client)) return false;
  enter(client, number);
  return true;
}

void Lane::withdraw(const std::string& client, Number number) {
  const auto work = work_.find(number);
  if (work == work_.end() || work->second.clients.erase(client) == 0) return;
  uncount(client);
  queue_.remove(client, number);
  if (work->second.clients.empty()) cancel(number);
}

bool Lane::has_room(const std::string& client) const {
  const auto count = counts_.find(client);
  return (count == counts_.end() ? 0 : count->second) < limits_.per_client;
}

void Lane::enter(const std::string& client, Number number) {
  work_.at(number).clients.insert(client);
  ++counts_[client];
  if (!running_.contains(number)) queue_.push(client, number);
}

void Lane::uncount(const std::string& client) {
  const auto count = counts_.find(client);
  if (--count->second == 0) counts_.erase(count);
}

void Lane::cancel(Number number) {
  queue_.remove(number);
  running_.erase(number);  // kills it
  work_.at(number).end = {};
  finish(number, {});
}

void Lane::stop() {
  is_stopped_ = true;
  timer_.cancel();
  while (!work_.empty()) cancel(work_.begin()->first);
}

std::optional<std::size_t> Lane::ahead_of(Number number) const { return queue_.ahead_of(number); }

std::string Lane::errors_of(Number number) const {
  const auto child = running_.find(number);
  return child == running_.end() ? "" : child->second->errors_so_far();
}

void Lane::schedule() {
  if (is_scheduled_ || is_stopped_) return;
  is_scheduled_ = true;
  timer_.expires_after(running_.empty() ? std::chrono::milliseconds(0) : kPollInterval);
  timer_.async_wait([this](boost::system::error_code error) {
    is_scheduled_ = false;
    if (!error) poll();
  });
}

void Lane::poll() {
  std::vector<Number> ended;
  for (const auto& [number, child] : running_) {
    if (child->running())
      child->keep_limit();
    else
      ended.push_back(number);
  }
  for (const Number number : ended) {
    const auto child = running_.extract(number);
    if (!child.empty()) finish(number, {child.mapped()->result(), ""});
  }
  while (running_.size() < limits_.at_once && !queue_.is_empty()) start_next();
  if (!running_.empty()) schedule();
}

void Lane::start_next() {
  const Number number = *queue_.pop();
  try {
    const Launch launch = work_.at(number).start();
    running_[number] = std::make_unique<process::Child>(number, launch.command, launch.options);
  } catch (const std::exception& error) {  // whatever it is, the others have their turns
    running_.erase(number);
    finish(number, {{}, error.what()});
  }
}

void Lane::finish(Number number, const Ending& ending) {
  const auto work = work_.extract(number);
  for (const std::string& client : work.mapped().clients) uncount(client);
  if (work.mapped().end) work.mapped().end(ending);
}

}  // namespace tcsim::serve
