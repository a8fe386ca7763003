#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_json_reader {

namespace {

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse_json(text, "file.json"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing thrown";
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("JSON is read as it stands, members in their order", "[json]") {
  const std::string text = R"({"b":[1,-2,3.5,"x",null,true,{},[]],"a":{"c":{"d":[[[0]]]}}})";
  CHECK(parse_json(text, "file.json").dump() == text);
  CHECK(parse_json("3", "file.json").dump() == "3");
  CHECK(parse_json(" [ ] ", "file.json").dump() == "[]");
}

TEST_CASE("values are at their places after deeper, longer and empty ones", "[json]") {
  std::string members;
  std::string items;
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i);
    members += (i == 0 ? "" : ",") + ("\"a name longer than a short string " + number + "\":{\"x\":[" + number + "]}");
    items += (i == 0 ? "" : ",") + ("{\"a value longer than a short string\":[[],{},\"" + number + "\"]}");
  }
  const std::string text =
      R"({"many":{)" + members + R"(},"items":[)" + items + R"(],"one":{"x":1},"none":{},"last":[0]})";
  CHECK(parse_json(text, "file.json").dump() == text);
}

TEST_CASE("text that is not JSON is placed by line and column", "[json]") {
  CHECK(error_of("") == "file.json: not valid JSON at line 1, column 1, where it ends");
  CHECK(error_of("# mine") == "file.json: not valid JSON at line 1, column 1");
  CHECK(error_of("{\n  \"name\": oops\n}") == "file.json: not valid JSON at line 2, column 11");
  CHECK(error_of("{\n\n  \"name\": \"a\",\n}") == "file.json: not valid JSON at line 4, column 1");
  CHECK(error_of("{} {}") == "file.json: not valid JSON at line 1, column 4");
  CHECK(error_of("{\"name\": \"\xff\"}") == "file.json: not valid JSON at line 1, column 11");
  CHECK(error_of(std::string(3, '\0')) == "file.json: not valid JSON at line 1, column 1");
  for (const std::string value : {"NaN", "nan", "Infinity", "-inf", "+1", "0x10", "1.", ".5", "1e", "--1", "4,6e12"}) {
    INFO(value);
    CHECK(error_of("{\"a\": " + value + "}").starts_with("file.json: not valid JSON at line 1, column "));
  }
}

TEST_CASE("JSON that is cut off is an error at its end", "[json]") {
  const std::string whole = R"({"a": [1.5, "two", {"b": null}], "c": true})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK(error_of(whole.substr(0, length)) ==
          "file.json: not valid JSON at line 1, column " + std::to_string(length + 1) + ", where it ends");
  }
}

TEST_CASE("a number that no double holds is named", "[json]") {
  CHECK(error_of(R"({"a": {"b": 1e999}})") == "file.json: /a/b: expected a number that fits a double");
  CHECK(error_of(R"({"a": [0, [1], -1e999]})") == "file.json: /a/2: expected a number that fits a double");
  CHECK(error_of(repeat("9", 400)) == "file.json: /: expected a number that fits a double");
}

TEST_CASE("a repeated member is an error, wherever it is", "[json]") {
  CHECK(error_of(R"({"name": "a", "name": "b"})") == "file.json: /name: expected this member only once");
  CHECK(error_of(R"({"a": [0, {"b": 1, "b": 2}]})") == "file.json: /a/1/b: expected this member only once");
  CHECK(error_of(R"({"a": {}, "b": {"a": {"a": 1}}, "a": {}})") == "file.json: /a: expected this member only once");
  CHECK(error_of(R"([{"a": 1}, {"a": 1}])") == "nothing thrown");
}

TEST_CASE("nesting of any depth is an error, not an overflow", "[json]") {
  constexpr std::size_t depth = 100'000;
  for (const std::string& text : {repeat("[", depth), repeat("[", depth) + repeat("]", depth)}) {
    CHECK(error_of(text) == "file.json: " + repeat("/0", 16) + ": expected at most 16 levels");
  }
  CHECK(error_of(repeat("{\"a\":", depth)) == "file.json: " + repeat("/a", 16) + ": expected at most 16 levels");
  CHECK(error_of(repeat("[", 16) + repeat("]", 16)) == "nothing thrown");
}

TEST_CASE("members without end are an error, not a wait", "[json]") {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  CHECK(error_of(text) == "file.json: /1000: expected at most 1000 members in an object");
}

TEST_CASE("a name as long as a file is quoted in short", "[json]") {
  const std::string name(1'000'000, 'x');
  CHECK(error_of("{\"" + name + "\": 1e999}") ==
        "file.json: /" + repeat("x", 100) + "...: expected a number that fits a double");
}

TEST_CASE("a value that is refused is named by its place, not by what it is", "[json]") {
  const JsonText text(R"({"a": [[1], {"b/c": [1, 1], "d": 1}], "e": {"f": {}}})", "file.json");
  const JsonReader a = text.root().member("a");
  const auto refusal = [](const auto& read) {
    try {
      static_cast<void>(read());
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const auto text_of = [&](const JsonReader& value) { return refusal([&] { return value.text(); }); };
  CHECK(text_of(text.root()) == "file.json: /: expected a text");
  CHECK(text_of(a.items()[0].items()[0]) == "file.json: /a/0/0: expected a text");
  CHECK(text_of(a.items()[1].member("b/c").items()[1]) == "file.json: /a/1/b~1c/1: expected a text");
  CHECK(text_of(a.items()[1].members()[1].value) == "file.json: /a/1/d: expected a text");
  CHECK(text_of(*text.root().find("e")->find("f")) == "file.json: /e/f: expected a text");
  CHECK(refusal([&] { return text.root().member("e").member("f").member("g"); }) ==
        "file.json: /e/f/g: expected this member, which is missing");
  CHECK(refusal([&] { return a.has("b"); }) == "file.json: /a: expected an object");
}

TEST_CASE("a member of an unknown name is refused with the nearest name", "[json]") {
  const auto refusal = [](const std::string& name, std::size_t names) {
    const Json json = {{name, 1}};
    const std::string source = "file.json";
    std::vector<std::string> known = {"probes", "expectations"};
    for (std::size_t i = known.size(); i < names; ++i) known.push_back("zzzzzzzz" + std::to_string(i));
    try {
      JsonReader(json, source).allow_only(known);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  CHECK(refusal("probes", 2) == "nothing thrown");
  CHECK(refusal("probe", 2) == "file.json: /probe: there is no such member; did you mean 'probes'?");
  CHECK(refusal("a/b\n", 2) == "file.json: /a~1b\\n: there is no such member; there are: probes, expectations");
  CHECK(refusal("comment", 50) == "file.json: /comment: there is no such member; remove it, or mend its name");
}

TEST_CASE("arrays of names to be emptied are read as strictly and kept without their items", "[json]") {
  constexpr std::string_view names[] = {"samples"};
  const auto emptied = [&](const std::string& text) { return parse_json(text, "file.json", names); };
  const auto complaint = [&](const std::string& text) {
    try {
      static_cast<void>(emptied(text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  CHECK(emptied(R"({"samples": [1, [2], {"samples": [3]}], "count": [4]})").dump() == R"({"samples":[],"count":[4]})");
  CHECK(emptied(R"([{"samples": {"a": 1}}, {"samples": "text"}, ["samples"]])").dump() ==
        R"([{"samples":{"a":1}},{"samples":"text"},["samples"]])");
  CHECK(complaint(R"({"samples": [1, 2,]})").starts_with("file.json: not valid JSON at line 1"));
  CHECK(complaint(R"({"samples": [1, 2, 1e999]})") == "file.json: /samples/2: expected a number that fits a double");
  CHECK(complaint(R"({"samples": [1, {"a": 1, "a": 2}]})") ==
        "file.json: /samples/1/a: expected this member only once");
  CHECK(complaint(R"({"samples": )" + std::string(20, '[')).find("expected at most 16 levels") != std::string::npos);
}

}  // namespace gpumem::test_json_reader
