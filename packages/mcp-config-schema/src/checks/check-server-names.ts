import { nearestName, readingsOf, SOURCE_PREFIX, serverLabel } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { RequirementTier } from '../config.js';
import { type ConfigFile, configuredServers, knownServers } from '../config-file.js';
import type { ToolEntry } from '../schema/tools-file.js';
import type { SourceText } from '../source/source-text.js';

// Each is compared with every server.
const maxSuggestions = 100;

/** Lists of tools may also name tools of the app. */
const roleLists = [
  { key: 'allowed_tools', words: 'allowed a tool', isOfServer: false, kind: 'name' },
  { key: 'denied_tools', words: 'denied a tool', isOfServer: false, kind: 'name' },
  { key: 'ask_before', words: 'asked before a tool', isOfServer: false, kind: 'name' },
  { key: 'allowed_resources', words: 'allowed a resource', isOfServer: true, kind: 'uri' },
  { key: 'allowed_prompts', words: 'allowed a prompt', isOfServer: true, kind: 'name' },
] as const;

/**
 * Warns about required and recommended servers that are not configured, and about role rules with such servers. Without
 * server files, role rules are compared with the servers in tiers.
 */
export function checkServerNames(files: readonly ConfigFile[]): void {
  const hasServers = files.some((file) => file.kind !== 'tools');
  const configured = configuredServers(files);
  const suggest = suggestions();
  const known = knownServers(files);
  for (const { toolParts, source } of files) {
    for (const [tool, entry] of toolParts) {
      if (hasServers) checkTierNames({ tool, entry, source }, configured, suggest);
      checkRuleNames({ tool, entry, source }, { hasServers, known }, suggest);
    }
  }
}

interface PlacedTool {
  readonly tool: string;
  readonly entry: ToolEntry;
  readonly source: SourceText;
}

type Suggest = (server: string, candidates: Iterable<string>) => string | undefined;

function suggestions(): Suggest {
  let count = 0;
  return (server, candidates) => (count++ < maxSuggestions ? nearestName(server, candidates) : undefined);
}

function checkTierNames({ tool, entry, source }: PlacedTool, configured: ReadonlySet<string>, suggest: Suggest): void {
  const listed = new Set(Object.values(entry.mcp_tools).flat());
  for (const tier of ['required', 'recommended'] as const) {
    entry.mcp_tools[tier].forEach((server, index) => {
      if (configured.has(server)) return;
      const path = ['tools', tool, 'mcp_tools', tier, index];
      const didYouMean = suggest(server, without(listed, configured));
      const hint = didYouMean === undefined ? 'add it to mcp_servers.yaml' : `did you mean ${quoted(didYouMean)}?`;
      const fault = { severity: 'warning', server, didYouMean, hint } as const;
      if (tier === 'required') {
        const message = `Tool ${quoted(tool)} requires the server ${quoted(server)}, which is not configured`;
        source.report({ ...fault, code: 'missing-required-server', message, tool }, path);
      } else {
        const message = `Tool ${quoted(tool)} lists the server ${quoted(server)} as ${tier}, but it is not configured`;
        source.report({ ...fault, code: 'unknown-server', message }, path);
      }
    });
  }
}

/** A server of two tiers is an error, so no hint may lead there. */
function* without(listed: ReadonlySet<string>, servers: Iterable<string>): Iterable<string> {
  for (const server of servers) if (!listed.has(server)) yield server;
}

function checkRuleNames(
  { tool, entry, source }: PlacedTool,
  { hasServers, known }: { readonly hasServers: boolean; readonly known: ReadonlySet<string> },
  suggest: Suggest,
): void {
  const fault = hasServers ? 'which is not configured' : 'which no tool lists in mcp_tools';
  const remedy = hasServers ? 'add it to mcp_servers.yaml' : 'add it to the mcp_tools of a tool';
  for (const [role, restrictions] of Object.entries(entry.role_restrictions)) {
    for (const { key, words, ...list } of roleLists) {
      restrictions[key]?.forEach((rule, index) => {
        const server = unknownServerOf(rule, known, list);
        if (server === undefined) return;
        const path = ['tools', tool, 'role_restrictions', role, key, index];
        const message = `Role ${quoted(role)} is ${words} of server ${quoted(server)}, ${fault}`;
        const didYouMean = suggest(server, known);
        const hint =
          didYouMean === undefined ? `${remedy}${alternatives(known)}` : `did you mean ${quoted(didYouMean)}?`;
        source.report({ code: 'unknown-server', severity: 'warning', message, server, didYouMean, hint }, path);
      });
    }
  }
}

const maxAlternatives = 5;

function alternatives(known: ReadonlySet<string>): string {
  if (known.size === 0 || known.size > maxAlternatives) return '';
  return `, or name one of these: ${[...known].map(quoted).join(', ')}`;
}

/**
 * The server of a rule, if it is not known.
 *
 * @param list.isOfServer - True if a plain name must be a server. In lists of tools it may be a tool.
 */
function unknownServerOf(
  rule: string,
  known: ReadonlySet<string>,
  { isOfServer, kind }: Pick<(typeof roleLists)[number], 'isOfServer' | 'kind'>,
): string | undefined {
  const readings = Array.from(readingsOf(rule, kind));
  if (readings.some(({ server }) => known.has(server))) return undefined;
  // Public names encode server names with other characters.
  if (!isOfServer && rule.startsWith(SOURCE_PREFIX) && mayBePublicName(rule, known)) return undefined;
  const written = readings.findLast(({ part }) => part !== undefined);
  const server = written?.server ?? (isOfServer ? rule : undefined);
  return server === undefined || server.includes('*') || isOfOtherNode(server) ? undefined : server;
}

/** `server@node`: a server on another node of a fleet. */
function isOfOtherNode(server: string): boolean {
  return /.@[A-Za-z0-9_-]{1,64}$/.test(server);
}

/** True if a rule may be the public name of a server whose name is encoded there. */
function mayBePublicName(rule: string, known: ReadonlySet<string>): boolean {
  for (const server of known) {
    const label = serverLabel(server);
    const isWritten = label === server && !label.includes('__');
    if (!isWritten && rule.startsWith(SOURCE_PREFIX + label)) return true;
  }
  return false;
}

const tiers: readonly RequirementTier[] = ['required', 'recommended', 'optional'];

export function checkTiers(files: readonly ConfigFile[]): void {
  for (const { source, section, toolParts } of files) {
    for (const [tool, entry] of toolParts) {
      const tierOf = new Map<string, RequirementTier>();
      for (const tier of tiers) {
        entry.mcp_tools[tier].forEach((server, index) => {
          const earlier = tierOf.get(server) ?? tier;
          tierOf.set(server, earlier);
          if (earlier === tier) return;
          const message = `Tool ${quoted(tool)} lists server ${quoted(server)} both as ${earlier} and as ${tier}`;
          const hint = `remove it from ${tier} to keep it ${earlier}`;
          source.report(
            { code: 'conflicting-tiers', severity: 'error', message, server, tiers: [earlier, tier], hint },
            [section, tool, 'mcp_tools', tier, index],
          );
        });
      }
    }
  }
}
