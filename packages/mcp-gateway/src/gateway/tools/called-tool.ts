import { isRecord } from '@x/internal/json';
import { CALL_TOOL_NAME } from '@x/internal/names';
import { auditOf, peekTool, peekTools, type ToolView } from '@x/internal/views';
import type { Audience } from '../audiences.js';

interface AskedCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** The tool of a call, under any name; `undefined` if there is none, or it may not be used. */
export function calledTool({ view, tools }: Audience, { name, arguments: args }: AskedCall): ToolView | undefined {
  const named = name === CALL_TOOL_NAME && isRecord(args) ? String(args.name) : name;
  return peekTool(view, named) ?? peekTool(tools, named);
}

/** Records a call over a limit as the registry would, under the registry's name. */
export function recordLimited({ tools }: Audience, called: ToolView, { name, arguments: args }: AskedCall): void {
  const given = name === CALL_TOOL_NAME && isRecord(args) ? args.arguments : args;
  const view = peekTools(tools).find(({ server, tool }) => server === called.server && tool === called.tool) ?? called;
  const lookup = { name: view.name, hidden: { view }, entry: { view }, decision: ALLOWED };
  auditOf(tools)?.called(lookup, given, 'rate-limited');
}

/** The decision that would have been made: only callers that may use the tool get here. */
const ALLOWED = Object.freeze({ isAllowed: true });
