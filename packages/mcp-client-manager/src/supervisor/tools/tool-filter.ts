import type { ServerTool } from '../../session/session.js';

export interface ToolRules {
  /** The only tools that are offered, with `*` for any text; `undefined` for all of them. */
  readonly allowedTools: readonly string[] | undefined;
  /** Never offered, even if allowed. */
  readonly deniedTools: readonly string[];
}

/** Whether a spec lets a tool be seen and called. */
export function allowsTool({ allowedTools, deniedTools }: ToolRules, tool: string): boolean {
  if (deniedTools.some((pattern) => matches(pattern, tool))) return false;
  return allowedTools === undefined || allowedTools.some((pattern) => matches(pattern, tool));
}

/** The tools that a spec lets be seen. The same array when that is all of them. */
export function allowedOf(rules: ToolRules, tools: readonly ServerTool[]): readonly ServerTool[] {
  const allowed = tools.filter(({ name }) => allowsTool(rules, name));
  return allowed.length === tools.length ? tools : Object.freeze(allowed);
}

/** Finds each piece between two stars as early as possible; whatever the texts are, none is read twice for one piece. */
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
