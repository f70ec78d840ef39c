#include <algorithm>
#include <string_view>

#include "sim/report/checksum.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {
namespace {

using json::Json;
using json::View;

constexpr int kPlanSchema = 5;

constexpr double kMostAmount = 1e24;  // seconds, square millimetres, gates

std::vector<std::string> texts_of(const View& json) {
  std::vector<std::string> texts;
  for (const View& text : json.elements()) texts.push_back(text.get<std::string>());
  return texts;
}

Json plot_json(const PlotRequest& plot) {
  Json where = Json::object();
  for (const NamedText& condition : plot.where) where[condition.name] = condition.text;
  return {{"kind", plot.kind},   {"name", plot.name}, {"title", plot.title},
          {"x", plot.x},         {"y", plot.y},       {"series", plot.series},
          {"value", plot.value}, {"axes", plot.axes}, {"where", where}};
}

PlotRequest plot_from(const View& json) {
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  PlotRequest plot{text("kind"),
                   text("name"),
                   text("title"),
                   text("x"),
                   text("y"),
                   text("series"),
                   text("value"),
                   texts_of(json.at("axes")),
                   {},
                   {}};
  if (std::ranges::find(kPlotKinds, plot.kind) == kPlotKinds.end())
    json.at("kind").refuse("is not a kind of plot");
  for (const auto& [name, condition] : json.at("where").items())
    plot.where.push_back({name, condition.get<std::string>(), {}});
  return plot;
}

Json point_json(const Point& point) {
  Json json{{"number", point.number}, {"configuration", point.configuration}};
  if (!point.name.empty()) json["name"] = point.name;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : point.parameters) json["parameters"][name] = value;
  json["part"] = point.part;
  json["count"] = point.count;
  if (point.expected)
    json["expected"] = {{"s", point.expected->seconds},
                        {"sampled_s", point.expected->sampled_s},
                        {"memory_mib", point.expected->memory_mib}};
  if (point.area_mm2) json["area_mm2"] = *point.area_mm2;
  if (point.core_gates) json["core_gates"] = *point.core_gates;
  json["inputs"] = point.inputs;
  json["key"] = point.key;
  json["machine"] = point.machine;
  json["command"] = point.command;
  return json;
}

/// The key of a point, which names its files.
std::string key_from(const View& json) {
  auto key = json.get<std::string>();
  const bool is_name = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
  });
  if (!is_name) json.refuse("expected digits, letters a to z and '-' alone");
  return key;
}

Point point_from(const View& json, const std::vector<std::string>& parameters) {
  Point point;
  point.number = json.at("number").get<int>();
  point.configuration = json.at("configuration").get<int>();
  if (const auto name = json.find("name")) point.name = name->get<std::string>();
  for (const auto& [name, value] : json.at("parameters").items())
    point.parameters.emplace_back(name, value.get<std::string>());
  if (!std::ranges::equal(point.parameters, parameters, {}, &Parameters::value_type::first))
    json.at("parameters").refuse("are not those of the plan");
  point.part = json.at("part").get<std::string>();
  point.count = json.at("count").get<std::int64_t>();
  (void)json.at("count").number(1, kMostRuns);
  if (const auto expected = json.find("expected"))
    point.expected = {expected->at("s").number(0, kMostAmount),
                      expected->at("sampled_s").number(0, kMostAmount),
                      expected->at("memory_mib").number(0, kMostMemoryMib)};
  if (const auto area = json.find("area_mm2")) point.area_mm2 = area->number(0, kMostAmount);
  if (const auto gates = json.find("core_gates")) point.core_gates = gates->number(0, kMostAmount);
  point.inputs = json.at("inputs").get<std::string>();
  point.key = key_from(json.at("key"));
  point.machine = json.at("machine").get<std::string>();
  point.command = texts_of(json.at("command"));
  return point;
}

}  // namespace

Json to_json(const Plan& plan) {
  Json json{{"schema_version", kPlanSchema},
            {"name", plan.name},
            {"description", plan.description},
            {"revision", plan.revision},
            {"program", plan.program},
            {"limits", {{"time_s", plan.limits.time_s}, {"memory_mib", plan.limits.memory_mib}}},
            {"parameters", plan.parameters},
            {"spec", plan.spec_text}};
  json["plots"] = Json::array();
  for (const PlotRequest& plot : plan.plots) json["plots"].push_back(plot_json(plot));
  json["points"] = Json::array();
  for (const Point& point : plan.points) json["points"].push_back(point_json(point));
  return report::sealed(std::move(json));
}

Plan plan_from(const View& json) {
  const View version = json.at("schema_version");
  if (version.get<int>() != kPlanSchema) version.refuse("is that of another version of tcsim");
  if (!report::verify_seal(json)) json.refuse("has no checksum");
  Plan plan;
  plan.name = json.at("name").get<std::string>();
  plan.description = json.at("description").get<std::string>();
  plan.revision = json.at("revision").get<std::string>();
  plan.program = json.at("program").get<std::string>();
  const View limits = json.at("limits");
  plan.limits.time_s = limits.at("time_s").number(0, kMostAmount);
  plan.limits.memory_mib = limits.at("memory_mib").get<std::int64_t>();
  (void)limits.at("memory_mib").number(0, kMostMemoryMib);
  plan.parameters = texts_of(json.at("parameters"));
  plan.spec_text = json.at("spec").get<std::string>();
  for (const View& plot : json.at("plots").elements()) plan.plots.push_back(plot_from(plot));
  for (const View& point : json.at("points").elements())
    plan.points.push_back(point_from(point, plan.parameters));
  if (plan.points.empty()) json.at("points").refuse("has no point");
  return plan;
}

}  // namespace tcsim::sweep
