import type { z } from 'zod';
import type { ConfigLayer } from './config.js';
import { checkShape, soundEntries } from './schema/check-shape.js';
import { hostServerSchema, mcpJsonSchema, vscodeJsonSchema } from './schema/mcp-json.js';
import { type McpServerEntry, mcpServerSchema, mcpServersFileSchema } from './schema/mcp-servers-file.js';
import { type ToolEntry, toolSchema, toolsFileSchema } from './schema/tools-file.js';
import { fromHostEntry } from './servers/declared-server.js';
import { type ConfigFileKind, recogniseFile } from './source/config-file-kind.js';
import { limits } from './source/limits.js';
import type { SourceText } from './source/source-text.js';

/** One text that was recognised, with those of its entries that are sound by themselves. */
export interface ConfigFile {
  readonly kind: ConfigFileKind;
  readonly layer: ConfigLayer;
  readonly source: SourceText;
  /** As written, before any check. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The key under which the entries stand. */
  readonly section: string;
  readonly servers: ReadonlyMap<string, McpServerEntry>;
  readonly tools: ReadonlyMap<string, ToolEntry>;
}

/** Recognises a text and checks its shape; everything that is wrong is reported to it. */
export function readConfigFile(source: SourceText, layer: ConfigLayer): ConfigFile | undefined {
  const data = source.value();
  const kind = recogniseFile(source, data);
  // Only a mapping is recognised.
  return kind === undefined ? undefined : { ...readers[kind](source, data as Record<string, unknown>), layer };
}

type ReadFile = Omit<ConfigFile, 'layer'>;

const readers: Readonly<Record<ConfigFileKind, (source: SourceText, data: Record<string, unknown>) => ReadFile>> = {
  'mcp-servers': (source, data) => {
    const section = 'mcp_servers';
    const servers = readEntries(source, data, section, mcpServersFileSchema, mcpServerSchema);
    return { kind: 'mcp-servers', source, data, section, servers, tools: new Map() };
  },
  'mcp-json': (source, data) => readHostFile('mcp-json', 'mcpServers', mcpJsonSchema, source, data),
  'vscode-json': (source, data) => readHostFile('vscode-json', 'servers', vscodeJsonSchema, source, data),
  tools: (source, data) => {
    const section = 'tools';
    const tools = readEntries(source, data, section, toolsFileSchema, toolSchema);
    return { kind: 'tools', source, data, section, servers: new Map(), tools };
  },
};

function readHostFile(
  kind: ConfigFileKind,
  section: string,
  schema: z.ZodType,
  source: SourceText,
  data: Record<string, unknown>,
): ReadFile {
  const entries = readEntries(source, data, section, schema, hostServerSchema);
  const servers = new Map(Array.from(entries, ([name, entry]) => [name, fromHostEntry(entry)]));
  return { kind, source, data, section, servers, tools: new Map() };
}

function readEntries<Entry extends z.ZodType>(
  source: SourceText,
  data: Record<string, unknown>,
  section: string,
  fileSchema: z.ZodType,
  entrySchema: Entry,
): ReadonlyMap<string, z.output<Entry>> {
  if (section !== 'tools' && source.keys([section]).length > limits.servers) {
    reportTooManyServers(source, section);
    return new Map();
  }
  checkShape(fileSchema, data, source);
  return soundEntries(entrySchema, data[section]);
}

export function reportTooManyServers(source: SourceText, section: string): void {
  const limit = limits.servers;
  const message = `There are more than ${limit} servers`;
  source.report({ code: 'too-many-servers', severity: 'error', message, limit }, [section], { part: 'key' });
}
