import { readName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { ownToolName } from '../servers/tool-name.js';
import { configuredServers } from './server-names.js';

export function checkToolNames(files: readonly ConfigFile[]): void {
  const servers = configuredServers(files);
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      for (const { tool, path } of toolsOf(entry)) {
        const server = ownToolName(name, tool) === tool ? serverOf(tool, servers) : undefined;
        if (server === undefined || server === name) continue;
        const message = `${quoted(tool)} is a tool of server ${quoted(server)}, but this entry is server ${quoted(name)}`;
        const hint = 'use the own name of a tool of this server';
        const fault = { code: 'foreign-tool', severity: 'warning', message, tool, server, hint } as const;
        source.report(fault, [section, name, ...path]);
      }
    }
  }
}

function toolsOf({ health_check, allowed_tools = [], denied_tools }: McpServerEntry) {
  const found: { readonly tool: string; readonly path: ConfigPath }[] = [];
  if (health_check?.tool !== undefined) found.push({ tool: health_check.tool, path: ['health_check', 'tool'] });
  for (const [key, tools] of Object.entries({ allowed_tools, denied_tools })) {
    for (const [index, tool] of tools.entries()) found.push({ tool, path: [key, index] });
  }
  return found;
}

function serverOf(tool: string, servers: ReadonlySet<string>): string | undefined {
  const reading = readName(tool, (name) => servers.has(name));
  return reading?.part === undefined ? undefined : reading.server;
}
