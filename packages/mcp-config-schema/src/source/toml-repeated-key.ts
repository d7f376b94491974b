import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import type { ConfigPath } from '../issues.js';

export interface RepeatedKey {
  readonly key: string;
  readonly path: ConfigPath;
  /** Offset of the existing key. */
  readonly firstStart: number;
}

/**
 * Finds the first occurrence of a repeated key by parsing the text before it again, because the parser reports only the
 * repetition. `undefined` if not found, for example in an inline table.
 */
export function firstOfRepeatedKey(text: string, offset: number): RepeatedKey | undefined {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const key = /[\w-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/y;
  key.lastIndex = offset;
  const written = key.exec(text)?.[0];
  if (written === undefined) return undefined;
  const opening = text.slice(lineStart, offset) + written;
  const closing = /^\s*\[\[/.test(opening) ? ']]' : /^\s*\[/.test(opening) ? ']' : ' = 0';
  const before = parsed(text.slice(0, lineStart));
  const [statement] = parsed(opening + closing) ?? [];
  if (before === undefined || statement === undefined) return undefined;

  const table = statement.type === 'TOMLTable' ? [] : tableAtEnd(before);
  const path = [...table, ...statement.key.keys.map((node) => getStaticTOMLValue(node))];
  const firstStart = startOf(before, path);
  const name = path.at(-1);
  return firstStart === undefined || typeof name !== 'string' ? undefined : { key: name, path, firstStart };
}

type Statement = AST.TOMLKeyValue | AST.TOMLTable;

function parsed(text: string): readonly Statement[] | undefined {
  try {
    return parseTOML(text, { tomlVersion: '1.0' }).body[0].body;
  } catch {
    return undefined; // not valid on its own: the line is inside of a value, or further keys are repeated
  }
}

function tableAtEnd(statements: readonly Statement[]): ConfigPath {
  const last = statements.at(-1);
  return last?.type === 'TOMLTable' ? last.resolvedKey : [];
}

/** First position of a path or of a longer path that starts with it. */
function startOf(statements: readonly Statement[], path: ConfigPath): number | undefined {
  for (const statement of statements) {
    const base = statement.type === 'TOMLTable' ? statement.resolvedKey : [];
    if (statement.type === 'TOMLTable' && startsWith(base, path)) return statement.key.range[0];
    for (const pair of statement.type === 'TOMLTable' ? statement.body : [statement]) {
      const full = [...base, ...pair.key.keys.map((node) => getStaticTOMLValue(node))];
      if (startsWith(full, path)) return pair.key.keys[path.length - base.length - 1]?.range[0] ?? pair.range[0];
    }
  }
  return undefined;
}

function startsWith(full: ConfigPath, start: ConfigPath): boolean {
  return start.every((step, index) => full[index] === step);
}
