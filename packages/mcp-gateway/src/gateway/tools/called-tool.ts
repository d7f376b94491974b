import { isRecord } from '@x/internal/json';
import { CALL_TOOL_NAME } from '@x/internal/names';
import { auditOf, peekTool, peekTools, type ToolView } from '@x/internal/views';
import type { Audience } from '../audiences.js';

interface AskedCall {
  readonly name: string;
  readonly arguments?: unknown;
}

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

/** Callers that may not use the tool do not get here. */
const ALLOWED = Object.freeze({ isAllowed: true });
