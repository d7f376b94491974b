/** Lists of a server's tools by their own names, in which `*` stands for any text. */
export interface ToolRules {
  /** `undefined`: all tools. */
  readonly allowedTools: readonly string[] | undefined;
  readonly deniedTools: readonly string[];
}

export function allowsTool({ allowedTools, deniedTools }: ToolRules, tool: string): boolean {
  if (deniedTools.some((pattern) => matchesStars(pattern, tool))) return false;
  return allowedTools === undefined || allowedTools.some((pattern) => matchesStars(pattern, tool));
}

/** Matches each part between two stars at its first occurrence, in linear time per part. */
function matchesStars(pattern: string, text: string): boolean {
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
