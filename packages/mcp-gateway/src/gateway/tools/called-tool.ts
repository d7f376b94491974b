import { isRecord } from '@x/internal/json';
import { CALL_TOOL_NAME } from '@x/internal/names';
import { auditOf, peekTool, peekTools, type ToolView } from '@x/internal/views';
import type { Audience } from '../audiences.js';

interface AskedCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** The tool that a call is of, by whatever way it is called; `undefined` if there is none, or it may not be used. */
export function calledTool({ view, tools }: Audience, { name, arguments: args }: AskedCall): ToolView | undefined {
  const named = name === CALL_TOOL_NAME && isRecord(args) ? String(args.name) : name;
  return peekTool(view, named) ?? peekTool(tools, named);
}

/** Records a call that is one too many as the registry would record it, under the name that the registry has for it. */
export function recordLimited({ tools }: Audience, called: ToolView, { name, arguments: args }: AskedCall): void {
  const given = name === CALL_TOOL_NAME && isRecord(args) ? args.arguments : args;
  const view = peekTools(tools).find(({ server, tool }) => server === called.server && tool === called.tool) ?? called;
  const lookup = { name: view.name, hidden: { view }, entry: { view }, decision: ALLOWED };
  auditOf(tools)?.called(lookup, given, 'rate-limited');
}

/** What would have been decided: it is found by those alone who may use it. */
const ALLOWED = Object.freeze({ isAllowed: true });
