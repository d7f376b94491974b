/** The native tool of every registry. */
export const SEARCH_TOOL_NAME = 'search_mcp_tools';

/** Calls any other tool by its name, so that a model's list of tools never changes. */
export const CALL_TOOL_NAME = 'call_mcp_tool';

/** Runs a program that calls other tools. */
export const CODE_TOOL_NAME = 'execute_mcp_code';

/** Reserved names of the registry's own tools. */
export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([SEARCH_TOOL_NAME, CALL_TOOL_NAME, CODE_TOOL_NAME]);
