#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// What is changed in an input in addition to its bytes.
enum class Form {
  kBinary,  ///< only bytes
  kText,    ///< tokens and lines: YAML, CSV, traces, words
  kJson,    ///< members, elements and values of the document
};

/// A reader of foreign bytes, under test.
struct Target {
  std::string_view name;
  /// Reads the bytes; true if they were accepted. Throws only std::logic_error, for a reader that
  /// accepted something and then contradicts itself.
  bool (*run)(Bytes);
  /// Inputs to start from, including accepted ones.
  std::vector<std::string> (*seeds)();
  Form form = Form::kBinary;
  /// Adds the matching checksum to most changed inputs, so that they get past its check; or null.
  std::string (*sealed)(const std::string& text) = nullptr;
};

extern const Target hex_target;
extern const Target json_line_target;
extern const Target vector_table_target;
extern const Target npy_target;
extern const Target tct_target;
extern const Target traceg_target;
extern const Target kernels_list_target;
extern const Target machine_target;
extern const Target numerics_target;
extern const Target set_words_target;
extern const Target library_target;
extern const Target network_target;
extern const Target scalesim_target;
extern const Target onnx_target;
extern const Target network_csv_target;
extern const Target workload_words_target;
extern const Target workload_csv_target;
extern const Target measured_times_target;
extern const Target sources_target;
extern const Target accuracies_target;
extern const Target published_table_target;
extern const Target lab_target;
extern const Target answer_sheet_target;
extern const Target spec_target;
extern const Target expression_target;
extern const Target stats_json_target;
extern const Target manifest_json_target;
extern const Target run_directory_target;
extern const Target rows_json_target;
extern const Target result_table_target;
extern const Target plan_json_target;
extern const Target point_json_target;
extern const Target failure_json_target;

/// All of them.
std::span<const Target> targets();

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::logic_error(sentence);
}

}  // namespace tcsim::fuzz
