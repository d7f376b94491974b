import type { ConfigLayer, ServerConfig } from './config.js';
import type { ConfigFile } from './config-file.js';
import { splitTemplate } from './servers/split-template.js';

/** A text, or the name of a secret that replaces it. */
type SecretText = string | { secret_ref: string };

// Not inferred from the schema: declarations would import zod, which is part of the build. A type test compares the two.
/** An entry of a config file, as written, in the units of the file. */
export interface ServerEntry {
  package?: string | undefined;
  command?: string | [string, ...string[]] | undefined;
  args?: string[] | undefined;
  env?: Record<string, SecretText> | undefined;
  cwd?: string | undefined;
  url?: string | undefined;
  type?: 'http' | 'sse' | undefined;
  headers?: Record<string, SecretText> | undefined;
  auth?: { provider: string; scopes: string[] } | undefined;
  health_check?:
    | {
        method: 'ping' | 'tool_call';
        tool?: string | undefined;
        args?: Record<string, unknown> | undefined;
        timeout_seconds: number;
      }
    | undefined;
  protocol: 'auto' | 'legacy' | '2026-07-28';
  auto_start?: boolean | undefined;
  eager: boolean;
  disabled: boolean;
  restart_on_failure: boolean;
  max_restart_attempts: number;
  health_check_interval_seconds?: number | undefined;
  startup_timeout_seconds?: number | undefined;
  shutdown_timeout_seconds?: number | undefined;
  first_run_timeout_seconds: number;
  idle_stop_seconds?: number | undefined;
  memory_limit_mb?: number | undefined;
  max_concurrent_calls: number;
  max_queued_calls: number;
  queue_timeout_seconds: number;
  connections: 'shared' | 'per-caller';
  max_tools: number;
  priority: number;
  allowed_tools?: string[] | undefined;
  denied_tools: string[];
  trusted: boolean;
  tools?:
    | Record<string, { title?: string | undefined; description?: string | undefined; hidden?: boolean | undefined }>
    | undefined;
  tags?: string[] | undefined;
  fleet?: { placement: 'pinned' | 'local' | 'singleton' | 'replicated' } | undefined;
}

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
