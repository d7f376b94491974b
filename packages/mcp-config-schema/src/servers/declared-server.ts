import type { ConfigLayer } from '../config.js';
import type { ConfigPath } from '../issues.js';
import type { HostServerEntry } from '../schema/mcp-json.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { defaultFields } from '../schema/server-fields.js';
import type { SourceText } from '../source/source-text.js';

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
export function fromHostEntry(entry: HostServerEntry): McpServerEntry {
  const { command, args, env, cwd, url, headers, disabled = false } = entry;
  return {
    ...defaultFields(),
    ...(command === undefined ? { args } : { command, args: args ?? [] }),
    ...{ env, cwd, url, headers },
    auto_start: !disabled,
  };
}
