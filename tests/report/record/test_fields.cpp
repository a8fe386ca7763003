// Every member of a report is named once, in report/record/fields.hpp. The schema, which others read, names the same.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "report/record/fields.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_fields {

namespace {

using nlohmann::json;

/// Goes through the members of a record and, beside it, through the part of the schema that is about it.
class SchemaWalk {
 public:
  static constexpr bool reads = false;

  SchemaWalk(const json& schema, const json& part, std::string place)
      : schema_(schema), part_(resolved(part)), place_(std::move(place)) {}

  template <class T>
  void operator()(std::string_view name, T&& member) {
    INFO("every version wrote " << place_ << '/' << name);
    const json& required = part_.at("required");
    CHECK(std::ranges::find(required, json(name)) != required.end());
    later(name, member);
  }
  template <class T>
  void later(std::string_view name, T&& member) {
    look_at(found(std::string(name)), place_ + "/" + std::string(name), member);
  }
  /// Absent where it is empty.
  template <class T>
  void if_any(std::string_view name, T& member) {
    INFO(place_ << '/' << name << " may be missing");
    const json& required = part_.at("required");
    CHECK(std::ranges::find(required, json(name)) == required.end());
    look_at(found(std::string(name)), place_ + "/" + std::string(name), member);
  }
  void derived(std::string_view name, std::optional<double> /*value*/) { found(std::string(name)); }
  void described(const Report& /*report*/) {
    for (const char* name : {"quantities", "words"}) found(name);
  }
  static bool has(std::string_view /*name*/) { return true; }
  static void refuse(std::string_view /*name*/, const char* /*expected*/) {}

  /// Names of the schema that the record has not.
  void check_that_all_were_there() const {
    const auto check = [&](const std::string& name) {
      INFO("the schema has " << place_ << '/' << name << ", a report has not");
      CHECK(found_.contains(name));
    };
    const json properties = part_.value("properties", json::object());
    for (const auto& [name, part] : properties.items()) check(name);
    const json required = part_.value("required", json::array());
    for (const json& name : required) check(name);
  }

 private:
  /// Behind references, and the first of several forms: the other one is null.
  [[nodiscard]] const json& resolved(const json& part) const {
    if (part.contains("$ref")) {
      return resolved(schema_.at(json::json_pointer(part.at("$ref").get<std::string>().substr(1))));
    }
    return part.contains("anyOf") ? resolved(part.at("anyOf").front()) : part;
  }

  const json& found(const std::string& name) {
    found_.insert(name);
    if (part_.contains("properties") && part_.at("properties").contains(name)) return part_.at("properties").at(name);
    if (part_.contains("patternProperties")) {
      for (const auto& [pattern, part] : part_.at("patternProperties").items()) {
        if (std::regex_search(name, std::regex(pattern))) return part;
      }
    }
    INFO("a report has " << place_ << '/' << name << ", the schema has not");
    REQUIRE(part_.contains("additionalProperties"));
    return part_.at("additionalProperties");
  }

  [[nodiscard]] bool allows_null(const json& part) const {
    if (part.contains("$ref")) return allows_null(resolved(part));
    if (part.contains("anyOf")) return allows_null(part.at("anyOf").back());
    const json type = part.value("type", json());
    return type == "null" || std::ranges::find(type, json("null")) != type.end();
  }

  template <class T>
  void look_at(const json& part, const std::string& place, std::optional<T>& /*member*/) {
    INFO(place << " may be absent");
    CHECK(allows_null(part));
    T value{};
    look_at(part, place, value);
  }
  template <class T>
  void look_at(const json& part, const std::string& place, NullIfUnknown<T>& member) {
    INFO(place << " may be unknown");
    CHECK(allows_null(part));
    look_at(part, place, member.value);
  }
  template <class T>
  void look_at(const json& part, const std::string& place, Signed<T>& member) {
    look_at(part, place, member.value);
  }
  template <class T>
  void look_at(const json& part, const std::string& place, std::vector<T>& /*member*/) {
    T item{};
    look_at(resolved(part).value("items", json::object()), place + "/0", item);
  }
  template <class T>
  void look_at(const json& part, const std::string& place, T& member) {
    if constexpr (requires(SchemaWalk & walk) { fields(walk, member); }) {
      SchemaWalk walk(schema_, part, place);
      fields(walk, member);
      walk.check_that_all_were_there();
    }
  }

  const json& schema_;
  const json& part_;
  std::string place_;
  std::set<std::string> found_;
};

}  // namespace

TEST_CASE("The schema of reports names the members that reports have, and no others") {
  const auto file = test::source_folder() / "report/schema/report.schema.json";
  const json schema = json::parse(test::content_of(file));
  Report report;
  SchemaWalk walk(schema, schema, "");
  fields(walk, report);
  walk.check_that_all_were_there();
}

}  // namespace gpumem::report::test_fields
