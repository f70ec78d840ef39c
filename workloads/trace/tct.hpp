#pragma once

#include <string>
#include <string_view>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// The text form of `launch` (docs/tct.md). Requires a launch that isa::validate accepts, with
/// buffers of different names and values within the bounds of docs/tct.md. read_tct returns
/// `canonical(launch)`.
std::string write_tct(const isa::KernelLaunch& launch);

/// The launch that `text` describes, in canonical form, accepted by isa::validate. `file_name` is
/// for messages. Throws InputError with every mistake, each `file:line:column: what: reason`.
isa::KernelLaunch read_tct(std::string_view text, const std::string& file_name);

/// The same from and to files, including packed ones (sim/files/read_file.hpp, text_file.hpp). They
/// throw IoError too.
isa::KernelLaunch load_tct(const std::string& path);
void save_tct(const isa::KernelLaunch& launch, const std::string& path);

}  // namespace tcsim::trace
