/** The native tool of every registry. */
export const SEARCH_TOOL_NAME = 'search_mcp_tools';

/** Calls any other tool by its name, so that a model's list of tools never changes. */
export const CALL_TOOL_NAME = 'call_mcp_tool';

/** Runs a program that calls other tools. */
export const CODE_TOOL_NAME = 'execute_mcp_code';

/** Reads what a result limit left out of results. */
export const READ_RESULT_TOOL_NAME = 'read_mcp_result';

/** Reserved names of the registry's own tools. */
export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([
  SEARCH_TOOL_NAME,
  CALL_TOOL_NAME,
  CODE_TOOL_NAME,
  READ_RESULT_TOOL_NAME,
]);
