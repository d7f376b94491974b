import { resolve } from 'node:path';
import {
  type CompleteRequest,
  isManagerError,
  type ManagedListing,
  type ManagedServer,
  type ServerNeed,
  type ServerStatus,
} from '@x/mcp-client-manager';
import { memoryByGroup } from '@x/mcp-client-manager/diagnose';
import { type Stack, serverNamed } from '../compose.js';
import { afterPages, commandClient } from '../elicitation/command-client.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { inCommandWords } from '../output/command-words.js';
import { areToolsKnown, startsAutomatically } from '../servers/server-rows.js';
import type { ServerHandlers, WaitOptions } from './control.js';
import { type ControlBase, redactEntry, requestTimeoutMs as timeoutMs } from './control-base.js';
import { ControlError, controlErrorData } from './control-error.js';
import type { CompletionReference, ControlEvent, DiscoveryReport, ServerOutcome, ServerRow } from './reports.js';
import { requirementOf } from './server-facts.js';
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
      const rows = serverRows(stack, stack.manager.status(), base);
      return { servers: await Promise.all(rows.map((row) => withProgram(stack, row, base))), ...(fleet && { fleet }) };
    },
    health: async ({ servers: names, signal }) => {
      const servers = selectServers(stack, names, () => true);
      await Promise.all(servers.map((server) => server.checkHealth({ signal })));
      const statuses = servers.map(({ status }) => status);
      return { servers: serverRows(stack, statuses, base) };
    },
    discover: async ({ server: name, remembered = false, signal, onStep }) => {
      const server = serverNamed(stack, name);
      if (remembered && server.state !== 'failed' && areToolsKnown(server.status)) return knownTools(server, base);
      using _steps = watchSteps(stack, base, onStep);
      const tools = await server.discoverTools({ signal });
      const capabilities = base.redactData(await server.capabilities({ signal }));
      const problems = problemsOf(server, base);
      const { protocolVersion } = server.session ?? {};
      const shown = tools.map((tool) => redactEntry(tool, base));
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

function problemsOf({ status }: ManagedServer, { redact }: ControlBase): readonly string[] {
  return status.catalogProblems.map((problem) => redact(inCommandWords(problem)));
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
    tools: server.knownTools().map((tool) => redactEntry(tool, base)),
    problems: problemsOf(server, base),
  };
}

function lifecycleControl(stack: Stack, base: ControlBase, fleetReport: () => FleetReport | undefined) {
  return {
    start: async ({ servers: names, signal, onStep }) => {
      const servers = selectServers(stack, names, ({ name, status }) => {
        return startsAutomatically(status) && stack.runsHere(name);
      });
      using _steps = watchSteps(stack, base, onStep);
      return await outcomesOf(base, servers, { signal }, async (server) => {
        requireRunsHere(stack, server, fleetReport());
        await server.start({ signal });
      });
    },
    stop: async ({ servers: names, force, signal }) => {
      const servers = selectServers(stack, names, () => true);
      return await outcomesOf(base, servers, { signal }, (server) => server.stop({ force }));
    },
    restart: async ({ servers: names, signal, onStep }) => {
      const servers = selectServers(stack, names, ({ state }) => state !== 'stopped');
      using _steps = watchSteps(stack, base, onStep);
      return await outcomesOf(base, servers, { signal }, async (server) => {
        requireRunsHere(stack, server, fleetReport());
        await server.restart({ signal });
      });
    },
  } satisfies Partial<ServerHandlers>;
}

/** The named servers, or without names those that `otherwise` picks. */
function selectServers(
  stack: Stack,
  names: readonly string[] | undefined,
  otherwise: (server: ManagedServer) => boolean,
): readonly ManagedServer[] {
  return names ? names.map((name) => serverNamed(stack, name)) : stack.manager.servers().filter(otherwise);
}

/** @throws {ControlError} `runs-elsewhere`. */
function requireRunsHere(stack: Stack, { name }: ManagedServer, fleet: FleetReport | undefined): void {
  if (stack.runsHere(name)) return;
  if (fleet?.phase === 'joined') {
    throw new ControlError('runs-elsewhere', `The fleet runs "${name}" once, on another node.`, {
      hint: 'Call its tools: that node starts it. Run "mcpx fleet status" to see which one it is.',
    });
  }
  const message = `The fleet runs "${name}" once, and this node is not connected to the fleet: it may run on another node.`;
  throw new ControlError('runs-elsewhere', message, {
    hint: 'Run "mcpx fleet status" to see the reason, or "mcpx fleet leave" to run it on this node alone.',
    retryable: true,
  });
}

/** Runs the work for all servers in parallel. */
async function outcomesOf(
  { toControlError }: ControlBase,
  servers: readonly ManagedServer[],
  { signal }: WaitOptions,
  work: (server: ManagedServer) => Promise<void>,
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

export function resourceControl(stack: Stack, base: ControlBase) {
  const hidden = <Entry extends object>(listing: ManagedListing<Entry>): ManagedListing<Entry> => ({
    ...listing,
    items: listing.items.map((entry) => redactEntry(entry, base)),
  });
  return {
    listResources: async ({ server, ...options }) => hidden(await serverNamed(stack, server).listResources(options)),
    listResourceTemplates: async ({ server, ...options }) =>
      hidden(await serverNamed(stack, server).listResourceTemplates(options)),
    readResource: async ({ server, uri, signal, onServerRequest }) => {
      const handler = onServerRequest && commandClient(onServerRequest, base);
      const request = () => serverNamed(stack, server).readResource(uri, { signal, timeoutMs, handler });
      return afterPages(request, { server, onServerRequest, signal }, base);
    },
    listPrompts: async ({ server, ...options }) => hidden(await serverNamed(stack, server).listPrompts(options)),
    getPrompt: async ({ server, prompt, args, signal, onServerRequest }) => {
      const handler = onServerRequest && commandClient(onServerRequest, base);
      const request = () => serverNamed(stack, server).getPrompt(prompt, args, { signal, timeoutMs, handler });
      return afterPages(request, { server, onServerRequest, signal }, base);
    },
    completeArgument: async ({ server, ref, argument: name, value, args, signal }) => {
      const context = args && { arguments: args };
      const request = { ref: referenceOf(ref), argument: { name, value }, context };
      return { values: base.redactData(await suggestedValues(serverNamed(stack, server), request, signal)) };
    },
  } satisfies Partial<ServerHandlers>;
}

const maxSuggestions = 100; // the specification's limit

function referenceOf(ref: CompletionReference): CompleteRequest['ref'] {
  return 'prompt' in ref ? { type: 'ref/prompt', name: ref.prompt } : { type: 'ref/resource', uri: ref.template };
}

async function suggestedValues(
  server: ManagedServer,
  request: CompleteRequest,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    const { completion } = await server.complete(request, { signal, timeoutMs });
    return completion.values.filter((each) => typeof each === 'string').slice(0, maxSuggestions);
  } catch (error) {
    if (isManagerError(error) && error.code === 'unsupported') return [];
    throw error;
  }
}

/** Rows with the memory of each server. */
function serverRows(stack: Stack, statuses: readonly ServerStatus[], base: ControlBase): readonly ServerRow[] {
  const memory = memoryByGroup(new Set(statuses.flatMap(({ pid }) => (pid === undefined ? [] : [pid]))));
  return statuses.map((status) => serverRow(stack, status, base, memory));
}

export function serverRow(
  stack: Pick<Stack, 'config' | 'cwd' | 'runsHere' | 'waitsForConsent'>,
  status: ServerStatus,
  { redact }: Pick<ControlBase, 'redact'>,
  memory?: ReadonlyMap<number, number>,
): ServerRow {
  const { pid, lastError, healthError, catalogProblems, needs } = status;
  const memoryBytes = pid === undefined ? undefined : memory?.get(pid);
  const requirement = requirementOf(stack.config, status.name);
  return {
    ...status,
    catalogProblems: catalogProblems.map((problem) => redact(inCommandWords(problem))),
    ...(lastError !== undefined && { lastError: redact(inCommandWords(lastError)) }),
    ...(healthError !== undefined && { healthError: redact(inCommandWords(healthError)) }),
    ...(needs !== undefined && { needs: needs.map((need) => redactNeed(need, redact)) }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(requirement !== undefined && { requirement }),
    ...(stack.waitsForConsent(status.name) && { waitsForConsent: true }),
    ...fileOf(stack, status.name),
    ...replacedIn(stack.config, status.name),
    ...(!stack.runsHere(status.name) && { runsElsewhere: true }),
  };
}

/** A server that was not started may lack its program, which the manager has not looked for. */
async function withProgram(
  { config, env }: Pick<Stack, 'config' | 'env'>,
  row: ServerRow,
  { redact }: ControlBase,
): Promise<ServerRow> {
  const { name, state, needs, disabled, runsElsewhere, waitsForConsent } = row;
  // Without consent, not even a path of a project is looked at.
  if (state !== 'stopped' || needs !== undefined || disabled || runsElsewhere || waitsForConsent) return row;
  const server = config.servers.find((each) => each.name === name);
  if (server?.transport !== 'stdio') return row;
  const { checkProgram } = await import('../servers/installed.js');
  const check = await checkProgram(server, env);
  if (check.status !== 'command-not-found') return row;
  return { ...row, needs: [redactNeed({ kind: 'program', name: server.command }, redact)] };
}

/** A command may contain the value of a variable. */
function redactNeed(need: ServerNeed, redact: ControlBase['redact']): ServerNeed {
  return need.kind === 'program' ? { ...need, name: redact(need.name) } : need;
}

function fileOf({ config, cwd }: Pick<Stack, 'config' | 'cwd'>, server: string): Pick<ServerRow, 'file'> {
  const file = config.servers.find(({ name }) => name === server)?.source.file;
  return file === undefined ? {} : { file: resolve(cwd, file) };
}

function replacedIn({ issues }: Stack['config'], server: string): Pick<ServerRow, 'replaces'> {
  const found = issues.find((issue) => issue.code === 'replaced-server' && issue.server === server);
  if (found?.code !== 'replaced-server') return {};
  const { file = '', line } = found.replaced;
  return { replaces: `${file}:${line}` };
}

/** Yields the row of every server, then of each server that changes. */
export async function* readEvents(
  stack: Stack,
  base: ControlBase,
  { signal }: WaitOptions,
): AsyncGenerator<ControlEvent, void, undefined> {
  for await (const { server, status } of stack.manager.changes({ signal })) {
    yield status ? { server, row: await withProgram(stack, serverRow(stack, status, base), base) } : { server };
  }
}
