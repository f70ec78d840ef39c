#include "sim/networks/scalesim_import.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "sim/files/csv_table.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/files/utf8.hpp"
#include "sim/networks/layer_reader.hpp"
#include "workloads/import/operator_fields.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using files::CsvField;

constexpr std::size_t kMostMessages = 200;

/// `text` without blanks and non-breaking spaces round it, and whether there were any of those.
std::string trimmed(std::string text, bool& had_odd_blanks) {
  constexpr std::string_view kNonBreaking = "\xc2\xa0";
  for (std::size_t at = text.find(kNonBreaking); at != std::string::npos;
       at = text.find(kNonBreaking, at)) {
    text.replace(at, kNonBreaking.size(), " ");
    had_odd_blanks = true;
  }
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

enum Column : std::uint8_t { kHeight, kWidth, kR, kS, kChannels, kFilters, kStride, kStrideW };

/// Pixels along a side of an image that the windows of SCALE-Sim cover: the last one is whole,
/// though the image may end in it.
std::int64_t covered(std::int64_t size, std::int64_t window, std::int64_t stride) {
  if (size < window) return size;
  return (size - window + stride - 1) / stride * stride + window;
}

class ScalesimReader {
 public:
  ScalesimReader(std::string_view text, const std::string& file,
                 std::optional<DepthwiseForm> depthwise)
      : table_(text, file), depthwise_(depthwise) {
    if (files::without_byte_order_mark(text).size() < text.size())
      repairs_["a byte-order mark"] = 1;
  }

  Imported read() {
    for (files::CsvRow row; messages_.size() < kMostMessages && table_.next(row);) {
      if (row.has_return) ++repairs_["carriage returns at line ends"];
      read_line(std::move(row));
    }
    if (messages_.empty() && !has_header_) report(1, "header", "the file is empty");
    if (messages_.empty() && imported_.network.layers.empty())
      report(1, "rows", "the list has none");
    if (!messages_.empty()) throw InputError(std::move(messages_));
    for (const auto& [repair, count] : repairs_)
      imported_.changed.push_back("left out " + repair + " (" + std::to_string(count) +
                                  (count == 1 ? " time)" : " times)"));
    if (!is_gemm_)
      imported_.changed.emplace_back("image sizes are taken as padded already: pad=0 everywhere");
    else
      imported_.changed.emplace_back(
          "M is the rows of A and of the result, N the columns of B, K "
          "what is summed over");
    return std::move(imported_);
  }

 private:
  void report(int column, const std::string& what, const std::string& reason) {
    messages_.push_back(table_.mistake(column, what, reason));
  }

  void read_line(files::CsvRow row) {
    std::vector<CsvField>& fields = row.fields;
    if (row.text.find(',') == std::string_view::npos &&
        row.text.find('\t') != std::string_view::npos) {
      std::string line(row.text);
      std::ranges::replace(line, '\t', ',');
      fields = files::split_csv_line(line, row.unclosed);
      ++repairs_["tabs between fields, read as commas"];
    }
    if (const auto mistake = files::quote_mistake(row))
      return report(fields[mistake->field].column, "row", std::string(mistake->reason));
    for (CsvField& field : fields) {
      bool odd = false;
      field.text = trimmed(std::move(field.text), odd);
      if (odd) ++repairs_["non-breaking spaces"];
    }
    const bool is_blank = std::ranges::all_of(fields, [](const auto& f) { return f.text.empty(); });
    if (is_blank) {
      if (fields.size() > 1) ++repairs_["lines of commas only"];
      return;
    }
    while (fields.size() > 1 && fields.back().text.empty()) {
      fields.pop_back();
      ++repairs_["commas at line ends"];
    }
    if (!has_header_)
      read_header(fields);
    else if (columns_ > 0)  // otherwise it is open what the fields are
      read_row(fields);
  }

  void read_header(const std::vector<CsvField>& fields) {
    has_header_ = true;
    if (fields.size() < 4) return report(1, "header", "fewer than four columns");
    const bool is_row = !fields[1].text.empty() &&
                        fields[1].text.find_first_not_of("0123456789") == std::string::npos;
    if (is_row)
      return report(fields[1].column, "header",
                    files::shown(fields[1].text) +
                        " is no name of a column: the first row has those, not a layer");
    const auto column = [&](const char* name) {
      const auto found = std::ranges::find_if(fields.begin() + 1, fields.begin() + 4, [&](auto& f) {
        return workload::lower_case(f.text) == name;
      });
      return static_cast<std::size_t>(found - fields.begin());
    };
    gemm_columns_ = {column("m"), column("n"), column("k")};
    is_gemm_ = std::ranges::min(gemm_columns_) < 4;
    if (is_gemm_ && std::ranges::max(gemm_columns_) == 4)
      return report(fields[1].column, "header",
                    "a list of products has a name and the columns M, N and K");
    if (!is_gemm_ && fields.size() < 8)
      return report(fields.back().column, "header",
                    "a topology has a name, six sizes and a stride: eight columns, not " +
                        std::to_string(fields.size()));
    has_two_strides_ = !is_gemm_ && fields.size() > 8 &&
                       workload::lower_case(fields[8].text).find("stride") != std::string::npos;
    const std::size_t known = is_gemm_ ? 4 : has_two_strides_ ? 9 : 8;
    if (fields.size() > known)
      imported_.dropped.push_back("columns behind '" + fields[known - 1].text +
                                  "' (sparsity, batch or notes)");
    columns_ = fields.size();
  }

  std::optional<std::int64_t> number(const CsvField& field, const char* what,
                                     std::int64_t most = kMostFeatures) {
    std::int64_t value = 0;
    const char* const end = field.text.data() + field.text.size();
    const auto [last, error] = std::from_chars(field.text.data(), end, value);
    if (error == std::errc::invalid_argument || last != end) {
      report(field.column, what, files::shown(field.text) + " is not a whole number");
      return std::nullopt;
    }
    if (error != std::errc{} || value < 1 || value > most) {
      report(field.column, what,
             files::shown(field.text) + " is not between 1 and " + std::to_string(most));
      return std::nullopt;
    }
    return value;
  }

  void read_row(const std::vector<CsvField>& fields) {
    const std::size_t needed = is_gemm_ ? 4 : 8;
    if (fields.size() < needed)
      return report(1, "row",
                    std::to_string(fields.size()) + " fields where " + std::to_string(needed) +
                        " are needed; fill in what is missing");
    if (fields.size() > columns_) ++repairs_["fields beyond the header"];
    is_gemm_ ? read_gemm(fields) : read_conv(fields);
  }

  void read_gemm(const std::vector<CsvField>& fields) {
    const auto m = number(fields[gemm_columns_[0]], "M");
    const auto n = number(fields[gemm_columns_[1]], "N");
    const auto k = number(fields[gemm_columns_[2]], "K");
    if (!m || !n || !k) return;
    Layer layer;
    layer.name = fields[0].text;
    layer.kind = LayerKind::kLinear;
    layer.features = *n;
    layer.has_bias = false;
    add({*m, 1, *k}, std::move(layer), fields[0].column);
  }

  void read_conv(const std::vector<CsvField>& fields) {
    constexpr std::array kNames{"image height", "image width", "filter height", "filter width",
                                "channels",     "filters",     "stride",        "stride width"};
    std::array<std::int64_t, kNames.size()> sizes{};
    bool is_sound = true;
    const bool has_width = has_two_strides_ && fields.size() > kStrideW + 1;
    for (std::size_t i = 0; i < sizes.size() - (has_width ? 0 : 1); ++i) {
      const bool is_of_window = i == kR || i == kS || i == kStride || i == kStrideW;
      const auto value =
          number(fields[i + 1], kNames[i], is_of_window ? kMostPixels : kMostFeatures);
      is_sound = is_sound && value;
      sizes[i] = value.value_or(1);
    }
    if (!is_sound) return;
    Layer layer;
    layer.name = fields[0].text;
    layer.kind = LayerKind::kConv;
    layer.has_bias = false;
    layer.features = sizes[kFilters];
    layer.r = sizes[kR];
    layer.s = sizes[kS];
    layer.stride_h = sizes[kStride];
    layer.stride_w = sizes[has_width ? kStrideW : kStride];
    Shape image{sizes[kHeight], sizes[kWidth], sizes[kChannels]};
    if (!apply_depthwise(fields, image, layer)) return;
    const Shape whole{covered(image.h, layer.r, layer.stride_h),
                      covered(image.w, layer.s, layer.stride_w), image.c};
    if (whole != image)
      imported_.changed.push_back(layer.name + ": image of " + text(whole) + " instead of " +
                                  text(image) +
                                  ", since SCALE-Sim counts a last window that is partly outside");
    image = whole;
    add(image, std::move(layer), fields[0].column);
  }

  /// False, and a mistake, if the row cannot be understood without --depthwise.
  bool apply_depthwise(const std::vector<CsvField>& fields, Shape& image, Layer& layer) {
    const std::string name = workload::lower_case(layer.name);
    const bool is_named =
        name.find("dw") != std::string::npos || name.find("depthwise") != std::string::npos;
    const bool has_window = layer.r * layer.s > 1;
    const bool is_suspect = layer.features == 1 && (is_named || has_window);
    if (!is_suspect || depthwise_ == DepthwiseForm::kNone) return true;
    if (!depthwise_) {
      report(fields[kFilters + 1].column, "filters",
             "one filter: depthwise is written in two ways; give --depthwise one-filter (this "
             "row's channels), one-channel (as many as the row before has filters), or none");
      return false;
    }
    if (*depthwise_ == DepthwiseForm::kOneChannel) {
      if (last_filters_ == 0) {
        report(fields[0].column, "row", "no earlier row gives the number of channels");
        return false;
      }
      image.c = last_filters_;
    }
    layer.features = image.c;
    layer.groups = 0;
    imported_.changed.push_back(layer.name + ": read as depthwise over " + std::to_string(image.c) +
                                " channels");
    return true;
  }

  void add(const Shape& image, Layer layer, int column) {
    Network& network = imported_.network;
    std::string reason;
    if (imported_.next_numbers.contains(layer.name))
      imported_.changed.push_back(files::shown(layer.name) + " occurs again and received a number");
    if (network.layers.empty()) network.input = image;
    last_filters_ = layer.features;
    const int last = static_cast<int>(network.layers.size()) - 1;  // or kNetworkInput
    const int index =
        append(imported_, view_of(network, last, layer.name + ".input", image), reason);
    if (index >= 0) {
      layer.inputs = {index};
      append(imported_, std::move(layer), reason);
    }
    if (!reason.empty()) report(column, "row", reason);
  }

  files::CsvTable table_;
  std::optional<DepthwiseForm> depthwise_;
  Imported imported_;
  std::map<std::string, int> repairs_;
  std::vector<std::string> messages_;
  std::size_t columns_ = 0;
  std::int64_t last_filters_ = 0;
  bool has_header_ = false;
  bool is_gemm_ = false;
  std::array<std::size_t, 3> gemm_columns_{};  ///< of M, N and K
  bool has_two_strides_ = false;
};

}  // namespace

Imported import_scalesim(std::string_view text, const std::string& file,
                         std::optional<DepthwiseForm> depthwise) {
  return ScalesimReader(text, file, depthwise).read();
}

}  // namespace tcsim::networks
