import { isRecord } from '../catalog/json-copy.js';
import { CALL_TOOL_NAME } from '../catalog/public-name.js';
import type { ToolView } from '../catalog/tool-view.js';
import { peekTool } from '../peek-tools.js';
import type { Audience } from './audiences.js';

/** The tool that a call is of, by whatever way it is called; `undefined` if there is none, or it may not be used. */
export function calledTool(
  { view, tools }: Audience,
  { name, arguments: args }: { readonly name: string; readonly arguments?: unknown },
): ToolView | undefined {
  const named = name === CALL_TOOL_NAME && isRecord(args) ? String(args.name) : name;
  return peekTool(view, named) ?? peekTool(tools, named);
}
