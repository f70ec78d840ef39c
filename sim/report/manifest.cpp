#include "sim/report/manifest.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <thread>

#include "sim/files/escaped_text.hpp"
#include "sim/files/utf8.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/revision.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

Json host_json() {
  utsname system{};
  Json json;
  if (::uname(&system) == 0) {
    json["name"] = system.nodename;
    json["system"] = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  json["hardware_threads"] = std::thread::hardware_concurrency();
  return json;
}

/// Arguments are any bytes. All of them are escaped if one must be, so that they can be read back.
void add_arguments(const std::vector<std::string>& arguments, Json& json) {
  const bool are_text = std::ranges::all_of(arguments, [](const std::string& argument) {
    return files::utf8_length(argument) == argument.size();
  });
  json["arguments"] = arguments;
  if (are_text) return;
  for (Json& argument : json["arguments"])
    argument = files::always_escaped_text(argument.get_ref<const std::string&>());
  json["arguments_escaped"] = true;
}

Json common_json(const Manifest& manifest) {
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["complete"] = manifest.complete;
  json["stopped_by"] = manifest.stopped_by;
  json["command"] = shell_line(manifest.command);
  add_arguments(manifest.command, json);
  json["revision"] = revision();
  json["started_utc"] = manifest.started_utc;
  json["wall_s"] = manifest.wall_s;
  json["host"] = host_json();
  json["seed"] = nullptr;  // no model draws random numbers
  json["fidelity"] = manifest.fidelity;
  return json;
}

}  // namespace

Json manifest_json(const Manifest& manifest, const RunInputs& inputs) {
  Json json = common_json(manifest);
  json["configuration_hash"] = configuration_hash(inputs);
  json["machine"] = {{"name", inputs.machine},
                     {"hash", hash_text(inputs.effective_machine)},
                     {"effective", inputs.effective_machine}};
  json["workload"] = {
      {"words", inputs.workload},    {"hash", hash_text(inputs.workload + inputs.workload_content)},
      {"title", inputs.title},       {"unit", inputs.unit},
      {"l2_state", inputs.l2_state}, {"tiles", inputs.kernel_tiles}};
  return json;
}

Json manifest_json(const Manifest& manifest, const std::vector<std::string>& machines,
                   const std::string& workload) {
  Json json = common_json(manifest);
  json["machines"] = machines;
  json["workload"] = {{"words", workload}};
  return json;
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

std::string shell_line(const std::vector<std::string>& arguments) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/+@%";
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(kSafe) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (const char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace tcsim::report
