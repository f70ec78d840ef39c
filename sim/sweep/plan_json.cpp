#include <stdexcept>

#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPlanSchema = 2;

Json plot_json(const PlotRequest& plot) {
  Json where = Json::object();
  for (const NamedText& condition : plot.where) where[condition.name] = condition.text;
  return {{"kind", plot.kind},   {"name", plot.name}, {"title", plot.title},
          {"x", plot.x},         {"y", plot.y},       {"series", plot.series},
          {"value", plot.value}, {"axes", plot.axes}, {"where", where}};
}

PlotRequest plot_from(const Json& json) {
  PlotRequest plot{json.at("kind"),
                   json.at("name"),
                   json.at("title"),
                   json.at("x"),
                   json.at("y"),
                   json.at("series"),
                   json.at("value"),
                   json.at("axes").get<std::vector<std::string>>(),
                   {},
                   {}};
  for (const auto& [name, text] : json.at("where").items())
    plot.where.push_back({name, text.get<std::string>(), {}});
  return plot;
}

Json point_json(const Point& point) {
  Json json{{"number", point.number}, {"configuration", point.configuration}};
  if (!point.name.empty()) json["name"] = point.name;
  json["parameters"] = Json::object();
  for (const auto& [name, value] : point.parameters) json["parameters"][name] = value;
  json["part"] = point.part;
  json["count"] = point.count;
  if (point.flop) json["flop"] = *point.flop;
  if (point.area_mm2) json["area_mm2"] = *point.area_mm2;
  json["inputs"] = point.inputs;
  json["key"] = point.key;
  json["command"] = point.command;
  return json;
}

Point point_from(const Json& json) {
  Point point;
  point.number = json.at("number");
  point.configuration = json.at("configuration");
  point.name = json.value("name", "");
  for (const auto& [name, value] : json.at("parameters").items())
    point.parameters.emplace_back(name, value.get<std::string>());
  point.part = json.at("part");
  point.count = json.at("count");
  if (json.contains("flop")) point.flop = json.at("flop").get<double>();
  if (json.contains("area_mm2")) point.area_mm2 = json.at("area_mm2").get<double>();
  point.inputs = json.at("inputs");
  point.key = json.at("key");
  point.command = json.at("command").get<std::vector<std::string>>();
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
  return json;
}

Plan plan_from(const Json& json) {
  if (json.at("schema_version") != kPlanSchema)
    throw std::runtime_error("plan.json is of another version of tcsim");
  Plan plan;
  plan.name = json.at("name");
  plan.description = json.at("description");
  plan.revision = json.at("revision");
  plan.program = json.at("program");
  plan.limits = {json.at("limits").at("time_s"), json.at("limits").at("memory_mib")};
  plan.parameters = json.at("parameters").get<std::vector<std::string>>();
  plan.spec_text = json.at("spec");
  for (const Json& plot : json.at("plots")) plan.plots.push_back(plot_from(plot));
  for (const Json& point : json.at("points")) plan.points.push_back(point_from(point));
  return plan;
}

}  // namespace tcsim::sweep
