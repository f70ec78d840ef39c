#include "workloads/trace/program_tables.hpp"

#include "workloads/trace/tct_expression.hpp"

namespace tcsim::trace {
namespace {

template <typename Value>
int number_in(std::map<std::string, int>& numbers, std::vector<Value>& table, std::string text,
              const Value& value) {
  const auto [entry, is_new] = numbers.try_emplace(std::move(text), static_cast<int>(table.size()));
  if (is_new) table.push_back(value);
  return entry->second;
}

}  // namespace

int ProgramTables::number(const isa::MemoryAccess& access) {
  std::string text = std::to_string(access.buffer) + ' ' + address_text(access.global) + ' ' +
                     address_text(access.shared);
  text += ' ' + guard_text(access.source);
  return number_in(accesses_, program_.accesses, std::move(text), access);
}

int ProgramTables::number(const isa::Guard& guard) {
  return number_in(guards_, program_.guards, guard_text(guard), guard);
}

int ProgramTables::number(const isa::AsyncOperands& operands) {
  return number_in(async_, program_.async, identity_text(operands), operands);
}

}  // namespace tcsim::trace
