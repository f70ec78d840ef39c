#pragma once

namespace tcsim {

/// True in a build with AddressSanitizer, whose shadow needs address space and memory of its own:
/// limits on these end the program before it begins.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kHasAddressSanitizer = true;
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

/// True in a build with any sanitizer, where everything takes several times as long.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = kHasAddressSanitizer;
#endif

}  // namespace tcsim
