#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/rtl/signal.hpp"
#include "sim/rtl/unit.hpp"

namespace tcsim::rtl {

/// Input pins of a matrix unit for one cycle. Words hold the bits of the ports from the low end.
struct UnitInputs {
  bool valid = false;
  std::uint8_t tag = 0;
  Operation operation;
  int blocks = 1;  ///< of products that the operation needs
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<std::uint32_t> c;
  bool ready = true;  ///< The consumer takes the result of this cycle.
};

/// Output pins after the last clock edge and with the inputs of this cycle.
struct UnitOutputs {
  bool ready = false;  ///< The unit takes the operands at the next edge.
  bool valid = false;
  std::uint8_t tag = 0;
  std::vector<std::uint32_t> d;  ///< One word for each element, row-major.
};

/// A Verilated matrix unit in a separate SystemC simulation, one clock edge at a time:
///
///   unit->drive(inputs);                 // operands, tag, valid; ready of the consumer
///   const bool taken = inputs.valid && unit->outputs().ready;
///   unit->clock();                       // the rising edge
class MatrixUnit {
 public:
  virtual ~MatrixUnit() = default;

  /// Sets the input pins and lets the combinational paths settle.
  virtual void drive(const UnitInputs& inputs) = 0;
  virtual void clock() = 0;
  virtual const UnitOutputs& outputs() const = 0;
  /// A signal inside the unit. Throws std::logic_error if it does not exist.
  virtual Signal signal(const std::string& scope, const std::string& name) const = 0;
  /// Records every signal from here on in a VCD file. Throws IoError if the file cannot be opened.
  virtual void trace_to(const std::string& file) = 0;

  const UnitInfo& info() const { return info_; }
  /// Instance path of the mma_array, for Signal.
  const std::string& array_path() const { return array_path_; }

 protected:
  MatrixUnit(const UnitInfo& info, std::string array_path)
      : info_(info), array_path_(std::move(array_path)) {}

 private:
  const UnitInfo& info_;
  std::string array_path_;
};

/// The units, out of reset and with nothing in flight. Only one of each kind may exist at a time:
/// signals are found by their path, which two of a kind would share.
std::unique_ptr<MatrixUnit> make_unit_4x4x4();
std::unique_ptr<MatrixUnit> make_unit_8x4x8();
std::unique_ptr<MatrixUnit> make_unit_8x4x16();

}  // namespace tcsim::rtl
