import type { ServerConfig } from '@x/mcp-config-schema';
import { type LoadOptions, loadConfig } from '@x/mcp-config-schema/load';
import { isGatewayServer, type ServedServer } from '@x/mcp-host-sync';
import type { Io } from '../command.js';
import { waitingIn } from '../consent/prompt-consent.js';
import { printableLine } from '../output/print.js';

export interface ServedServers {
  readonly served: readonly ServedServer[];
  /** Why the gateway would not serve an enabled server now, or not as it is, by its name. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Servers that `mcpx serve` starts for a host app. */
export async function servedServers(options: LoadOptions, io: Io): Promise<ServedServers> {
  const config = await loadConfig({ ...options, variables: 'keep' });
  const resolved = await loadConfig({ ...options, variables: 'expand' });
  const waiting = new Set((await waitingIn(resolved, io)).map(({ server }) => server));
  const byName = new Map(resolved.servers.map((server) => [server.name, server]));
  const served: ServedServer[] = [];
  const reasons = new Map<string, string>();
  for (const server of config.servers) {
    const values = byName.get(server.name);
    if (server.disabled || isGatewayServer(server) || values === undefined) continue;
    const reason = reasonAgainst(values, waiting);
    if (reason === undefined) served.push({ server, resolved: values });
    else reasons.set(server.name, reason);
  }
  return { served, reasons };
}

function reasonAgainst(server: ServerConfig, waiting: ReadonlySet<string>): string | undefined {
  const { name, autoStart, unsetVariables = [], tools = {} } = server;
  if (waiting.has(name)) return 'the gateway needs your consent to start it, which "mcpx trust" gives';
  if (unsetVariables.length > 0) return `${printableLine(unsetVariables.join(', '), 200)} is not set`;
  if (Object.keys(tools).length > 0) return 'the config changes or hides some of its tools';
  return autoStart ? undefined : 'the gateway does not start it, because it has no auto_start';
}
