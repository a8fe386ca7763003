"""`gpumem-mcp`: the tools over the Model Context Protocol, on stdin and stdout."""

from __future__ import annotations

import argparse
import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..errors import Error
from . import tools
from .answers import cut

INSTALL = "gpumem-mcp takes the MCP SDK, on Python 3.10 or newer; 'python3 -m pip install \"gpumem[mcp]\"' installs it"
INSTRUCTIONS = """gpumem tells how fast the memory of an NVIDIA GPU should be, how fast it is, and why. Measure with
run_program, read the diagnosis, change one thing, measure into another report, compare_runs. Stop at the bound: no kernel
moves its bytes faster. predict_pattern, expect_gpu, explain_kernel and compare_runs measure nothing and need no GPU."""
READING = (tools.predict_pattern, tools.explain_kernel, tools.compare_runs, tools.expect_gpu)
MEASURING = (tools.run_program, tools.check_gpu)


def made() -> Any:
    """The server with its tools. Raises Error where the SDK is not installed, or is of version 1."""
    try:
        sdk, types = importlib.import_module("mcp.server.mcpserver"), importlib.import_module("mcp_types")
        failed = importlib.import_module("mcp.server.mcpserver.exceptions").ToolError
    except ImportError as error:
        raise Error(INSTALL, 2) from error
    server = sdk.MCPServer("gpumem", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in (*READING, *MEASURING):
        hints = types.ToolAnnotations(read_only_hint=tool in READING, open_world_hint=tool is tools.run_program)
        server.add_tool(reporting(tool, failed), annotations=hints, structured_output=False)
    return server


def reporting(tool: Callable[..., str], failed: type[Exception]) -> Callable[..., str]:
    """The tool, whose errors reach the client as errors of a tool, in one line."""

    @functools.wraps(tool)
    def called(*arguments: Any, **named: Any) -> str:
        try:
            return tool(*arguments, **named)
        except Error as error:
            raise failed(cut(f"gpumem: {error}", 1500)) from error

    return called


def main() -> int:
    argparse.ArgumentParser("gpumem-mcp", description="Serves gpumem's tools over the Model Context Protocol on stdin and "
                            "stdout. A client starts it; docs/agents.md says how.").parse_args()
    try:
        server = made()
    except Error as error:
        print(f"gpumem: {error}", file=sys.stderr)
        return 2
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
