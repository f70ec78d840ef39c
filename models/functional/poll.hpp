#pragma once

#include <functional>

namespace tcsim::functional {

/// Called again and again by a computation that may take minutes. What it throws ends the
/// computation.
using Poll = std::function<void()>;

}  // namespace tcsim::functional
