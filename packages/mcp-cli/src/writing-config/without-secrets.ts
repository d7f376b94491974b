import { checkConfig } from '@x/mcp-config-schema';
import type { ServerEntry } from './host-entry.js';
import { writtenFolder } from './workspace-folder.js';

/** A secret that was removed from an entry, without its value, or a value that the host app asks its user for. */
export interface RemovedSecret {
  readonly server: string;
  /** Environment variable that the entry refers to instead. */
  readonly variable: string;
  /** Position in the entry, such as `env.GITHUB_TOKEN`. */
  readonly place: string;
  /** Name of the prompt of the host app. Absent for an inline secret. */
  readonly input?: string;
}

interface CleanEntries {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly secrets: readonly RemovedSecret[];
}

/** What the host app of a server says of one of its inputs. */
export type DescribeInput = (server: string, input: string) => string | undefined;

/**
 * Replaces each inline secret and each `${input:…}` of VS Code in `servers` by `${NAME}`. Equal values get one variable,
 * and so do inputs of one id and one description.
 */
export function withoutSecrets(
  servers: Readonly<Record<string, ServerEntry>>,
  describe: DescribeInput = () => undefined,
): CleanEntries {
  const clean = structuredClone(servers) as Record<string, ServerEntry>;
  const names = new Map<string, string>();
  const secrets = replaceInputs(clean, names, describe);
  for (const { code, path } of checkConfig({ text: JSON.stringify({ mcp_servers: clean }) }, { variables: 'keep' })
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

/** A prompt of VS Code, which an entry contains as literal text. */
const writtenInput = /\$\$\{input:([^}]+)\}/g;

/** True if the entry has expressions of its host app, and a config can express all of them. */
export function hasOnlyKnownExpressions(entry: ServerEntry): boolean {
  const text = JSON.stringify(entry);
  const others = text.replace(writtenInput, '').replaceAll(writtenFolder, '');
  return others !== text && !others.includes('$${');
}

/** Replaces each `${input:…}` of VS Code in `servers` by `${NAME}`, and leaves secrets in place. */
export function withoutInputs(servers: Readonly<Record<string, ServerEntry>>): Readonly<Record<string, ServerEntry>> {
  const clean = structuredClone(servers) as Record<string, ServerEntry>;
  replaceInputs(clean, new Map(), () => undefined);
  return clean;
}

function replaceInputs(
  entries: Record<string, ServerEntry>,
  names: Map<string, string>,
  describe: DescribeInput,
): RemovedSecret[] {
  const secrets: RemovedSecret[] = [];
  for (const [server, entry] of Object.entries(entries)) {
    for (const place of placesIn(entry)) {
      const found = textAt(entry, place);
      found?.replace(
        found.text.replace(writtenInput, (expression, input: string) => {
          const meaning = `${expression}${describe(server, input) ?? ''}`;
          const wanted = [variableName(input), variableName(`${server}_${input}`)];
          const variable = freeName(wanted, meaning, names);
          names.set(variable, meaning);
          secrets.push({ server, variable, place: place.join('.'), input });
          return `\${${variable}}`;
        }),
      );
    }
  }
  return secrets;
}

function placesIn({ args = [], env = {}, headers = {} }: ServerEntry): readonly (readonly string[])[] {
  return [
    ['command'],
    ['cwd'],
    ['url'],
    ...args.map((_, index) => ['args', String(index)]),
    ...Object.keys(env).map((key) => ['env', key]),
    ...Object.keys(headers).map((key) => ['headers', key]),
  ];
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
