#include "sim/report/array_files.hpp"

#include <algorithm>

#include "sim/errors/errors.hpp"
#include "sim/text/lower_case.hpp"

namespace tcsim::report {

std::string array_file(std::string_view name) {
  if (std::ranges::find(kArrays, name) == kArrays.end())
    throw InternalError("no run is known to compute the array " + std::string(name));
  return text::lower_case(std::string(name)) + ".npy";
}

std::string array_note_file(std::string_view name) { return array_file(name) + ".json"; }

}  // namespace tcsim::report
