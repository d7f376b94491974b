import { nearestName, readingsOf, SOURCE_PREFIX, serverLabel } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import { tiers } from './check-tiers.js';
import { configuredServers, knownServers } from './server-names.js';

// Looking for a similar name compares with every server there is; after this many nobody reads the suggestions.
const mostSuggestions = 100;

/** What a role may be told about servers; only tools may also be the app's own. */
const roleLists = [
  { key: 'allowed_tools', words: 'allowed a tool', isOfServer: false, kind: 'name' },
  { key: 'denied_tools', words: 'denied a tool', isOfServer: false, kind: 'name' },
  { key: 'allowed_resources', words: 'allowed a resource', isOfServer: true, kind: 'uri' },
  { key: 'allowed_prompts', words: 'allowed a prompt', isOfServer: true, kind: 'name' },
] as const;

/**
 * Warns of tiers and role rules that name a server nobody configures. Without any text that holds servers, people
 * run them by other means, and role rules are held against what the tools ask for.
 */
export function checkServerNames(files: readonly ConfigFile[]): void {
  const holdsServers = files.some((file) => file.kind !== 'tools');
  const configured = configuredServers(files);
  const known = knownServers(files);
  const toolEntries = files.flatMap(({ toolParts, source }) =>
    Array.from(toolParts, ([tool, entry]) => ({ tool, entry, source })),
  );

  let suggestions = 0;
  const nearest = (server: string, candidates: ReadonlySet<string>) => {
    const didYouMean = suggestions++ < mostSuggestions ? nearestName(server, candidates) : undefined;
    const hint = didYouMean === undefined ? 'add it to mcp_servers.yaml' : `did you mean ${quoted(didYouMean)}?`;
    return { didYouMean, hint, severity: 'warning' } as const;
  };

  for (const { tool, entry, source } of toolEntries) {
    for (const tier of holdsServers ? tiers : []) {
      entry.mcp_tools[tier].forEach((server, index) => {
        if (configured.has(server)) return;
        const path = ['tools', tool, 'mcp_tools', tier, index];
        const suggestion = nearest(server, configured);
        if (tier === 'required') {
          const message = `Tool ${quoted(tool)} cannot do without the server ${quoted(server)}, which is not configured`;
          source.report({ ...suggestion, code: 'missing-required-server', message, server, tool }, path);
        } else {
          const message = `Tool ${quoted(tool)} lists as ${tier} the server ${quoted(server)}, which is not configured`;
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
 * The server part of a rule when no known server has that name.
 *
 * @param list.isOfServer - Whether a name alone has to be a server's. In lists of tools it may be a tool's.
 */
function unknownServerOf(
  rule: string,
  known: ReadonlySet<string>,
  { isOfServer, kind }: Pick<(typeof roleLists)[number], 'isOfServer' | 'kind'>,
): string | undefined {
  const readings = Array.from(readingsOf(rule, kind));
  if (readings.some(({ server }) => known.has(server))) return undefined;
  // Names of servers that hold other characters are written in another way in public names.
  if (!isOfServer && rule.startsWith(SOURCE_PREFIX) && mayBePublicName(rule, known)) return undefined;
  const written = readings.findLast(({ part }) => part !== undefined);
  const server = written?.server ?? (isOfServer ? rule : undefined);
  return server === undefined || server.includes('*') || isOfOtherNode(server) ? undefined : server;
}

/** `server@node`: another node of a fleet has it, in a config of its own. */
function isOfOtherNode(server: string): boolean {
  return /.@[A-Za-z0-9_-]{1,64}$/.test(server);
}

/** Whether a public name may be one of a server whose own name cannot stand in it as it is. */
function mayBePublicName(rule: string, known: ReadonlySet<string>): boolean {
  for (const server of known) {
    const label = serverLabel(server);
    const isWritten = label === server && !label.includes('__');
    if (!isWritten && rule.startsWith(SOURCE_PREFIX + label)) return true;
  }
  return false;
}
