import type { ConfigLayer, ServerConfig } from './config.js';
import type { ConfigFile } from './config-file.js';
import type { SecretValue } from './schema/secret-value.js';

/**
 * How a server is run or reached, as its file says it: no variable is filled in and no reference is looked up. It changes when
 * somebody edits those lines, and not with the values of variables. May hold secrets that are written into the file.
 */
export interface WrittenLaunch {
  readonly layer: ConfigLayer;
  /** As given in the input. */
  readonly file?: string | undefined;
  readonly command?: string | readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, SecretValue>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, SecretValue>> | undefined;
  readonly auth?: unknown;
}

/** The launch of each server, by name. */
export function writtenLaunches(
  files: readonly ConfigFile[],
  servers: readonly ServerConfig[],
): ReadonlyMap<string, WrittenLaunch> {
  return new Map(
    servers.flatMap(({ name, layer, source: { file } }) => {
      const entry = files.find((each) => each.layer === layer && each.source.file === file && each.servers.has(name));
      const written = entry?.servers.get(name);
      if (written === undefined) return [];
      const { command, args, cwd, env, url, headers, auth } = written;
      return [[name, { layer, file, command, args, cwd, env, url, headers, auth }] as const];
    }),
  );
}
