#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/json/view.hpp"

namespace tcsim::report {

/// `object` with a last member `checksum`, the hash of all other members, so that a reader can
/// detect a change. White space does not count.
nlohmann::ordered_json sealed(nlohmann::ordered_json object);

/// False if `object` has no `checksum`, as a tcsim without checksums wrote it. Throws
/// config::ConfigError if it has one that does not fit the rest.
bool verify_seal(const json::View& object);

/// Where the bytes of a run's files stand, by the names of the files.
using FilePlaces = std::map<std::string, std::filesystem::path>;

/// `manifest` with the member `files`, a hash of every result file among `places`, and sealed.
/// Throws IoError.
nlohmann::ordered_json sealed_manifest(const FilePlaces& places, nlohmann::ordered_json manifest);

/// The same with the result files that are in `directory`.
nlohmann::ordered_json sealed_manifest(const std::filesystem::path& directory,
                                       nlohmann::ordered_json manifest);

/// Compares `manifest` with its seal and the file `name` of `directory` with what the manifest says
/// of it. False if the manifest has no seal. Throws config::ConfigError if either was changed
/// or the run has not finished, IoError.
bool verify_directory(const std::filesystem::path& directory, const json::View& manifest,
                      const std::string& name);

}  // namespace tcsim::report
