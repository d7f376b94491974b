import type { ConfigLayer, ServerConfig } from './config.js';
import type { ConfigFile } from './config-file.js';
import type { McpServerEntry } from './schema/server-files.js';
import { splitTemplate } from './servers/split-template.js';

/** An entry of a config file, as written. */
export type ServerEntry = McpServerEntry;

/** The entry of a server as written, with unexpanded variables. May contain literal secrets. */
export interface WrittenLaunch extends ServerEntry {
  readonly layer: ConfigLayer;
  readonly file?: string | undefined;
  /** Absolute start of relative paths, without resolving links. Set by `loadConfig`. */
  readonly root?: string | undefined;
  /** Values of its variables that come from the `.env` file beside its file. May contain secrets. Set by `loadConfig`. */
  readonly filled?: Readonly<Record<string, string>> | undefined;
  /** Words of the command line. Empty for a server with a URL. */
  readonly words: readonly string[];
}

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
  return 'words' in split ? split.words : [command]; // an invalid command line is reported and does not start
}
