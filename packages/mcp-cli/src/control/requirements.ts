import { checkCommand, type ServerStatus } from '@x/mcp-client-manager';
import { checkRequirements, type RequirementReport, type ServerConfig, type ServerFacts } from '@x/mcp-config-schema';
import type { Stack } from '../compose.js';

export async function requirementReport({ config, manager }: Stack): Promise<RequirementReport> {
  const rows = new Map(manager.status().map((row) => [row.name, row]));
  const facts = await Promise.all(
    config.servers.map(async (server) => [server.name, await factsOf(server, rows.get(server.name))] as const),
  );
  return checkRequirements(config, Object.fromEntries(facts));
}

async function factsOf(server: ServerConfig, row: ServerStatus | undefined): Promise<ServerFacts> {
  return { ...(await installed(server)), ...(row && running(row)) };
}

/** Idle servers start on demand, so they are neither running nor failed. */
function running({ state, health }: ServerStatus): ServerFacts {
  if (state === 'failed') return { running: false };
  if (state !== 'running' && state !== 'degraded') return {};
  return { running: true, ...(health !== 'unknown' && { healthy: health === 'healthy' }) };
}

async function installed(server: ServerConfig): Promise<ServerFacts> {
  if (server.transport !== 'stdio') return {};
  const { command, cwd, env } = server;
  return { installed: (await checkCommand({ command, cwd, env })).status === 'found' };
}
