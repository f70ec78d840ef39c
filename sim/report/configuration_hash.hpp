#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/files/file_kind.hpp"

namespace tcsim::report {

struct RunInputs;

/// XXH3-128 of `text` as 32 hexadecimal digits.
std::string hash_text(std::string_view text);

/// The same of all bytes of a file of `kind`. Throws IoError.
std::string hash_file(const std::filesystem::path& path, files::FileKind kind);

/// The hash of everything that determines a run's result: effective machine, workload with the
/// kernels of its file, unit, L2 state, tiles, data that do not toggle, and the boost clock of a
/// run below it. Equal hashes mean equal inputs; fidelity, --max-cycles, host, quantum and output
/// options do not enter.
std::string configuration_hash(const RunInputs& inputs);

}  // namespace tcsim::report
