#include "sim/report/checksum.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/config/error.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/configuration_hash.hpp"

namespace tcsim::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kChecksum = "checksum";
constexpr const char* kFiles = "files";

// Results as data; pages and pictures can be made anew from them.
constexpr std::array kHashedFiles{"stats.json", "stats.csv",    "kernels.csv",
                                  "rows.json",  "rows.csv",     "network.json",
                                  "layers.csv", "streams.json", "critical_path.json"};

[[noreturn]] void refuse_changed(const std::string& file) {
  throw config::ConfigError({fmt::format(
      "{}: was changed since it was written (its checksum differs); run the workload again",
      file)});
}

}  // namespace

Json sealed(Json object) {
  object.erase(kChecksum);
  const std::string checksum = hash_text(files::json_text(object));
  object[kChecksum] = checksum;
  return object;
}

bool verify_seal(const json::View& object) {
  const auto checksum = object.find(kChecksum);
  if (!checksum) return false;
  Json content = object.json();
  content.erase(kChecksum);
  if (!checksum->is(hash_text(files::json_text(content)))) refuse_changed(object.file());
  return true;
}

Json sealed_manifest(const FilePlaces& places, Json manifest) {
  Json& hashes = manifest[kFiles] = Json::object();
  for (const char* name : kHashedFiles)
    if (const auto place = places.find(name); place != places.end())
      hashes[name] = hash_file(place->second, files::FileKind::kRun);
  return sealed(std::move(manifest));
}

Json sealed_manifest(const fs::path& directory, Json manifest) {
  FilePlaces places;
  for (const char* name : kHashedFiles)
    if (fs::exists(directory / name)) places.emplace(name, directory / name);
  return sealed_manifest(places, std::move(manifest));
}

bool verify_directory(const fs::path& directory, const json::View& manifest,
                      const std::string& name) {
  if (!verify_seal(manifest)) return false;
  const auto expected = manifest.at(kFiles).find(name);
  const std::string file = (directory / name).string();
  const std::string actual = hash_file(file, files::FileKind::kRun);
  if (const auto stopped_by = manifest.find("stopped_by");
      !expected && stopped_by && stopped_by->is("running"))
    throw config::ConfigError({fmt::format(
        "{}: is of a run that has not finished or was killed; run the workload again", file)});
  if (!expected)
    throw config::ConfigError({fmt::format(
        "{}: is not of this run, whose manifest does not list it; run the workload again", file)});
  if (!expected->is(actual)) refuse_changed(file);
  return true;
}

}  // namespace tcsim::report
