#include "tests/serve/serve_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

namespace tcsim::serve {
namespace {

std::string first_line(int descriptor) {
  std::string line;
  for (char c = 0; ::read(descriptor, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

std::string command_line(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ServeProcess::ServeProcess(const std::vector<std::string>& options) {
  std::vector<std::string> words{TCSIM_BINARY, "serve"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
  link_ = first_line(output_);
  const std::size_t colon = link_.rfind(':');
  if (colon != std::string::npos)
    port_ = static_cast<std::uint16_t>(std::atoi(link_.c_str() + colon + 1));
}

ServeProcess::~ServeProcess() {
  if (process_ > 0) end(SIGTERM);  // it removes its temporary folder
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(output_);
}

int ServeProcess::end(int signal) {
  ::kill(process_, signal);
  for (int i = 0; i < 1000; ++i) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -1;
}

std::vector<pid_t> ServeProcess::children() const {
  const std::string process = std::to_string(process_);
  std::ifstream file("/proc/" + process + "/task/" + process + "/children");
  std::vector<pid_t> children;
  // Until it runs its own command, a child is a copy of the server, which waits for it.
  for (pid_t child = 0; file >> child;)
    if (command_line(child) != command_line(process_)) children.push_back(child);
  return children;
}

std::string ServeProcess::message(const std::string& what, const std::string& fields,
                                  const std::string& body) const {
  const std::string sent = what.starts_with("GET") ? "" : body;
  return what + " HTTP/1.1\r\nHost: " + host() + "\r\nOrigin: http://" + host() + "\r\n" + fields +
         "Content-Type: application/json\r\nContent-Length: " + std::to_string(sent.size()) +
         "\r\n\r\n" + sent;
}

std::string ServeProcess::request(const std::string& client, const std::string& method,
                                  const std::string& target, const std::string& body) {
  if (!cookies_.contains(client)) {
    RawClient wire(port_);
    wire.send(message("GET /?token=" + token(), "", ""));
    const std::string field = wire.read(60).field("Set-Cookie");
    cookies_[client] = field.substr(0, field.find(';'));
  }
  return message(method + " " + target, "Cookie: " + cookies_.at(client) + "\r\n", body);
}

RawReply ServeProcess::ask(const std::string& client, const std::string& method,
                           const std::string& target, const std::string& body) {
  const std::string bytes = request(client, method, target, body);
  RawClient wire(port_);
  wire.send(bytes);
  return wire.read(60);
}

Json ServeProcess::json(const std::string& client, const std::string& method,
                        const std::string& target, const Json& body) {
  const RawReply reply = ask(client, method, target, body.is_null() ? "" : body.dump());
  Json json = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) json["http"] = reply.status;
  return json;
}

Json ServeProcess::finished(const std::string& client, const std::string& id) {
  for (int i = 0; i < 3000; ++i) {
    const Json state = json(client, "GET", "/api/runs/" + id);
    if (!state.contains("state") || (state["state"] != "waiting" && state["state"] != "running"))
      return state;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return nullptr;
}

}  // namespace tcsim::serve
