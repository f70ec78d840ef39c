#pragma once

#include <stdexcept>

namespace tcsim {

/// A mistake of ours, never of the user: a broken invariant that was noticed at run time. `main`
/// ends with status 70 and says how to reproduce it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace tcsim
