import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { isRemoteType } from '../schema/entry-rules.js';
import type { McpServerEntry } from '../schema/server-files.js';
import { valueAt } from '../schema/values.js';
import type { SourceText } from '../source/source-text.js';

export function checkIgnoredKeys(files: readonly ConfigFile[]): void {
  for (const { kind, source, section, servers, data } of files) {
    for (const [name, entry] of servers) {
      const path = [section, name];
      if (kind === 'mcp-servers') checkEntry(entry, path, source);
      else {
        checkType(entry, valueAt(data, [...path, 'type']), path, source);
        checkId(name, valueAt(data, [...path, 'id']), path, source);
      }
    }
  }
}

/** Lists of servers in code have an `id`. In a file, the key is the name. */
function checkId(name: string, id: unknown, path: ConfigPath, source: SourceText): void {
  if (typeof id !== 'string' || id === name) return;
  warn('id', `the name of this server is its key, ${quoted(name)}`, [...path, 'id'], source);
}

/** Host apps use `type` to select the transport. Here `command` or `url` decides. */
function checkType({ url }: McpServerEntry, type: unknown, path: ConfigPath, source: SourceText): void {
  if (type === undefined || isRemoteType(type) === (url !== undefined)) return;
  const reason =
    url === undefined ? 'a server with a command is started by it' : 'a server with a url is reached by it';
  warn('type', reason, [...path, 'type'], source);
}

function checkEntry(entry: McpServerEntry, path: ConfigPath, source: SourceText): void {
  const isRemote = entry.url !== undefined;
  const idle = isRemote
    ? ['args', 'env', 'cwd', 'first_run_timeout_seconds', 'memory_limit_mb']
    : ['type', 'headers', 'auth'];
  const reason = isRemote
    ? 'a server with a url is not started here'
    : 'a server with a command has no requests to send them with';
  const written = source.keys(path);
  for (const key of idle) {
    if (written.includes(key)) warn(key, reason, [...path, key], source);
  }

  if (entry.eager === true && entry.fleet?.placement === 'singleton') {
    warn('eager', 'the fleet decides where a singleton runs, and starts it there', [...path, 'eager'], source);
  }

  const check = entry.health_check;
  if (check?.method !== 'ping') return;
  for (const key of ['tool', 'args'] as const) {
    const checkReason = 'a health check calls a tool only with "method: tool_call"';
    if (check[key] !== undefined) warn(key, checkReason, [...path, 'health_check', key], source);
  }
}

function warn(key: string, reason: string, path: ConfigPath, source: SourceText): void {
  const message = `"${key}" has no effect here: ${reason}`;
  source.report({ code: 'ignored-key', severity: 'warning', message }, path, { part: 'key' });
}
