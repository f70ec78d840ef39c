#include <Vmma_8x4x8.h>
#include "sim/rtl/verilated_unit.hpp"

namespace tcsim::rtl {

std::unique_ptr<MatrixUnit> make_unit_8x4x8() {
  return std::make_unique<VerilatedUnit<Vmma_8x4x8, 1024, 512, 1024>>(kUnit8x4x8, "mma_8x4x8",
                                                                      ".array");
}

}  // namespace tcsim::rtl
