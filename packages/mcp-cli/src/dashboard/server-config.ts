import { resolve } from 'node:path';
import { canonicalJson } from '@x/internal/json';
import { maskSecrets } from '@x/internal/secrets';
import type { ServerConfig } from '@x/mcp-config-schema';
import { inRealDirectories } from '@x/mcp-config-schema/consent';
import { checkFiles } from '@x/mcp-config-schema/load';
import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import { configSource } from '../config/config-source.js';
import { Refusal } from './http.js';
import type { ConfigDifference, ServerConfigView } from './page-messages.js';
import { truncate } from './page-views.js';

const maxLines = 200;
const maxTextLength = 10_000;
const maxValueLength = 500;

/** The part of the files and of the daemon that a report needs. */
interface Sources {
  readonly stack: Pick<Stack, 'config' | 'redactor' | 'cwd'>;
  /** Files or directories of the command line. */
  readonly files: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env'>;
}

/**
 * The entry of a server in the files as they are now, and how it differs from the config in effect. Secrets are masked.
 *
 * @throws {Refusal} `unknown-server`.
 */
export async function serverConfigReport(server: string, { stack, files, io }: Sources): Promise<ServerConfigView> {
  const running = find(stack.config.servers, server);
  if (!running) throw new Refusal(404, 'unknown-server', `No server is named "${server}"`);
  const source = configSource(files, io);
  const { config, partial, texts, redactor } = await checkFiles({ ...source, unsetVariables: 'warning' });
  const redact = (text: string): string => stack.redactor.redact(redactor.redact(text));
  const { servers } = inRealDirectories({ ...stack.config, servers: (config ?? partial)?.servers ?? [] });
  const now = find(servers, server);
  const { file, line } = (now ?? running).source;
  // Redactors know values; the text also has comments, and values as they are written.
  const text = file === undefined ? undefined : maskSecrets(texts.get(file) ?? '');
  return {
    file: file === undefined ? undefined : resolve(stack.cwd, file),
    line,
    layer: running.layer,
    entry: now && text !== undefined ? truncate(redact(entryAt(text, line)), maxTextLength) : undefined,
    differences: now ? differencesOf(running, now, redact) : [],
  };
}

function find(servers: readonly ServerConfig[], server: string): ServerConfig | undefined {
  return servers.find(({ name }) => name === server);
}

/** The line and those that belong to it by their indentation. */
function entryAt(text: string, line: number): string {
  const [first = '', ...rest] = text.split(/\r?\n/).slice(line - 1);
  const indent = indentOf(first);
  const end = rest.findIndex((each) => each.trim() !== '' && indentOf(each) <= indent);
  const lines = [first, ...rest.slice(0, end < 0 ? undefined : end)];
  const last = end < 0 ? '' : (rest[end] ?? '');
  if (/^\s*[}\]]/.test(last) && indentOf(last) === indent) lines.push(last);
  return lines
    .slice(0, maxLines)
    .map((each) => each.slice(Math.min(indent, indentOf(each))))
    .join('\n')
    .trimEnd();
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Facts about the files, which change nothing at the server. */
const notCompared: ReadonlySet<string> = new Set([
  'name',
  'source',
  'layer',
  'logDirectorySource',
  'sensitive',
  'unsetVariables',
]);

function differencesOf(
  running: ServerConfig,
  now: ServerConfig,
  redact: (text: string) => string,
): readonly ConfigDifference[] {
  const [before, after] = [fieldsOf(running), fieldsOf(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !notCompared.has(name));
  return names.flatMap((field) => {
    if (before.get(field) === after.get(field)) return [];
    const shown = (text: string | undefined) => text && truncate(redact(text), maxValueLength);
    return [{ field, running: shown(before.get(field)), now: shown(after.get(field)) }];
  });
}

function fieldsOf(server: ServerConfig): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(server).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, canonicalJson(value)] as const],
    ),
  );
}
