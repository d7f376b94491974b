import { isRecord } from '@x/internal/json';
import type { z } from 'zod';
import type { ConfigLayer } from './config.js';
import { checkEntries, checkShape, type Entries } from './schema/check-shape.js';
import { hostServerSchema, mcpJsonSchema, vscodeJsonSchema } from './schema/mcp-json.js';
import { type McpServerEntry, mcpServerSchema, mcpServersFileSchema } from './schema/mcp-servers-file.js';
import { type ToolEntry, toolSchema, toolsFileSchema } from './schema/tools-file.js';
import { fromHostEntry } from './servers/declared-server.js';
import { type ConfigFileKind, recogniseFile } from './source/config-file-kind.js';
import { limits } from './source/limits.js';
import type { SourceText } from './source/source-text.js';

export interface ConfigFile {
  readonly kind: ConfigFileKind;
  readonly layer: ConfigLayer;
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
export function readConfigFile(source: SourceText, layer: ConfigLayer): ConfigFile | undefined {
  const data = source.value();
  const kind = recogniseFile(source, data);
  // Only a map can be recognized.
  return kind === undefined ? undefined : { ...readers[kind](source, data as Record<string, unknown>), layer };
}

type ReadFile = Omit<ConfigFile, 'layer'>;

const readers: Readonly<Record<ConfigFileKind, (source: SourceText, data: Record<string, unknown>) => ReadFile>> = {
  'mcp-servers': (source, data) => {
    const section = 'mcp_servers';
    const { sound, parts } = checkFile(source, data, section, mcpServersFileSchema, mcpServerSchema);
    return { kind: 'mcp-servers', source, data, section, servers: sound, serverParts: parts, ...noTools };
  },
  'mcp-json': (source, data) => readHostFile('mcp-json', 'mcpServers', mcpJsonSchema, source, data),
  'vscode-json': (source, data) => readHostFile('vscode-json', 'servers', vscodeJsonSchema, source, data),
  tools: (source, data) => {
    const section = 'tools';
    const { sound, parts } = checkFile(source, data, section, toolsFileSchema, toolSchema);
    return { kind: 'tools', source, data, section, tools: sound, toolParts: parts, ...noServers };
  },
};

const noServers = { servers: new Map<string, never>(), serverParts: new Map<string, never>() };
const noTools = { tools: new Map<string, never>(), toolParts: new Map<string, never>() };

function readHostFile(
  kind: ConfigFileKind,
  section: string,
  schema: z.ZodType,
  source: SourceText,
  data: Record<string, unknown>,
): ReadFile {
  const { sound, parts } = checkFile(source, data, section, schema, hostServerSchema);
  const servers = mapped(sound, (_name, entry) => fromHostEntry(entry));
  const serverParts = mapped(parts, (name, entry) => servers.get(name) ?? fromHostEntry(entry));
  return { kind, source, data, section, servers, serverParts, ...noTools };
}

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
  if (names.length > limits.servers) {
    if (section === 'tools') reportTooManyTools(source, section);
    else reportTooManyServers(source, section);
    return { sound: new Map(), parts: new Map() };
  }
  // Entries are validated separately. Valid placeholders replace them here, so all faults concern the file.
  const sound = section === 'tools' ? {} : { command: 'x' };
  const shell = isRecord(entries) ? Object.fromEntries(names.map((name) => [name, sound])) : entries;
  checkShape(fileSchema, { ...data, [section]: shell }, source);
  return checkEntries(entrySchema, entries, source, [section]);
}

function reportTooManyTools(source: SourceText, section: string): void {
  const limit = limits.servers;
  const message = `There are more than ${limit} tools`;
  const fault = { code: 'too-large', severity: 'error', message, limit, unit: 'parts' } as const;
  source.report(fault, [section], { part: 'key' });
}

export function reportTooManyServers(source: SourceText, section: string): void {
  const limit = limits.servers;
  const message = `There are more than ${limit} servers`;
  source.report({ code: 'too-many-servers', severity: 'error', message, limit }, [section], { part: 'key' });
}
