#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tcsim::report {

/// The arrays that a run may compute, by their names in the workloads.
inline constexpr std::array<std::string_view, 9> kArrays{"D",   "y",  "x",  "w", "O",
                                                         "LSE", "dQ", "dK", "dV"};

/// The file of the array `name` in the directory of a run: "dq.npy" of "dQ". Throws InternalError
/// unless kArrays has it, because a run that replaces another removes the files of those alone.
std::string array_file(std::string_view name);

/// The file beside it that names a type which NumPy lacks.
std::string array_note_file(std::string_view name);

}  // namespace tcsim::report
