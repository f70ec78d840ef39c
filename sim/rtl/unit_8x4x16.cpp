#include <Vmma_8x4x16.h>
#include "sim/rtl/verilated_unit.hpp"

namespace tcsim::rtl {

std::unique_ptr<MatrixUnit> make_unit_8x4x16() {
  return std::make_unique<VerilatedUnit<Vmma_8x4x16, 2048, 1024, 1024>>(kUnit8x4x16, "mma_8x4x16",
                                                                        ".array");
}

}  // namespace tcsim::rtl
