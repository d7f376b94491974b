import { readName, SOURCE_PREFIX, serverLabel } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { SourcePosition } from '../config.js';
import { type ConfigFile, configuredServers } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/server-files.js';
import { ownToolName } from '../servers/tool-name.js';

/** Warns about servers whose public names begin alike. A digest at the end keeps them unique. */
export function checkPublicNames(files: readonly ConfigFile[]): void {
  const byLabel = new Map<string, PlacedServer>();
  const byBeginning = new Map<string, PlacedServer>();
  for (const { kind, source, section } of files) {
    for (const server of kind === 'tools' ? [] : source.keys([section])) {
      if (server.length > 128) continue; // an invalid name, reported elsewhere
      const path = [section, server];
      const label = serverLabel(server);
      const beginnings = beginningsOf(label);
      const [earlier = byBeginning.get(label)] = [label, ...beginnings].flatMap((text) => byLabel.get(text) ?? []);
      const own = { server, place: source.position(path, { part: 'key' }) };
      if (!byLabel.has(label)) byLabel.set(label, own);
      for (const beginning of beginnings) if (!byBeginning.has(beginning)) byBeginning.set(beginning, own);
      if (earlier === undefined || earlier.server === server) continue;
      const [shared] = [label, serverLabel(earlier.server)].toSorted((one, other) => one.length - other.length);
      const message = `Tools of ${quoted(server)} and of ${quoted(earlier.server)} can get names that begin with ${SOURCE_PREFIX}${shared}__`;
      const hint = 'rename one of the two, best with letters, digits, "_" and "-" alone';
      const fault = { code: 'colliding-names', severity: 'warning', message, server, hint } as const;
      source.report({ ...fault, first: earlier.place }, path, { part: 'key' });
    }
  }
}

interface PlacedServer {
  readonly server: string;
  readonly place: SourcePosition;
}

/** `a__b` is also the tool `b` of a server `a`. */
function beginningsOf(label: string): readonly string[] {
  return Array.from(label.matchAll(/(?=__)/g), ({ index }) => label.slice(0, index));
}

/**
 * Warns about servers that replace a server of the user: rules about the name then apply to another program.
 *
 * @param files - Strongest layer first.
 */
export function checkReplacedServers(files: readonly ConfigFile[]): void {
  const users = new Map(
    files.flatMap((file) =>
      file.layer === 'user' && file.kind !== 'tools'
        ? file.source.keys([file.section]).map((name) => [name, file] as const)
        : [],
    ),
  );
  if (users.size === 0) return;
  for (const { kind, layer, source, section, isGiven } of files) {
    if (layer === 'user' || kind === 'tools') continue;
    for (const name of source.keys([section])) {
      const user = users.get(name);
      if (user === undefined || (isGiven && !user.isGiven)) continue;
      const replaced = user.source.position([user.section, name], { part: 'key' });
      const message = `Server ${quoted(name)} replaces the user's server of the same name in ${replaced.file ?? 'another text'}, line ${replaced.line}`;
      const hint = "rename this one if it is another server, or remove it to use the user's server";
      const fault = { code: 'replaced-server', severity: 'warning', message, hint, server: name, replaced } as const;
      source.report(fault, [section, name], { part: 'key' });
    }
  }
}

export function checkToolNames(files: readonly ConfigFile[]): void {
  const servers = configuredServers(files);
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      for (const { tool, path, part } of toolsOf(entry)) {
        const server = ownToolName(name, tool) === tool ? serverOf(tool, servers) : undefined;
        if (server === undefined || server === name) continue;
        const message = `${quoted(tool)} is a tool of server ${quoted(server)}, but this entry is server ${quoted(name)}`;
        const hint = 'use the own name of a tool of this server';
        const fault = { code: 'foreign-tool', severity: 'warning', message, tool, server, hint } as const;
        source.report(fault, [section, name, ...path], { part });
      }
    }
  }
}

function toolsOf({ health_check, allowed_tools = [], denied_tools, tools: overrides = {} }: McpServerEntry) {
  const found: { readonly tool: string; readonly path: ConfigPath; readonly part: 'key' | 'value' }[] = [];
  if (health_check?.tool !== undefined)
    found.push({ tool: health_check.tool, path: ['health_check', 'tool'], part: 'value' });
  for (const [key, tools] of Object.entries({ allowed_tools, denied_tools })) {
    for (const [index, tool] of tools.entries()) found.push({ tool, path: [key, index], part: 'value' });
  }
  for (const tool of Object.keys(overrides)) found.push({ tool, path: ['tools', tool], part: 'key' });
  return found;
}

function serverOf(tool: string, servers: ReadonlySet<string>): string | undefined {
  const reading = readName(tool, (name) => servers.has(name));
  return reading?.part === undefined ? undefined : reading.server;
}
