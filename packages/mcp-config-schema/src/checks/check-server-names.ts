import { nearestName, readingsOf, SOURCE_PREFIX, serverLabel } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { RequirementTier } from '../config.js';
import { type ConfigFile, configuredServers, knownServers } from '../config-file.js';

// Each is compared with every server.
const maxSuggestions = 100;

/** Lists of tools may also name tools of the app. */
const roleLists = [
  { key: 'allowed_tools', words: 'allowed a tool', isOfServer: false, kind: 'name' },
  { key: 'denied_tools', words: 'denied a tool', isOfServer: false, kind: 'name' },
  { key: 'allowed_resources', words: 'allowed a resource', isOfServer: true, kind: 'uri' },
  { key: 'allowed_prompts', words: 'allowed a prompt', isOfServer: true, kind: 'name' },
] as const;

/**
 * Warns about tiers and role rules with servers that are not configured. Without server files, role rules are compared
 * with the servers in tiers.
 */
export function checkServerNames(files: readonly ConfigFile[]): void {
  const hasServers = files.some((file) => file.kind !== 'tools');
  const configured = configuredServers(files);
  const known = knownServers(files);
  const toolEntries = files.flatMap(({ toolParts, source }) =>
    Array.from(toolParts, ([tool, entry]) => ({ tool, entry, source })),
  );

  let suggestions = 0;
  const nearest = (server: string, candidates: ReadonlySet<string>) => {
    const didYouMean = suggestions++ < maxSuggestions ? nearestName(server, candidates) : undefined;
    const hint = didYouMean === undefined ? 'add it to mcp_servers.yaml' : `did you mean ${quoted(didYouMean)}?`;
    return { didYouMean, hint, severity: 'warning' } as const;
  };

  for (const { tool, entry, source } of toolEntries) {
    for (const tier of hasServers ? tiers : []) {
      entry.mcp_tools[tier].forEach((server, index) => {
        if (configured.has(server)) return;
        const path = ['tools', tool, 'mcp_tools', tier, index];
        const suggestion = nearest(server, configured);
        if (tier === 'required') {
          const message = `Tool ${quoted(tool)} requires the server ${quoted(server)}, which is not configured`;
          source.report({ ...suggestion, code: 'missing-required-server', message, server, tool }, path);
        } else {
          const message = `Tool ${quoted(tool)} lists the server ${quoted(server)} as ${tier}, but it is not configured`;
          source.report({ ...suggestion, code: 'unknown-server', message, server }, path);
        }
      });
    }
    for (const [role, restrictions] of Object.entries(entry.role_restrictions)) {
      for (const { key, words, ...list } of roleLists) {
        restrictions[key]?.forEach((rule, index) => {
          const server = unknownServerOf(rule, known, list);
          if (server === undefined) return;
          const path = ['tools', tool, 'role_restrictions', role, key, index];
          const message = `Role ${quoted(role)} is ${words} of server ${quoted(server)}, which is not configured`;
          source.report({ ...nearest(server, known), code: 'unknown-server', message, server }, path);
        });
      }
    }
  }
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
