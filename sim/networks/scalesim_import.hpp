#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// The two ways in which these files write depthwise convolutions, and the literal reading.
enum class DepthwiseForm : std::uint8_t {
  kOneFilter,   ///< one filter over all channels
  kOneChannel,  ///< one channel and one filter; the previous row gives their number
  kNone,        ///< rows are read literally
};

/// Reads a SCALE-Sim topology (layers with image and filter sizes) or a list of GEMMs (M, N, K).
/// Rows run one after the other, each with its own input; images count as already padded, and grow
/// to hold a last window that is partly outside. Every repair is a line of `changed`. Throws
/// InputError with every mistake, `file:line:column: what: reason`; a row that may be depthwise is
/// a mistake unless `depthwise` is given.
Imported import_scalesim(std::string_view text, const std::string& file,
                         std::optional<DepthwiseForm> depthwise);

}  // namespace tcsim::networks
