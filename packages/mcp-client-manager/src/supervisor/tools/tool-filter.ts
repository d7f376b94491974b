import type { ServerTool } from '../../session/session.js';

export interface ToolRules {
  /** `*` stands for any text. `undefined`: all tools. */
  readonly allowedTools: readonly string[] | undefined;
  readonly deniedTools: readonly string[];
}

export function allowsTool({ allowedTools, deniedTools }: ToolRules, tool: string): boolean {
  if (deniedTools.some((pattern) => matches(pattern, tool))) return false;
  return allowedTools === undefined || allowedTools.some((pattern) => matches(pattern, tool));
}

/** The same array if the spec allows all. */
export function allowedOf(rules: ToolRules, tools: readonly ServerTool[]): readonly ServerTool[] {
  const allowed = tools.filter(({ name }) => allowsTool(rules, name));
  return allowed.length === tools.length ? tools : Object.freeze(allowed);
}

/** Matches each part between two stars at its first occurrence, in linear time per part. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}
