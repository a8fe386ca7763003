// A user's words choose cases; words that choose none are an error.

#include "app/commands/case_filter.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::app::test_case_filter {

namespace {

class Refusals : public report::Sentences {
 public:
  Refusals() : Sentences("refused_cases.txt") {}
};

using Cases = std::vector<std::size_t>;

/// Cases 0..3 of `shift` at shifts 0 and 1, read and written; 4 of `skip`.
std::vector<report::Record> records() {
  std::vector<report::Record> all(5);
  for (std::size_t i = 0; i < 4; ++i) {
    all[i].probe = "shift";
    all[i].parameters = {{"shift_elements", std::uint64_t{i % 2}},
                         {"op", i < 2 ? "read" : "write"},
                         {"buffer_bytes", std::uint64_t{1} << 30U}};
  }
  all[4].probe = "skip";
  all[4].parameters = {{"skip_elements", std::uint64_t{8}}, {"shape", "auto"}};
  return all;
}

Cases choose(const std::vector<std::string>& words) {
  const std::vector<Probe> probes = test::fake_probes();
  return choose_cases(records(), {words, probes});
}

std::string refusal(const std::vector<std::string>& words) {
  return test::error_of([&] { static_cast<void>(choose(words)); });
}

}  // namespace

TEST_CASE("cases by position", "[case_choice]") {
  CHECK(choose({}) == Cases{0, 1, 2, 3, 4});
  CHECK(choose({"3"}) == Cases{3});
  CHECK(choose({"0..4:2"}) == Cases{0, 2, 4});
  CHECK(choose({"4,1", "2"}) == Cases{1, 2, 4});
}

TEST_CASE("cases by parameter", "[case_choice]") {
  CHECK(choose({"shift_elements=1"}) == Cases{1, 3});
  CHECK(choose({"shift=1"}) == Cases{1, 3});
  CHECK(choose({"shift=1", "op=write"}) == Cases{3});
  CHECK(choose({"op=read,write"}) == Cases{0, 1, 2, 3});
  CHECK(choose({"shift=0..5"}) == Cases{0, 1, 2, 3});
  CHECK(choose({"buffer=1GiB"}) == Cases{0, 1, 2, 3});
  CHECK(choose({"probe=skip"}) == Cases{4});
  CHECK(choose({"shape=auto"}) == Cases{4});
  CHECK(choose({"0..2", "op=read"}) == Cases{0, 1});
  CHECK(choose({"probe=skip", "probe=shift"}) == Cases{0, 1, 2, 3, 4});
}

TEST_CASE_METHOD(Refusals, "words that choose nothing are refused with what would", "[case_choice]") {
  CHECK(refusal({"5"}) == "there is no case 5; there are 5 cases, 0 to 4");
  CHECK(refusal({"2.."}).starts_with("CASE: '2..' has no end"));
  CHECK(refusal({"one"}).starts_with("CASE: 'one' is not a number"));
  CHECK(refusal({""}).starts_with("CASE: needs a value"));
  CHECK(refusal({"shft=1"}) == "no case has a parameter 'shft'; did you mean 'shift'?");
  CHECK(refusal({"colour=1"}).starts_with("no case has a parameter 'colour'; there are: probe, buffer, "));
  CHECK(refusal({"width=4"}).starts_with("no case has a parameter 'width'"));  // of a probe, not of the report
  CHECK(head(refusal({"op=wirte"})) == "op");
  CHECK(refusal({"shift=x"}).starts_with("shift: 'x' is not a number"));
  CHECK(refusal({"shift="}).starts_with("shift: needs a value"));
  CHECK(refusal({"=1"}).starts_with("no case has a parameter ''"));
  CHECK(refusal({"shift=7"}) == "no case has 'shift=7'; there are: 0..1");
  CHECK(refusal({"buffer=1KiB"}) == "no case has 'buffer=1KiB'; there are: 1GiB");
  CHECK(refusal({"0", "op=write"}) == "none of 5 cases fits '0 op=write'");
  const std::vector<std::string> first = {"0"};
  CHECK(test::error_of([&] {
          static_cast<void>(choose_cases({}, {first, {}}));
        }) == "there is no case 0; there are none");
}

}  // namespace gpumem::app::test_case_filter
