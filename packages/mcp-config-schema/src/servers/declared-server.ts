import type { ConfigLayer } from '../config.js';
import type { ConfigPath } from '../issues.js';
import type { HostServerEntry } from '../schema/mcp-json.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { defaultFields } from '../schema/server-fields.js';
import type { SourceText } from '../source/source-text.js';

/** A server as one text declares it, in the one shape that all of them are brought into. */
export interface DeclaredServer {
  readonly name: string;
  readonly source: SourceText;
  readonly layer: ConfigLayer;
  /** Where the entry stands in its text. */
  readonly path: ConfigPath;
  readonly entry: McpServerEntry;
}

/**
 * An entry of a host's own file in the shape of ours. Every host starts what its file lists, so such a server starts
 * by itself unless it is marked as disabled; and hosts take `command` as the program, never as a command line.
 */
export function fromHostEntry(entry: HostServerEntry): McpServerEntry {
  const { command, args, env, cwd, url, headers, disabled = false } = entry;
  return {
    ...defaultFields(),
    ...(command === undefined ? { args } : { command, args: args ?? [] }),
    ...{ env, cwd, url, headers },
    auto_start: !disabled,
  };
}
