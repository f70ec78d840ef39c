#pragma once

#include <map>
#include <string>

#include "models/isa/program.hpp"

namespace tcsim::trace {

/// Numbers the accesses, asynchronous operands and guards of one program by first use; equal ones
/// share a number.
class ProgramTables {
 public:
  /// `program` must outlive this object; its tables are filled from empty.
  explicit ProgramTables(isa::WarpProgram& program) : program_(program) {}

  /// Index in the program's table, added if it is new.
  int number(const isa::MemoryAccess& access);
  int number(const isa::Guard& guard);
  int number(const isa::AsyncOperands& operands);

 private:
  isa::WarpProgram& program_;
  std::map<std::string, int> accesses_;
  std::map<std::string, int> guards_;
  std::map<std::string, int> async_;
};

/// All the content of `operands`, in one line.
std::string identity_text(const isa::AsyncOperands& operands);

}  // namespace tcsim::trace
