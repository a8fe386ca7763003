"""gpumem for programs that tune kernels: the tools of `gpumem-mcp`, a server of the Model Context Protocol.

`tools` has them as functions that need no SDK, `server` offers them over stdio. docs/agents.md is about both.
"""
