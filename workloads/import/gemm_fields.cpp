#include "workloads/import/gemm_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/files/shown_text.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::workload {
namespace {

using kernels::Element;
using kernels::Layout;

constexpr std::int64_t kLargestExtent = std::int64_t{1}
                                        << 24;  // 16 million rows; libraries index with 32 bits
constexpr std::int64_t kLargestBatch = isa::kLargestGrid[2];
constexpr std::int64_t kMostGroups = 1024;  // the largest published layer has 256 experts
constexpr std::array<std::string_view, 3> kGemmSizes{"m", "n", "k"};
constexpr std::array<std::string_view, 2> kFactorKinds{"tensor", "block"};
constexpr std::array<std::string_view, 2> kGroupLayouts{"contiguous", "masked"};
constexpr std::array<std::string_view, 3> kWeights{"none", "int4", "int8"};
constexpr std::array kWeightBits{0, 4, 8};
constexpr std::int64_t kLeastGroup = 32;  // two steps of k of the kernels' MMAs
constexpr std::array<std::string_view, 4> kActivations{"none", "relu", "gelu", "silu"};

/// The m of a workload: with groups, the rows of each group, or the most that one has.
std::int64_t rows_of_group(const kernels::GemmProblem& problem) {
  return problem.is_grouped() && !problem.groups.is_masked() ? problem.groups.most() : problem.m;
}

/// ",bias=1,act=relu": the epilogue of a product; empty for most.
std::string epilogue_text(const kernels::GemmEpilogue& epilogue) {
  std::string text;
  if (epilogue.scale) text += ",scale=1";
  if (epilogue.bias) text += ",bias=1";
  if (epilogue.residual) text += ",residual=1";
  if (epilogue.activation != kernels::Activation::kNone)
    text += ",act=" + std::string(kActivations.at(static_cast<std::size_t>(epilogue.activation)));
  return text;
}

/// ",groups=3,rows=128+0+256,group_layout=masked": the text after the sizes for groups of rows; for
/// other products, the number of matrices.
std::string count_text(const kernels::GemmProblem& problem) {
  const kernels::RowGroups& groups = problem.groups;
  if (!problem.is_grouped()) return ",batch=" + std::to_string(problem.batch);
  std::string text = ",groups=" + std::to_string(groups.count());
  const std::int64_t all = rows_of_group(problem);
  if (std::ranges::any_of(groups.rows, [&](std::int64_t rows) { return rows != all; })) {
    const char* before = ",rows=";
    for (const std::int64_t rows : groups.rows)
      text += std::exchange(before, "+") + std::to_string(rows);
  }
  return text + (groups.is_masked() ? ",group_layout=masked" : "");
}

/// ",weights=int4,group=128"; empty where B is not packed.
std::string weights_text(const kernels::PackedWeights& weights) {
  if (!weights.are_packed()) return "";
  return ",weights=int" + std::to_string(weights.bits) +
         (weights.group > 0 ? ",group=" + std::to_string(weights.group) : "");
}

}  // namespace

std::string gemm_text(const kernels::GemmProblem& problem) {
  const auto letter = [](Layout layout) { return layout == Layout::kNormal ? "n" : "t"; };
  const auto name = [](Element element) { return std::string(element_name(element)); };
  return "gemm:m=" + std::to_string(rows_of_group(problem)) + ",n=" + std::to_string(problem.n) +
         ",k=" + std::to_string(problem.k) + ",dtype=" + name(problem.input) +
         ",acc=" + name(problem.accumulate) + ",out=" + name(problem.output) +
         ",layout=" + letter(problem.layout_a) + letter(problem.layout_b) + count_text(problem) +
         (problem.sparse ? ",sparse=1" : "") + (problem.block_scales ? ",scales=block" : "") +
         weights_text(problem.weights) + epilogue_text(problem.epilogue);
}

GemmFields::GemmFields()
    : OperatorFields("gemm", {"m", "n", "k", "dtype", "acc", "out", "layout", "batch", "scale",
                              "bias", "residual", "act", "sparse", "scales", "groups", "rows",
                              "group_layout", "weights", "group"}) {}

void GemmFields::set_layout(const Field& field) {
  const std::string letters = lower_case(field.value);
  if (letters.size() != 2 || letters.find_first_not_of("nt") != std::string::npos) {
    complain(field.value_column, "layout",
             files::shown(field.value) +
                 " is not two letters, for A and B, each n (as in the product) "
                 "or t (transposed): nn, nt, tn, tt");
    return;
  }
  layout_column_ = field.value_column;
  const auto layout = [](char c) { return c == 'n' ? Layout::kNormal : Layout::kTransposed; };
  problem_.layout_a = layout(letters[0]);
  problem_.layout_b = layout(letters[1]);
}

/// "128+0+256", or one number for all groups.
void GemmFields::set_rows(const Field& field) {
  rows_column_ = field.value_column;
  for (const Field& part : parts(field, '+')) rows_.push_back(number(part, 0, kLargestExtent));
}

/// Groups of rows, with m rows each or `rows`.
void GemmFields::take_groups(int end_column) {
  if (!groups_) {
    for (const std::string_view key : {"rows", "group_layout"})
      if (was_given(key))
        complain(end_column, key, "is for groups of rows, whose number 'groups' gives");
    return;
  }
  kernels::RowGroups& groups = problem_.groups;
  if (problem_.batch != 1)
    complain(end_column, "batch", "each group of rows has its own B, so there are no batches");
  groups.rows.assign(static_cast<std::size_t>(*groups_), problem_.m);
  if (was_given("rows")) {
    if (rows_.size() == 1) {
      const std::int64_t of_each = rows_.front();
      rows_.assign(groups.rows.size(), of_each);
    }
    if (std::ssize(rows_) != *groups_)
      complain(rows_column_, "rows",
               "has " + std::to_string(rows_.size()) + " numbers for " + std::to_string(*groups_) +
                   " groups");
    groups.rows = rows_;
    if (groups.most() > problem_.m)
      complain(rows_column_, "rows",
               "a group has " + std::to_string(groups.most()) +
                   " rows, more than m = " + std::to_string(problem_.m));
    if (groups.total() == 0) complain(rows_column_, "rows", "no group has any");
  }
  if (groups.layout == kernels::GroupLayout::kMasked)
    problem_.batch = *groups_;
  else
    problem_.m = groups.total();
  if (groups.total() > kLargestExtent)
    complain(end_column, "groups",
             "have " + std::to_string(groups.total()) + " rows, the most is " +
                 std::to_string(kLargestExtent));
}

void GemmFields::set_weights(const Field& field) {
  weights_column_ = field.value_column;
  problem_.weights.bits = kWeightBits.at(choice(field, kWeights).value_or(0));
}

void GemmFields::set_group(const Field& field) {
  group_column_ = field.value_column;
  problem_.weights.group = number(field, kLeastGroup, kLargestExtent);
  if (!kernels::is_power_of_two(problem_.weights.group))
    complain(field.value_column, "group",
             files::shown(field.value) + " is not a power of two: 32, 64, 128, ...");
}

void GemmFields::check_weights(int end_column) {
  const bool is_packed = problem_.weights.are_packed();
  if (group_column_ > 0 && !is_packed)
    complain(group_column_, "group", "scales of groups along k belong to weights=int4 or int8");
  if (!is_packed) return;
  const auto refuse = [&](const char* reason) { complain(weights_column_, "weights", reason); };
  if (problem_.input != Element::kFp16 && problem_.input != Element::kBf16)
    refuse("packed weights become fp16 or bf16 (dtype)");
  if (problem_.sparse) refuse("a sparse product has no packed weights");
  if (problem_.is_grouped()) refuse("products of groups of rows have no packed weights");
  if (problem_.block_scales) refuse("factors of blocks (scales) need FP8");
  if (problem_.layout_b != Layout::kTransposed)
    complain(layout_column_ > 0 ? layout_column_ : end_column, "layout",
             "packed weights have their own order: nt or tt");
}

void GemmFields::set(const Field& field) {
  if (accept(field).empty()) return;
  const auto extent = [&](std::int64_t largest) { return number(field, 1, largest); };
  if (field.key == "m") problem_.m = extent(kLargestExtent);
  if (field.key == "n") problem_.n = extent(kLargestExtent);
  if (field.key == "k") problem_.k = extent(kLargestExtent);
  if (field.key == "batch") problem_.batch = extent(kLargestBatch);
  if (field.key == "dtype") types_.input = element(field);
  if (field.key == "acc") types_.accumulate = element(field);
  if (field.key == "out") types_.output = element(field);
  if (field.key == "layout") set_layout(field);
  if (field.key == "scale") problem_.epilogue.scale = flag(field);
  if (field.key == "bias") problem_.epilogue.bias = flag(field);
  if (field.key == "scales") problem_.block_scales = choice(field, kFactorKinds).value_or(0) == 1;
  if (field.key == "weights") set_weights(field);
  if (field.key == "group") set_group(field);
  if (field.key == "sparse") problem_.sparse = flag(field);
  if (field.key == "residual") problem_.epilogue.residual = flag(field);
  if (field.key == "groups") groups_ = number(field, 1, kMostGroups);
  if (field.key == "rows") set_rows(field);
  if (field.key == "group_layout")
    problem_.groups.layout =
        static_cast<kernels::GroupLayout>(choice(field, kGroupLayouts).value_or(0));
  if (field.key == "act")
    problem_.epilogue.activation =
        static_cast<kernels::Activation>(choice(field, kActivations).value_or(0));
}

void GemmFields::set_square(std::string_view size, int column) {
  problem_.m = problem_.n = problem_.k = number({"size", size, column, column}, 1, kLargestExtent);
  for (const std::string_view key : kGemmSizes) mark_given(key);
}

std::optional<kernels::GemmProblem> GemmFields::finish(int end_column) {
  require(kGemmSizes, end_column);
  take_groups(end_column);
  types_.apply(problem_);
  check_weights(end_column);
  if (!complaints().empty()) return std::nullopt;
  return problem_;
}

}  // namespace tcsim::workload
