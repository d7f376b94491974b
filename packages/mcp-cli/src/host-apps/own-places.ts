import { resolve } from 'node:path';
import type { ConfigIssue } from '@x/mcp-config-schema';
import type { GivenTexts } from '@x/mcp-config-schema/load';
import { readText } from '@x/mcp-host-sync/edit';
import { namesIn } from './host-texts.js';

/** Files of host apps as they are, by their names in issues, with the names that their servers have in converted text. */
export type OwnTexts = ReadonlyMap<string, { readonly text: string; readonly names: readonly string[] }>;

/** @param files - Names of the files in issues. */
export async function ownTexts({ texts }: GivenTexts, files: Iterable<string>, cwd: string): Promise<OwnTexts> {
  const read = Array.from(files, async (file) => {
    const path = resolve(cwd, file);
    const converted = texts.find((text) => text.path === path);
    if (converted === undefined) return [];
    const text = await readText(path).catch(() => undefined);
    return text === undefined ? [] : [[file, { text, names: namesIn(converted.text) }] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

/** Moves an issue of converted text to the deepest field of its path that the app's own file names. */
export function placeInOwnText(issue: ConfigIssue, texts: OwnTexts): ConfigIssue {
  const own = issue.file === undefined ? undefined : texts.get(issue.file);
  const [, server, ...fields] = issue.path;
  if (own === undefined || typeof server !== 'string') return issue;
  const start = keyAt(own.text, server, 0);
  if (start === undefined) return issue;
  const others = own.names.flatMap((name) => (name === server ? [] : (keyAt(own.text, name, 0) ?? [])));
  const end = Math.min(own.text.length, ...others.filter((other) => other > start));
  let at = start;
  for (const field of fields) {
    const next = typeof field === 'string' ? keyAt(own.text, field, at + 1) : undefined;
    if (next === undefined || next >= end) break;
    at = next;
  }
  const before = own.text.slice(0, at).split('\n');
  return { ...issue, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** Where a key of JSON, YAML or TOML starts. */
function keyAt(text: string, key: string, from: number): number | undefined {
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found = new RegExp(`(?<![\\w-])["']?${escaped}["']?\\s*[:=\\]]`, 'g');
  found.lastIndex = from;
  return found.exec(text)?.index;
}
