import type { ManagedServer } from '@x/mcp-client-manager';
import { type Stack, serverNamed } from '../compose.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { areToolsKnown } from '../servers/server-rows.js';
import type { ServerHandlers } from './control.js';
import type { ControlBase } from './control-base.js';
import { hiddenEntry } from './hidden-entry.js';
import type { DiscoveryReport } from './reports.js';
import { chosenServers, lifecycleControl } from './server-lifecycle.js';
import { serverRows } from './server-row.js';
import { watchSteps } from './start-steps.js';

export function serverControl(
  stack: Stack,
  base: ControlBase,
  fleetReport: () => FleetReport | undefined = () => undefined,
) {
  return {
    ...lifecycleControl(stack, base, fleetReport),
    status: async () => {
      const fleet = fleetReport();
      return { servers: serverRows(stack, stack.manager.status(), base), ...(fleet && { fleet }) };
    },
    health: async ({ servers: names, signal }) => {
      const servers = chosenServers(stack, names, () => true);
      await Promise.all(servers.map((server) => server.checkHealth({ signal })));
      const statuses = servers.map(({ status }) => status);
      return { servers: serverRows(stack, statuses, base) };
    },
    discover: async ({ server: name, remembered = false, signal, onStep }) => {
      const server = serverNamed(stack, name);
      if (remembered && areToolsKnown(server.status)) return knownTools(server, base);
      using _steps = watchSteps(stack, base, onStep);
      const tools = await server.discoverTools({ signal });
      const capabilities = base.redactData(await server.capabilities({ signal }));
      const problems = server.status.catalogProblems.map(base.redact);
      const { protocolVersion } = server.session ?? {};
      const shown = tools.map((tool) => hiddenEntry(tool, base));
      return { server: name, protocolVersion, capabilities, tools: shown, problems };
    },
    capabilities: async ({ server: name, signal, onStep }) => {
      const server = serverNamed(stack, name);
      using _steps = watchSteps(stack, base, onStep);
      const capabilities = await server.capabilities({ signal });
      const { protocolVersion, serverInfo, instructions } = server.session ?? {};
      return { server: name, ...base.redactData({ protocolVersion, serverInfo, instructions, capabilities }) };
    },
  } satisfies Partial<ServerHandlers>;
}

function knownTools(server: ManagedServer, base: ControlBase): DiscoveryReport {
  const { name, session, status } = server;
  return {
    server: name,
    ...(session && {
      protocolVersion: session.protocolVersion,
      capabilities: base.redactData(session.capabilities),
    }),
    ...(status.cachedAt !== undefined && { cachedAt: status.cachedAt }),
    tools: server.listTools().map((tool) => hiddenEntry(tool, base)),
    problems: status.catalogProblems.map(base.redact),
  };
}
