/** Bounds of one text. Texts beyond them are refused before parsing. */
export const textLimits = {
  /** In UTF-8. */
  bytes: 5_000_000,
  /** Tokens of a YAML text. */
  yamlParts: 2_000_000,
  /** Tokens of a TOML text, whose parser takes more memory. */
  tomlParts: 500_000,
  /** Characters of one TOML value or key. */
  tomlTokenLength: 65_536,
  /** Values that the YAML aliases of a text may expand to. */
  aliasedValues: 500_000,
  /** Nested mappings and lists. */
  depth: 100,
} as const;

/** The first reason why a text must not reach the parser. */
export interface TomlExcess {
  readonly kind: 'depth' | 'parts' | 'token';
  readonly offset: number;
}

// One alternative for each relevant kind of token.
const tokens = /("""|''')|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|#[^\n]*|[[{]|[\]}]|[.,=\n]|[^\s"'#[\]{}.,=]+/gs;

/**
 * Finds what the TOML parser does not bound: depth, over which it recurses; values, which it spreads over the stack;
 * items, which take kilobytes each.
 */
export function scanToml(text: string): TomlExcess | undefined {
  let depth = 0;
  let parts = 0;
  let dots = 0;
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token, fence] = match;
    const offset = match.index;
    if (fence !== undefined) tokens.lastIndex = endOfMultiline(text, tokens.lastIndex, fence);
    if (tokens.lastIndex - offset > textLimits.tomlTokenLength && token[0] !== '#') return { kind: 'token', offset };
    if (++parts > textLimits.tomlParts) return { kind: 'parts', offset };

    if (token === '[' || token === '{') depth += 1;
    // The parser refuses excess closing brackets.
    if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    dots = token === '.' ? dots + 1 : /^[\n,=\]}]/.test(token) ? 0 : dots;
    if (depth + dots > textLimits.depth) return { kind: 'depth', offset };
  }
  return undefined;
}

/** End of a text in three quotes, or of the input if it is not closed. */
function endOfMultiline(text: string, start: number, fence: string): number {
  for (let at = start; at < text.length; at++) {
    if (text.startsWith(fence, at)) return at + fence.length;
    if (fence === '"""' && text[at] === '\\') at += 1;
  }
  return text.length;
}
