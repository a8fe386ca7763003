#include "app/command_line/command_options.hpp"

namespace gpumem::app {

namespace {

class DevicesCommand final : public CommandOptions {
 public:
  explicit DevicesCommand(CLI::App& program)
      : CommandOptions(program, "devices", "GPUs of this machine, with everything a report records about them") {
    add_switch(command(), "json", arguments_.json,
               "For programs, with the names of a report's \"device\", e.g. to pick a GPU by its UUID");
    command().footer(
        "Examples:\n"
        "  gpumem devices          an index, UUID or PCI id of these goes with --device\n"
        "  gpumem devices --json");
  }

  [[nodiscard]] Request take() override { return arguments_; }

 private:
  DevicesArguments arguments_;
};

}  // namespace

Command add_devices_command(CLI::App& program) { return std::make_unique<DevicesCommand>(program); }

}  // namespace gpumem::app
