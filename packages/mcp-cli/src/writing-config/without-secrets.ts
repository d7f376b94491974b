import { checkConfig } from '@x/mcp-config-schema';
import type { ServerEntry } from './host-entry.js';

/** A secret that was removed from an entry, without its value. */
export interface RemovedSecret {
  readonly server: string;
  /** Environment variable that the entry refers to instead. */
  readonly variable: string;
  /** Position in the entry, such as `env.GITHUB_TOKEN`. */
  readonly place: string;
}

interface CleanEntries {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly secrets: readonly RemovedSecret[];
}

/** Replaces each inline secret in `servers` by `${NAME}`. Equal values get one variable. */
export function withoutSecrets(servers: Readonly<Record<string, ServerEntry>>): CleanEntries {
  const clean = structuredClone(servers) as Record<string, ServerEntry>;
  const names = new Map<string, string>();
  const secrets: RemovedSecret[] = [];
  for (const { code, path } of checkConfig({ text: JSON.stringify({ mcp_servers: servers }) }, { variables: 'keep' })
    .issues) {
    const [, server, ...place] = path.map(String);
    if (code !== 'inline-secret' || server === undefined) continue;
    const found = textAt(clean[server], place);
    if (!found) continue;
    const { before, secret } = withoutPrefix(found.text);
    const variable = freeName(candidates(server, place, found.text, textBefore(clean[server], place)), secret, names);
    names.set(variable, secret);
    found.replace(`${before}\${${variable}}`);
    secrets.push({ server, variable, place: place.join('.') });
  }
  return { servers: clean, secrets };
}

interface FoundText {
  readonly text: string;
  replace(text: string): void;
}

function textAt(entry: unknown, place: readonly string[]): FoundText | undefined {
  const parent = place
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], entry);
  const key = place.at(-1);
  if (typeof parent !== 'object' || parent === null || key === undefined) return undefined;
  const values = parent as Record<string, unknown>;
  const text = values[key];
  if (typeof text !== 'string') return undefined;
  return {
    text,
    replace: (next) => {
      values[key] = next;
    },
  };
}

/** `Bearer …` and `--token=…` stay readable; otherwise the whole text is the secret. */
function withoutPrefix(text: string): { readonly before: string; readonly secret: string } {
  const before = /^(?:(?:bearer|basic|token)\s+|--?[\w.-]+=)(?=\S)/i.exec(text)?.[0] ?? '';
  return { before, secret: text.slice(before.length) };
}

function textBefore(entry: ServerEntry | undefined, [key, index]: readonly string[]): string | undefined {
  const before = key === 'args' ? entry?.args?.[Number(index) - 1] : undefined;
  return before?.startsWith('-') ? before : undefined;
}

/** Names for a variable, best first. A key of `env` is the name that the server's documentation uses. */
function candidates(server: string, place: readonly string[], text: string, option: string | undefined): string[] {
  const [kind, key = ''] = place;
  const word =
    kind === 'env'
      ? key
      : kind === 'headers'
        ? headerWord(key)
        : (/^--?([\w.-]+)=/.exec(text)?.[1] ?? option ?? kind ?? '');
  const own = variableName(word);
  const longer = variableName(`${server}_${word}`);
  return kind === 'env' ? [own, longer] : [longer];
}

function headerWord(name: string): string {
  return name.toLowerCase() === 'authorization' ? 'token' : name;
}

function variableName(text: string): string {
  const name = text
    .replace(/^-+/, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `MCP_${name}`;
}

/** A name that has no other value yet. */
function freeName(wanted: readonly string[], value: string, names: ReadonlyMap<string, string>): string {
  const isFree = (name: string): boolean => (names.get(name) ?? value) === value;
  const last = wanted.at(-1) ?? 'SECRET';
  for (let number = 2; ; number += 1) {
    const name = wanted.find(isFree) ?? (isFree(`${last}_${number}`) ? `${last}_${number}` : undefined);
    if (name !== undefined) return name;
  }
}
