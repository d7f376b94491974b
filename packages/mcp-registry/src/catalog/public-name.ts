import { SOURCE_PREFIX } from '@x/internal/names';

/** Which tool is meant: two fields, never one text that would have to be split. */
export interface ToolIdentity {
  /** The source's name; `undefined` for a native tool. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
}

/** The native tool that every registry has. */
export const SEARCH_TOOL_NAME = 'search_mcp_tools';

/** Calls any other tool by its name, so that the tools a model is given need never change. */
export const CALL_TOOL_NAME = 'call_mcp_tool';

/** Of the registry itself: they reach what the one who calls them may reach, and no host app can take their names. */
export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([SEARCH_TOOL_NAME, CALL_TOOL_NAME]);

/** Whether a native tool may have this name: `[A-Za-z0-9_-]`, 1 to 64 characters, not as a source's tool would be. */
export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}
