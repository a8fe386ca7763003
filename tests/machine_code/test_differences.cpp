// The comparison itself: a merged, removed or duplicated access must not pass.

#include "tests/catch.hpp"
#include "tests/machine_code/instructions.hpp"

namespace gpumem::machine_code::test_differences {

using access::Op;
using access::Site;
using access::Space;

namespace {

Site site(Space space, Op op, unsigned word_bytes, unsigned instructions) {
  Site site;
  site.name = "site";
  site.space = space;
  site.op = op;
  site.word_bytes = word_bytes;
  site.instructions = instructions;
  return site;
}

std::vector<Site> copy_sites(unsigned word_bytes, unsigned instructions) {
  return {site(Space::global, Op::load, word_bytes, instructions),
          site(Space::global, Op::store, word_bytes, instructions)};
}

}  // namespace

TEST_CASE("A kernel as declared shows no differences", "[machine_code]") {
  const Counts compiled{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(compiled, copy_sites(4, 2)).empty());
}

TEST_CASE("Mapped host memory is reached by global instructions", "[machine_code]") {
  const std::vector<Site> load{site(Space::host, Op::load, 8, 2)};
  CHECK(differences({{{Space::global, Op::load, 8}, 2}}, load).empty());
  CHECK(differences({{{Space::global, Op::load, 8}, 1}}, load).size() == 1);
  CHECK(differences({{{Space::shared, Op::load, 8}, 2}}, load).size() == 2);
}

TEST_CASE("A removed, merged, narrowed or duplicated access is a difference", "[machine_code]") {
  const Counts removed{{{Space::global, Op::load, 4}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(removed, copy_sites(4, 2)) == std::vector<std::string>{"1 x 4-byte global load instead of 2"});

  const Counts merged{{{Space::global, Op::load, 8}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(merged, copy_sites(4, 2)) ==
        std::vector<std::string>{"0 x 4-byte global load instead of 2", "1 x 8-byte global load instead of 0"});

  const Counts split{{{Space::global, Op::load, 8}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(split, copy_sites(8, 1)).size() == 2);

  const Counts duplicated{{{Space::global, Op::load, 4}, 4}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(duplicated, copy_sites(4, 2)) == std::vector<std::string>{"4 x 4-byte global load instead of 2"});

  CHECK(differences({}, copy_sites(4, 2)).size() == 2);
}

TEST_CASE("What no site declares may only be bookkeeping", "[machine_code]") {
  const std::vector<Site> load{site(Space::global, Op::load, 16, 1)};
  const auto with = [](Instruction instruction, unsigned number) {
    return Counts{{{Space::global, Op::load, 16}, 1}, {instruction, number}};
  };
  CHECK(differences(with({Space::global, Op::store, 8}, 2), load).empty());
  CHECK(differences(with({Space::global, Op::store, 4}, 3), load).size() == 1);
  CHECK(differences(with({Space::global, Op::store, 16}, 1), load).size() == 1);
  CHECK(differences(with({Space::global, Op::load, 4}, 1), load).size() == 1);
  CHECK(differences(with({Space::shared, Op::load, 4}, 1), load).size() == 1);
  CHECK(differences(with({Space::shared, Op::store, 4}, 1), load).size() == 1);
  CHECK(differences(with({generic, Op::load, 4}, 1), load).size() == 1);

  const Counts tile{{{Space::shared, Op::load, 4}, 8}, {{Space::shared, Op::store, 4}, 4}};
  CHECK(differences(tile, std::vector<Site>{site(Space::shared, Op::load, 4, 8)}).empty());
}

TEST_CASE("An access whose width the instruction does not say is any site's in its space", "[machine_code]") {
  const std::vector<Site> texels{site(Space::texture, Op::load, 4, 2)};
  CHECK(differences({{{Space::texture, Op::load, 0}, 2}}, texels).empty());
  CHECK(differences({{{Space::texture, Op::load, 0}, 1}}, texels) ==
        std::vector<std::string>{"1 x 4-byte texture load instead of 2"});
  CHECK(differences({{{Space::texture, Op::load, 0}, 3}}, texels) ==
        std::vector<std::string>{"1 x texture load instead of 0"});

  const std::vector<Site> bulk{site(Space::global, Op::load, 16, 1), site(Space::global, Op::load, 4, 2),
                               site(Space::shared, Op::store, 16, 1)};
  const Counts compiled{
      {{Space::global, Op::load, 0}, 1}, {{Space::global, Op::load, 4}, 2}, {{Space::shared, Op::store, 0}, 1}};
  CHECK(differences(compiled, bulk).empty());
  const Counts doubled{
      {{Space::global, Op::load, 0}, 1}, {{Space::global, Op::load, 4}, 3}, {{Space::shared, Op::store, 0}, 1}};
  CHECK(differences(doubled, bulk) == std::vector<std::string>{"3 x 4-byte global load instead of 2"});
  CHECK(differences({{{Space::global, Op::store, 0}, 1}}, {}) ==
        std::vector<std::string>{"1 x global store, which no site declares"});
}

TEST_CASE("Generic instructions reach another block's shared memory where a site lies there", "[machine_code]") {
  const std::vector<Site> neighbour{site(Space::cluster, Op::load, 4, 2)};
  CHECK(differences({{{generic, Op::load, 4}, 2}}, neighbour).empty());
  CHECK(differences({{{Space::cluster, Op::load, 4}, 2}}, neighbour).empty());
  CHECK(differences({{{generic, Op::load, 4}, 1}, {{Space::cluster, Op::load, 4}, 1}}, neighbour).empty());
  CHECK(differences({{{generic, Op::load, 4}, 3}}, neighbour).size() == 1);
  CHECK(differences({{{generic, Op::load, 4}, 2}, {{Space::shared, Op::store, 4}, 1}}, neighbour).empty());
  CHECK(differences({{{generic, Op::load, 4}, 2}, {{generic, Op::store, 4}, 1}}, neighbour).size() == 1);
}

TEST_CASE("Atomics, constants and textures that no site declares are differences", "[machine_code]") {
  const std::vector<Site> load{site(Space::global, Op::load, 4, 1)};
  for (const Instruction& more :
       {Instruction{Space::global, Op::atomic, 4}, Instruction{Space::shared, Op::atomic, 4},
        Instruction{Space::constant, Op::load, 4}, Instruction{Space::texture, Op::load, 0}}) {
    CHECK(differences({{{Space::global, Op::load, 4}, 1}, {more, 1}}, load).size() == 1);
  }
}

TEST_CASE("Two registers may be spilled, more are a difference, as where a site lies in local memory",
          "[machine_code]") {
  const std::vector<Site> load{site(Space::global, Op::load, 4, 1)};
  const auto spilled = [](unsigned stores, unsigned loads, unsigned bytes) {
    return Counts{{{Space::global, Op::load, 4}, 1},
                  {{Space::local, Op::store, bytes}, stores},
                  {{Space::local, Op::load, bytes}, loads}};
  };
  CHECK(differences(spilled(2, 2, 4), load).empty());
  CHECK(differences(spilled(3, 2, 4), load) ==
        std::vector<std::string>{"3 spills of registers, which no site declares"});
  CHECK(differences(spilled(2, 3, 4), load) ==
        std::vector<std::string>{"3 loads of spilled registers, which no site declares"});
  CHECK(differences(spilled(1, 1, 16), load).size() == 2);
  const std::vector<Site> local{site(Space::global, Op::load, 4, 1), site(Space::local, Op::store, 4, 1)};
  CHECK(differences(spilled(2, 2, 4), local) == std::vector<std::string>{"2 x 4-byte local store instead of 1"});
}

}  // namespace gpumem::machine_code::test_differences
