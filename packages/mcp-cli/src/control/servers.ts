import { type ManagedServer, memoryByGroup, type ServerStatus } from '@x/mcp-client-manager';
import { type Stack, serverNamed } from '../compose.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { areToolsKnown } from '../servers-without-tools.js';
import type { DiscoveryReport, ServerControl, ServerOutcome, ServerRow, StatusReport } from './control.js';
import type { ControlBase } from './control-base.js';
import { ControlError, controlErrorData } from './control-error.js';
import { hiddenEntry } from './hidden-entry.js';
import { inOurWords } from './in-our-words.js';
import { requirementOf } from './requirement-of.js';
import { watchSteps } from './start-steps.js';
import type { WaitOptions } from './wait-options.js';

export function serverControl(
  stack: Stack,
  base: ControlBase,
  fleetReport: () => FleetReport | undefined = () => undefined,
): ServerControl {
  const { run } = base;
  const manager = () => stack.manager;
  const chosen = (names: readonly string[] | undefined, otherwise: (server: ManagedServer) => boolean) =>
    names ? names.map((name) => serverNamed(stack, name)) : manager().servers().filter(otherwise);

  return {
    status: ({ signal } = {}) =>
      run(signal, async () => {
        const fleet = fleetReport();
        return { ...report(stack, manager().status(), base), ...(fleet && { fleet }) };
      }),
    start: (names, { signal, onStep } = {}) =>
      run(signal, async () => {
        const servers = chosen(
          names,
          ({ name, status }) => status.autoStart && !status.disabled && stack.runsHere(name),
        );
        using _steps = watchSteps(stack, base, onStep);
        return await outcomesOf(
          base,
          servers,
          async (server) => {
            requireHere(stack, server, fleetReport());
            await server.start({ signal });
          },
          { signal },
        );
      }),
    stop: (names, { signal } = {}) =>
      run(signal, async () =>
        outcomesOf(
          base,
          chosen(names, () => true),
          (server) => server.stop(),
          { signal },
        ),
      ),
    restart: (names, { signal, onStep } = {}) =>
      run(signal, async () => {
        const servers = chosen(names, ({ state }) => state !== 'stopped');
        using _steps = watchSteps(stack, base, onStep);
        return await outcomesOf(
          base,
          servers,
          async (server) => {
            requireHere(stack, server, fleetReport());
            await server.restart({ signal });
          },
          { signal },
        );
      }),
    health: (names, { signal } = {}) =>
      run(signal, async () => {
        const servers = chosen(names, () => true);
        await Promise.all(servers.map((server) => server.checkHealth({ signal })));
        return report(
          stack,
          servers.map(({ status }) => status),
          base,
        );
      }),
    discover: (name, { signal, onStep, remembered = false } = {}) =>
      run(signal, async () => {
        const server = serverNamed(stack, name);
        if (remembered && areToolsKnown(server.status)) return knownTools(server, base);
        using _steps = watchSteps(stack, base, onStep);
        const tools = await server.discoverTools({ signal });
        const capabilities = base.redactData(await server.capabilities({ signal }));
        const problems = server.status.catalogProblems.map(base.redact);
        const { protocolVersion } = server.session ?? {};
        const shown = tools.map((tool) => hiddenEntry(tool, base));
        return { server: name, protocolVersion, capabilities, tools: shown, problems };
      }),
    capabilities: (name, { signal, onStep } = {}) =>
      run(signal, async () => {
        const server = serverNamed(stack, name);
        using _steps = watchSteps(stack, base, onStep);
        const capabilities = await server.capabilities({ signal });
        const { protocolVersion, serverInfo, instructions } = server.session ?? {};
        return { server: name, ...base.redactData({ protocolVersion, serverInfo, instructions, capabilities }) };
      }),
  };
}

/** @throws {ControlError} `runs-elsewhere`: the fleet runs it once, and not here. */
function requireHere(stack: Stack, { name }: ManagedServer, fleet: FleetReport | undefined): void {
  if (stack.runsHere(name)) return;
  if (fleet?.phase === 'joined') {
    throw new ControlError('runs-elsewhere', `The fleet runs "${name}" once, and this host is not the one that does.`, {
      hint: 'Call its tools: that host starts it. "mcpx fleet status" shows which one it is.',
    });
  }
  const message = `The fleet runs "${name}" once, and this host has no word from the fleet: it may run elsewhere.`;
  throw new ControlError('runs-elsewhere', message, {
    hint: '"mcpx fleet status" shows what keeps it; "mcpx fleet leave" has this host run it on its own.',
    retryable: true,
  });
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

/** Does the same with each server at once; what fails for one is no failure of the whole. */
async function outcomesOf(
  { toControlError }: ControlBase,
  servers: readonly ManagedServer[],
  work: (server: ManagedServer) => Promise<void>,
  { signal }: WaitOptions,
): Promise<readonly ServerOutcome[]> {
  return Promise.all(
    servers.map(async (server): Promise<ServerOutcome> => {
      try {
        await work(server);
        return { server: server.name, status: 'done' };
      } catch (error) {
        signal?.throwIfAborted();
        return { server: server.name, status: 'failed', error: controlErrorData(toControlError(error)) };
      }
    }),
  );
}

function report(stack: Stack, rows: readonly ServerStatus[], base: ControlBase): StatusReport {
  const memory = memoryByGroup(new Set(rows.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))));
  return { servers: rows.map((row) => serverRow(stack, row, base, memory)) };
}

/** The row as a person is told of it. */
export function serverRow(
  { config, runsHere, waitsForConsent }: Pick<Stack, 'config' | 'runsHere' | 'waitsForConsent'>,
  status: ServerStatus,
  { redact }: ControlBase,
  memory?: ReadonlyMap<number, number>,
): ServerRow {
  const { pid, lastError, catalogProblems } = status;
  const memoryBytes = pid === undefined ? undefined : memory?.get(pid);
  const requirement = requirementOf(config, status.name);
  return {
    ...status,
    catalogProblems: catalogProblems.map(redact),
    ...(lastError !== undefined && { lastError: redact(inOurWords(lastError)) }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(requirement !== undefined && { requirement }),
    ...(waitsForConsent(status.name) && { waitsForConsent: true }),
    ...replacedIn(config, status.name),
    ...(!runsHere(status.name) && { runsElsewhere: true }),
  };
}

/** Where the user's server stands that one of the project replaces. */
function replacedIn({ issues }: Stack['config'], server: string): Pick<ServerRow, 'replaces'> {
  const found = issues.find((issue) => issue.code === 'replaced-server' && issue.server === server);
  if (found?.code !== 'replaced-server') return {};
  const { file = '', line } = found.replaced;
  return { replaces: `${file}:${line}` };
}
