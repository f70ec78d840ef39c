#include "sim/cli/serve_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/serve/server.hpp"
#include "sim/text/number.hpp"

namespace tcsim::cli {
namespace {

/// A whole number as it stands in an option.
struct Number {
  const char* option;
  const char* help;
  int least;
  int most;
  int serve::Settings::*field;
};

constexpr int kMostSize = 1 << 20;
constexpr Number kNumbers[] = {
    {"--jobs", "Runs at once (default: the processors of this host)", 1, 1024,
     &serve::Settings::jobs},
    {"--queue", "Runs that one client may have waiting or running (default: 8)", 1, 1000,
     &serve::Settings::queue},
    {"--memory-mib", "Largest memory of a run, MiB (default: 4096)", 64, kMostSize,
     &serve::Settings::memory_mib},
    {"--body-kib", "Largest size of a request, KiB (default: 256)", 1, kMostSize,
     &serve::Settings::body_kib},
    {"--connections", "Connections at once (default: 256)", 4, 65536,
     &serve::Settings::connections},
    {"--store-mib",
     "Largest size of all stored results, MiB; the least recently used are deleted (default: 2048)",
     1, 1 << 30, &serve::Settings::store_mib},
};

struct ServeTexts {
  std::string address;
  std::string port;
  std::string seconds;
  std::string store;
  std::vector<std::string> hosts;
  std::vector<std::string> sweeps;
  std::vector<std::string> numbers{std::size(kNumbers)};
  bool read_only = false;
};

template <typename Value>
Value number_in(const std::string& option, const std::string& text, Value least, Value most) {
  const auto value = text::number_of<Value>(text);
  if (!value || !(*value >= least) || *value > most)
    throw UsageError(fmt::format("tcsim serve: {}: {} is not a number from {} to {}", option,
                                 files::shown(text), least, most));
  return *value;
}

serve::Settings settings_in(const ServeTexts& texts) {
  constexpr int kMostPort = 65535;
  constexpr double kLeastSeconds = 0.1;
  constexpr double kMostSeconds = 86400;
  serve::Settings settings;
  if (!texts.address.empty()) settings.address = texts.address;
  if (!texts.port.empty())
    settings.port = static_cast<std::uint16_t>(number_in("--port", texts.port, 0, kMostPort));
  if (!texts.seconds.empty())
    settings.run_s = number_in("--seconds", texts.seconds, kLeastSeconds, kMostSeconds);
  for (std::size_t i = 0; i < std::size(kNumbers); ++i)
    if (!texts.numbers[i].empty())
      settings.*kNumbers[i].field =
          number_in(kNumbers[i].option, texts.numbers[i], kNumbers[i].least, kNumbers[i].most);
  if (!texts.store.empty()) settings.store = texts.store;
  for (const std::string& host : texts.hosts) {
    if (host.empty() ||
        host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") != std::string::npos)
      throw UsageError(
          fmt::format("tcsim serve: --host: {} is not a host name in lower case without a port",
                      files::shown(host)));
    settings.hosts.push_back(host);
  }
  for (const std::string& sweep : texts.sweeps) {
    std::error_code error;
    if (!std::filesystem::is_directory(sweep, error))
      throw UsageError(
          fmt::format("tcsim serve: --sweep: {} is not a folder", files::shown(sweep)));
    settings.sweeps.emplace_back(sweep);
  }
  settings.read_only = texts.read_only;
  if (settings.read_only && !settings.store)
    throw UsageError("tcsim serve: --read-only shows the results of --store DIR; add --store DIR");
  return settings;
}

int run_server(const serve::Settings& settings) {
  const InterruptGuard guard;
  serve::Server server(settings);
  fmt::print(std::cout, "{}\n", server.link());
  std::cout.flush();
  if (!settings.address.starts_with("127.") && settings.address != "::1")
    fmt::print(
        std::cerr,
        "note: others on the network can reach this port, and what they send is not "
        "encrypted; ssh -L is safer{}\n",
        settings.is_everywhere() && settings.hosts.empty()
            ? "; from elsewhere the link needs this machine's address in the place of its own"
            : "");
  server.run([] { return InterruptGuard::pending_signal() != 0; });
  return kDone;
}

}  // namespace

void add_serve_command(CLI::App& app, int& status) {
  const auto texts = std::make_shared<ServeTexts>();
  CLI::App* command = app.add_subcommand(
      "serve",
      "The playground: machines, runs and reports in the browser; prints the link to open");
  command->add_option("--port", texts->port, "Port (default: 0, a free one)");
  command->add_option("--listen", texts->address,
                      "Address of this machine (default: 127.0.0.1, which others cannot reach)");
  add_repeatable(*command, "--host", texts->hosts,
                 "Another name by which browsers reach this machine; repeatable");
  command->add_option("--store", texts->store,
                      "Folder that keeps results (default: a temporary one)");
  add_repeatable(*command, "--sweep", texts->sweeps,
                 "Folder of a sweep whose progress to show; repeatable");
  command->add_flag("--read-only", texts->read_only, "Show the results of --store and run nothing");
  command->add_option("--seconds", texts->seconds,
                      "Largest time of a run in seconds (default: 60)");
  for (std::size_t i = 0; i < std::size(kNumbers); ++i)
    command->add_option(kNumbers[i].option, texts->numbers[i], kNumbers[i].help);
  command->footer(
      "Examples:\n"
      "  tcsim serve                               # for yourself: open the link that it prints\n"
      "  tcsim serve --port 8080 --store results   # keeps results, always at the same port\n"
      "  tcsim serve --listen 0.0.0.0 --host lab.example.org --queue 4   # for a class");
  command->callback([texts, &status] { status = run_server(settings_in(*texts)); });
}

}  // namespace tcsim::cli
