#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tcsim::report {

/// What a run that did not finish is called, "stopped by time limit" or "interrupted", from the
/// word in its manifest.
std::string stop_words(std::string_view stopped_by);

/// The unit of the rates of several runs: add the number format of each run that has a rate.
class RateUnit {
 public:
  /// Of `result`, as run_json prints it.
  void add_run(const nlohmann::ordered_json& result);
  void add(std::string_view dtype);
  /// "TFLOPS", or "TOPS" if integers or bits are among them.
  [[nodiscard]] std::string text() const;

 private:
  bool whole_ = false;
};

/// "TFLOPS" or "TOPS".
std::string rate_unit(std::string_view dtype);

}  // namespace tcsim::report
