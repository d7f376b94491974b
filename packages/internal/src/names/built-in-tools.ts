/** The native tool that every registry has. */
export const SEARCH_TOOL_NAME = 'search_mcp_tools';

/** Calls any other tool by its name, so that the tools a model is given need never change. */
export const CALL_TOOL_NAME = 'call_mcp_tool';

/** Of the registry itself: they reach what the one who calls them may reach, and no host app can take their names. */
export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([SEARCH_TOOL_NAME, CALL_TOOL_NAME]);
