#include <Vmma_4x4x4.h>
#include "sim/rtl/verilated_unit.hpp"

namespace tcsim::rtl {

std::unique_ptr<MatrixUnit> make_unit_4x4x4() {
  return std::make_unique<VerilatedUnit<Vmma_4x4x4, 256, 256, 512>>(kUnit4x4x4, "mma_4x4x4",
                                                                    ".array");
}

}  // namespace tcsim::rtl
