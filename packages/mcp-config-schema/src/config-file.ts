import { isRecord } from '@x/internal/json';
import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { z } from 'zod';
import type { ConfigLayer } from './config.js';
import type { ConfigPath } from './issues.js';
import { checkEntries, checkShape, type Entries, reportMisspeltKeys } from './schema/check-shape.js';
import { withoutNulls } from './schema/schema-parts.js';
import { defaultFields } from './schema/server-fields.js';
import {
  type HostServerEntry,
  hostServerSchema,
  type McpServerEntry,
  mcpJsonSchema,
  mcpServerSchema,
  mcpServersFileSchema,
  vscodeJsonSchema,
} from './schema/server-files.js';
import { type ToolEntry, toolSchema, toolsFileSchema } from './schema/tools-file.js';
import type { SourceText } from './source/source-text.js';

/** Servers of all texts together; tools of one text. */
export const maxServers = 10_000;

export interface ConfigFile {
  readonly kind: ConfigFileKind;
  readonly layer: ConfigLayer;
  /** True for a text that a program provides besides the files. Its servers replace none of theirs. */
  readonly isGiven: boolean;
  readonly source: SourceText;
  /** Parsed but not validated. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly section: string;
  readonly servers: ReadonlyMap<string, McpServerEntry>;
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** Also valid parts of invalid entries, for checks of single keys. */
  readonly serverParts: ReadonlyMap<string, McpServerEntry>;
  readonly toolParts: ReadonlyMap<string, ToolEntry>;
}

/** Reports all faults to the source. */
export function readConfigFile(
  source: SourceText,
  { layer, isGiven = false }: { readonly layer: ConfigLayer; readonly isGiven?: boolean | undefined },
): ConfigFile | undefined {
  const kind = recogniseFile(source);
  if (kind === undefined) return undefined;
  const { section, schema } = kinds[kind];
  source.prune((root) => withoutNulls(schema, root));
  // Only a map can be recognized.
  const data = source.value() as Record<string, unknown>;
  const base = { kind, layer, isGiven, source, data, section, ...noServers, ...noTools };
  const check = <Entry extends z.ZodType>(entrySchema: Entry) => checkFile(source, data, section, schema, entrySchema);
  switch (kind) {
    case 'mcp-servers': {
      const { valid, parts } = check(mcpServerSchema);
      return { ...base, servers: valid, serverParts: parts };
    }
    case 'tools': {
      const { valid, parts } = check(toolSchema);
      for (const name of parts.keys()) reportMisspeltKeys(toolSchema, source, [section, name]);
      return { ...base, tools: valid, toolParts: parts };
    }
    default: {
      const { valid, parts } = check(hostServerSchema);
      const servers = mapped(valid, (_name, entry) => fromHostEntry(entry));
      const serverParts = mapped(parts, (name, entry) => servers.get(name) ?? fromHostEntry(entry));
      return { ...base, servers, serverParts };
    }
  }
}

const kinds = {
  'mcp-servers': { section: 'mcp_servers', schema: mcpServersFileSchema },
  tools: { section: 'tools', schema: toolsFileSchema },
  'mcp-json': { section: 'mcpServers', schema: mcpJsonSchema },
  'vscode-json': { section: 'servers', schema: vscodeJsonSchema },
} satisfies Readonly<Record<ConfigFileKind, { readonly section: string; readonly schema: z.ZodType }>>;

const noServers = { servers: new Map<string, never>(), serverParts: new Map<string, never>() };
const noTools = { tools: new Map<string, never>(), toolParts: new Map<string, never>() };

function mapped<From, To>(entries: ReadonlyMap<string, From>, map: (name: string, entry: From) => To): Map<string, To> {
  return new Map(Array.from(entries, ([name, entry]) => [name, map(name, entry)]));
}

function checkFile<Entry extends z.ZodType>(
  source: SourceText,
  data: Record<string, unknown>,
  section: string,
  fileSchema: z.ZodType,
  entrySchema: Entry,
): Entries<z.output<Entry>> {
  const entries = data[section];
  const names = source.keys([section]);
  if (names.length > maxServers) {
    if (section === 'tools') reportTooManyTools(source, section);
    else reportTooManyServers(source, section);
    return { valid: new Map(), parts: new Map() };
  }
  // Entries are validated separately. Valid placeholders replace them here, so all faults concern the file.
  const placeholder = section === 'tools' ? {} : { command: 'x' };
  const placeholders = isRecord(entries) ? Object.fromEntries(names.map((name) => [name, placeholder])) : entries;
  checkShape(fileSchema, { ...data, [section]: placeholders }, source);
  return checkEntries(entrySchema, entries, source, [section]);
}

function reportTooManyTools(source: SourceText, section: string): void {
  const limit = maxServers;
  const message = `There are more than ${limit} tools`;
  const fault = { code: 'too-large', severity: 'error', message, limit, unit: 'parts' } as const;
  source.report(fault, [section], { part: 'key' });
}

export function reportTooManyServers(source: SourceText, section: string): void {
  const limit = maxServers;
  const message = `There are more than ${limit} servers`;
  source.report({ code: 'too-many-servers', severity: 'error', message, limit }, [section], { part: 'key' });
}

type ConfigFileKind = 'mcp-servers' | 'tools' | 'mcp-json' | 'vscode-json';

const kindOfKey: ReadonlyMap<string, ConfigFileKind> = new Map([
  ['mcp_servers', 'mcp-servers'],
  ['mcp_settings', 'mcp-servers'],
  ['tools', 'tools'],
  ['mcpServers', 'mcp-json'],
  ['servers', 'vscode-json'],
]);

function recogniseFile(source: SourceText): ConfigFileKind | undefined {
  const keys = source.keys([]);
  const known = keys.filter((key) => kindOfKey.has(key));
  const [first] = known;
  if (first === undefined) {
    reportUnrecognised(source, keys);
    return undefined;
  }

  const kind = kindOfKey.get(first);
  const foreign = known.find((key) => kindOfKey.get(key) !== kind);
  if (foreign === undefined) return kind;
  const message = `${quoted(first)} and ${quoted(foreign)} belong in different files`;
  const hint = `move ${quoted(foreign)} to a separate file; several files can be given together`;
  source.report({ code: 'mixed-file', severity: 'error', message, hint }, [foreign], { part: 'key' });
  return undefined;
}

function reportUnrecognised(source: SourceText, keys: readonly string[]): void {
  const expected = [...kindOfKey.keys()];
  for (const key of keys) {
    const meant = nearestName(key, expected);
    if (meant === undefined) continue;
    const message = `${quoted(key)} is not a top-level key of a known file`;
    const hint = `did you mean ${quoted(meant)}?`;
    source.report({ code: 'unrecognised-file', severity: 'error', message, expected, hint }, [key], { part: 'key' });
    return;
  }
  const message = 'The text is not an MCP configuration: it has no known top-level key';
  const hint = `expected one of ${expected.join(', ')}`;
  source.report({ code: 'unrecognised-file', severity: 'error', message, expected, hint }, []);
}

/** A server as declared in one text, in the form of `mcp_servers`. */
export interface DeclaredServer {
  readonly name: string;
  readonly source: SourceText;
  readonly layer: ConfigLayer;
  readonly path: ConfigPath;
  readonly entry: McpServerEntry;
}

/**
 * Converts an entry of a host app. Hosts start all servers of their files unless disabled, and `command` is the
 * program, not a command line.
 */
function fromHostEntry(entry: HostServerEntry): McpServerEntry {
  const { type, command, args, env, cwd, url, headers, disabled = false } = entry;
  return {
    ...defaultFields(),
    ...(command === undefined ? { args } : { command, args: args ?? [] }),
    ...{ env, cwd, url, headers },
    ...(url !== undefined && type === 'sse' && { type }),
    auto_start: !disabled,
  };
}

export interface ServerNames {
  has(name: string): boolean;
}

/** Includes invalid entries. */
export function configuredServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ kind, source, section }) => (kind === 'tools' ? [] : source.keys([section]))));
}

/** Includes servers in tiers, which may be run by other means. */
export function knownServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  const known = new Set(configuredServers(files));
  for (const { toolParts } of files) {
    for (const { mcp_tools } of toolParts.values()) {
      for (const server of Object.values(mcp_tools).flat()) known.add(server);
    }
  }
  return known;
}
