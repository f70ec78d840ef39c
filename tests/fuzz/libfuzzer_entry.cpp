#include "tests/fuzz/target.hpp"

/// Called by libFuzzer with each input; TC_FUZZ_TARGET names the reader of this program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tcsim::fuzz::TC_FUZZ_TARGET.run({data, size});
  return 0;
}
