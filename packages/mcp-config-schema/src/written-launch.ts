import type { ConfigLayer, ServerConfig } from './config.js';
import type { ConfigFile } from './config-file.js';
import type { McpServersFile } from './schema/mcp-servers-file.js';
import { splitTemplate } from './servers/split-template.js';

/** The entry of one server in `mcp_servers`, or of a host app's file in the same shape. */
export type ServerEntry = McpServersFile['mcp_servers'][string];

/**
 * The entry of a server as its file says it: no variable is filled in and no reference is looked up. It changes when
 * somebody edits those lines, and not with the values of variables. May hold secrets that are written into the file.
 */
export interface WrittenLaunch extends ServerEntry {
  readonly layer: ConfigLayer;
  /** As given in the input. */
  readonly file?: string | undefined;
  /** Absolute path that relative paths of the entry start from, as it was found: links are not resolved. `loadConfig` sets it. */
  readonly root?: string | undefined;
  /** The command line in the words that would be passed on. Empty for a server with a URL. */
  readonly words: readonly string[];
}

/** The entry of each server, by name. */
export function writtenLaunches(
  files: readonly ConfigFile[],
  servers: readonly ServerConfig[],
): ReadonlyMap<string, WrittenLaunch> {
  return new Map(
    servers.flatMap(({ name, layer, source: { file } }) => {
      const entry = files.find((each) => each.layer === layer && each.source.file === file && each.servers.has(name));
      const written = entry?.servers.get(name);
      return written === undefined ? [] : [[name, { ...written, layer, file, words: wordsOf(written) }] as const];
    }),
  );
}

function wordsOf({ command, args }: ServerEntry): readonly string[] {
  if (command === undefined) return [];
  if (typeof command !== 'string') return [...command, ...(args ?? [])];
  if (args !== undefined) return [command, ...args];
  const split = splitTemplate(command);
  return 'words' in split ? split.words : [command]; // a line that cannot be split is reported, and starts nothing
}
