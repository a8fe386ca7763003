#include "app/command_line/command_options.hpp"

namespace gpumem::app {

namespace {

class ListCommand final : public CommandOptions {
 public:
  explicit ListCommand(CLI::App& program)
      : CommandOptions(program, "list", "Probes with their axes, units and defaults (needs no GPU)") {
    name_option_ = command().add_option("NAME", name_, "Only this probe, e.g. offset")->option_text("[PROBE]");
    add_switch(command(), "json", arguments_.json, "For programs, e.g. to build a menu of probes");
    command().footer(
        "Examples:\n"
        "  gpumem list             everything that can be varied\n"
        "  gpumem list transfer    what one probe varies and reports");
  }

  [[nodiscard]] Request take() override {
    if (name_option_->count() > 0) arguments_.name = name_;
    return arguments_;
  }

 private:
  ListArguments arguments_;
  std::string name_;
  const CLI::Option* name_option_ = nullptr;
};

}  // namespace

Command add_list_command(CLI::App& program) { return std::make_unique<ListCommand>(program); }

}  // namespace gpumem::app
