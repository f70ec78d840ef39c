#pragma once

#include <memory>
#include <string>

#include "sim/files/byte_source.hpp"

namespace tcsim::traceg {

/// The .tracez file at `path` as the .traceg text that it contains: header, thread blocks, warps,
/// instructions. The format is Accel-Sim 2.0's: the header as text up to a zero byte; the sizes of
/// the dictionary and of a chunk; the dictionary; for each warp its number of instructions and its
/// chunks, each packed separately by Zstandard and preceded by its size; then an index of thread
/// blocks and warps; and in the last eight bytes the position of the index. Throws InputError for a
/// damaged file, and IoError, also while reading.
std::unique_ptr<files::ByteSource> open_tracez(const std::string& path);

}  // namespace tcsim::traceg
