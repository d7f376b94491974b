import { sequence } from '@x/internal/async';
import type { Stack } from '../compose.js';
import type { Control, DaemonControl, DaemonHandlers } from '../control/control.js';
import { controlBase, controlOf } from '../control/control-base.js';
import { daemonMethods } from '../control/methods.js';
import type { ReloadReport } from '../control/reports.js';
import { toControlError } from '../control/to-control-error.js';
import type { LazyDashboard } from '../dashboard/lazy-dashboard.js';
import type { FleetMember } from '../fleet/fleet-member.js';
import { callSource, readSources } from '../fleet/read-sources.js';
import { present } from '../present.js';
import type { Servings } from './servings.js';

interface DaemonParts {
  readonly local: Control;
  readonly stack: Stack;
  readonly member: FleetMember;
  readonly dashboard: LazyDashboard;
  readonly servings: Servings;
}

interface DaemonHooks {
  readonly log: (line: string) => void;
  /** Aborts when the daemon begins to stop. */
  readonly draining: AbortController;
  readonly setIdleExit: (idleExitMs: number | undefined) => void;
  /** Called after a command gave consent to launches. */
  readonly onTrusted: () => void;
}

export function daemonControl(
  { local, stack, member, dashboard, servings }: DaemonParts,
  { log, draining, setIdleExit, onTrusted }: DaemonHooks,
): DaemonControl {
  const base = controlBase(stack, { fleetReport: () => member.report });
  const inSequence = sequence();
  const handlers: DaemonHandlers = {
    reload: ({ trust = false }) =>
      inSequence(() => reloadStack(stack, { log, trust, signal: draining.signal }).finally(() => trust && onTrusted())),
    trust: async ({ servers }) => {
      stack.trustNow(servers);
      onTrusted();
    },
    joinFleet: ({ membership, ...options }) => member.join(membership, present(options)),
    leaveFleet: async () => {
      const left = await member.leave();
      return left === undefined ? {} : { fleet: left.fleet, node: left.node };
    },
    fleetSources: (options) => readSources(member.fleet, options),
    callSource: (options) => callSource(member.fleet, options),
    dashboard: dashboard.visit,
    serve: servings.serve,
    signalServing: servings.signal,
    setIdleExit: async ({ idleExitMs }) => setIdleExit(idleExitMs),
    shutDown: async () => {
      draining.abort(new Error('a command requested it'));
    },
  };
  return { ...local, ...controlOf(daemonMethods, handlers, base) };
}

async function reloadStack(
  stack: Stack,
  { log, trust, signal }: Pick<DaemonHooks, 'log'> & { readonly trust: boolean; readonly signal: AbortSignal },
): Promise<ReloadReport> {
  signal.throwIfAborted();
  try {
    const { failures, roles, trust: isOtherTrust, settings, ...servers } = await stack.reload({ trust });
    log(`the config was read again: ${counts({ ...servers, 'roles changed': roles })}`);
    for (const { server } of failures) log(`"${server}" could not be stopped`);
    return { ...servers, roles, trust: isOtherTrust, settings };
  } catch (error) {
    const known = toControlError(error, stack.redactor);
    log(`the config was read again and is invalid; nothing changed. ${known.message}`);
    throw known;
  }
}

function counts(report: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(report)
    .map(([name, servers]) => `${servers.length} ${name}`)
    .join(', ');
}
