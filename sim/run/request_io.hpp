#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/run/request.hpp"

namespace tcsim::run {

/// The fields that an interface received, by name; a flag has the text "true". Empty texts count as
/// absent.
using GivenFields = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The request with the fields `given`. Throws RequestError for the first invalid field, or for
/// fields that contradict each other.
RunRequest make_request(const GivenFields& given);

/// Throws RequestError for fields of `request` that contradict each other or have no effect;
/// `given` has those that were written.
void check_fields(const RunRequest& request, const GivenFields& given);

/// The request in `text`, a JSON or YAML mapping of names of fields to values; `file` names it in
/// messages. Throws config::ConfigError with every mistake, `file:line:column: field: reason`.
RunRequest read_request(const std::string& file, const std::string& text);

/// Every field of `request` that is not at its default; read_request reads it back.
nlohmann::ordered_json request_json(const RunRequest& request);

/// The same as words of `tcsim run`.
std::vector<std::string> command_words(const RunRequest& request);

}  // namespace tcsim::run
