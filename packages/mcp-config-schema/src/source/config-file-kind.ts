import { isRecord } from '@x/internal/json';
import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { SourceText } from './source-text.js';

export type ConfigFileKind = 'mcp-servers' | 'tools' | 'mcp-json' | 'vscode-json';

const kindOfKey: ReadonlyMap<string, ConfigFileKind> = new Map([
  ['mcp_servers', 'mcp-servers'],
  ['mcp_settings', 'mcp-servers'],
  ['tools', 'tools'],
  ['mcpServers', 'mcp-json'],
  ['servers', 'vscode-json'],
]);

export function recogniseFile(source: SourceText, value: unknown): ConfigFileKind | undefined {
  const keys = isRecord(value) ? Object.keys(value) : [];
  const known = keys.filter((key) => kindOfKey.has(key));
  const [first] = known;
  if (first === undefined) {
    reportUnrecognised(source, keys);
    return undefined;
  }

  const kind = kindOfKey.get(first);
  const stranger = known.find((key) => kindOfKey.get(key) !== kind);
  if (stranger === undefined) return kind;
  const message = `${quoted(first)} and ${quoted(stranger)} belong in different files`;
  const hint = `move ${quoted(stranger)} to a separate file; several files can be given together`;
  source.report({ code: 'mixed-file', severity: 'error', message, hint }, [stranger], { part: 'key' });
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
