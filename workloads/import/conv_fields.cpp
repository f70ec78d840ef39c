#include "workloads/import/conv_fields.hpp"

#include <algorithm>
#include <array>

namespace tcsim::workload {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvPass;
using kernels::ConvProblem;
using kernels::Element;
using kernels::kLargestTensor;
using kernels::TensorOrder;

constexpr std::array<std::string_view, 3> kConvPasses{"fwd", "dgrad", "wgrad"};
constexpr std::array<std::string_view, 2> kOrders{"nhwc", "nchw"};

constexpr std::array<Extent<ConvProblem>, 14> kConvExtents{
    {{"n", "", &ConvProblem::n, 1},
     {"h", "hw", &ConvProblem::h, 1},
     {"w", "hw", &ConvProblem::w, 1},
     {"c", "", &ConvProblem::c, 1},
     {"k", "", &ConvProblem::k, 1},
     {"r", "rs", &ConvProblem::r, 1},
     {"s", "rs", &ConvProblem::s, 1},
     {"stride_h", "stride", &ConvProblem::stride_h, 1},
     {"stride_w", "stride", &ConvProblem::stride_w, 1},
     {"pad_h", "pad", &ConvProblem::pad_h, 0},
     {"pad_w", "pad", &ConvProblem::pad_w, 0},
     {"dil_h", "dil", &ConvProblem::dil_h, 1},
     {"dil_w", "dil", &ConvProblem::dil_w, 1},
     {"groups", "", &ConvProblem::groups, 1}}};

/// FP8 is only for matrix products.
constexpr std::array kOperands{Element::kFp16, Element::kBf16, Element::kTf32, Element::kFp32,
                               Element::kFp64, Element::kInt8, Element::kInt32};

/// A step after the sums, and its word.
struct PostStep {
  std::string_view word;
  bool kernels::ConvPost::*field;
};
constexpr std::array kPostSteps{
    PostStep{"scale", &kernels::ConvPost::scale}, PostStep{"bias", &kernels::ConvPost::bias},
    PostStep{"residual", &kernels::ConvPost::residual}, PostStep{"relu", &kernels::ConvPost::relu},
    PostStep{"pool", &kernels::ConvPost::pool}};

constexpr std::array<std::string_view, 7> kConvSizes{"n", "h", "w", "c", "k", "r", "s"};

std::array<std::string_view, kernels::kConvAlgorithmNames.size() + 1> algorithm_words() {
  std::array<std::string_view, kernels::kConvAlgorithmNames.size() + 1> words{"auto"};
  std::ranges::copy(kernels::kConvAlgorithmNames, words.begin() + 1);
  return words;
}

}  // namespace

std::string post_text(const kernels::ConvPost& post) {
  std::string text;
  for (const PostStep& step : kPostSteps)
    if (post.*step.field) text += (text.empty() ? "" : "+") + std::string(step.word);
  return text.empty() ? "none" : text;
}

std::string conv_text(const ConvWork& work) {
  const ConvProblem& p = work.problem;
  std::string text = "conv:";
  for (const Extent<ConvProblem>& extent : kConvExtents)
    if (!extent.both.starts_with("dil") || p.is_dilated())
      text += std::string(extent.key) + "=" + std::to_string(p.*extent.field) + ",";
  text += "pass=" + std::string(kConvPasses[static_cast<std::size_t>(p.pass)]);
  text += ",layout=" + std::string(kOrders[static_cast<std::size_t>(p.order)]);
  text += ",dtype=" + std::string(element_name(p.input));
  text += ",acc=" + std::string(element_name(p.accumulate));
  text += ",out=" + std::string(element_name(p.output));
  if (p.post != kernels::ConvPost{})
    text += ",post=" + post_text(p.post) + ",fused=" + (p.post.is_fused ? "1" : "0");
  return text + ",algo=" +
         std::string(work.algorithm ? kernels::name(*work.algorithm) : std::string_view("auto"));
}

ConvFields::ConvFields()
    : OperatorFields("conv", {"n",     "h",      "w",      "hw",       "c",        "k",    "r",
                              "s",     "rs",     "stride", "stride_h", "stride_w", "pad",  "pad_h",
                              "pad_w", "groups", "pass",   "layout",   "dtype",    "acc",  "out",
                              "post",  "fused",  "algo",   "dil",      "dil_h",    "dil_w"}) {}

void ConvFields::set(const Field& field) {
  if (accept(field).empty()) return;
  set_extent<ConvProblem>(field, kConvExtents, work_.problem);
  if (field.key == "dtype") types_.input = element(field, kOperands, "convolution");
  if (field.key == "acc") types_.accumulate = element(field);
  if (field.key == "out") types_.output = element(field);
  if (field.key == "pass")
    if (const auto pass = choice(field, kConvPasses))
      work_.problem.pass = static_cast<ConvPass>(*pass);
  if (field.key == "layout")
    if (const auto order = choice(field, kOrders))
      work_.problem.order = static_cast<TensorOrder>(*order);
  if (field.key == "post") set_post(field);
  if (field.key == "fused") work_.problem.post.is_fused = flag(field);
  if (field.key == "algo")
    if (const auto word = choice(field, algorithm_words()); word && *word > 0)
      work_.algorithm = static_cast<ConvAlgorithm>(*word - 1);
}

void ConvFields::set_post(const Field& field) {
  if (field.value == "none") return;
  std::array<std::string_view, kPostSteps.size()> words;
  std::ranges::transform(kPostSteps, words.begin(), &PostStep::word);
  constexpr kernels::ConvPost kEveryStep{true, true, true, true, true};
  std::size_t next = 0;
  for (const Field& step : parts(field, '+')) {
    const auto which = choice(step, words);
    if (!which) continue;
    if (*which < next)
      complain(step.value_column, field.key,
               "steps come once each, in the order " + post_text(kEveryStep));
    work_.problem.post.*kPostSteps[*which].field = true;
    next = *which + 1;
  }
}

std::optional<ConvWork> ConvFields::finish(int end_column) {
  require(kConvSizes, end_column);
  if (!complaints().empty()) return std::nullopt;
  types_.apply(work_.problem);
  const ConvProblem& p = work_.problem;
  if (const std::string reason = why_not_a_convolution(p); !reason.empty())
    complain(end_column, "conv", reason);
  else if (p.n * p.h * p.w > kLargestTensor / p.c || p.n * p.p() * p.q() > kLargestTensor / p.k ||
           p.r * p.s > kLargestTensor / (p.group_c() * p.k))
    set_unsupported("a tensor has more than 2^31 elements");
  if (!complaints().empty()) return std::nullopt;
  return work_;
}

}  // namespace tcsim::workload
