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

export interface DaemonParts {
  /** The servers of this process. */
  readonly local: Control;
  readonly stack: Stack;
  readonly member: FleetMember;
  readonly dashboard: LazyDashboard;
}

/** The servers of this process and the requests that only a daemon takes. `draining`: aborts when the daemon begins to stop. */
export function daemonControl(
  { local, stack, member, dashboard }: DaemonParts,
  { log, draining }: { readonly log: (line: string) => void; readonly draining: AbortController },
): DaemonControl {
  const base = controlBase(stack, { fleetReport: () => member.report });
  let reloading: Promise<unknown> = Promise.resolve();
  const reload = (): Promise<ReloadReport> => reloadStack(stack, { log, signal: draining.signal });
  const handlers: DaemonHandlers = {
    reload: () => {
      const reloaded = reloading.then(reload, reload);
      reloading = reloaded;
      return reloaded;
    },
    joinFleet: ({ membership, ...options }) => member.join(membership, present(options)),
    leaveFleet: async () => {
      const left = await member.leave();
      return left === undefined ? {} : { fleet: left.fleet, host: left.host };
    },
    fleetSources: (options) => readSources(member.fleet, options),
    callSource: (options) => callSource(member.fleet, options),
    dashboard: dashboard.visit,
    shutDown: async () => {
      draining.abort(new Error('a command asked for it'));
    },
  };
  return { ...local, ...controlOf(daemonMethods, handlers, base) };
}

/** Applies the config as it is now, and logs the outcome. */
async function reloadStack(
  stack: Stack,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): Promise<ReloadReport> {
  signal.throwIfAborted();
  try {
    const { failures, roles, trust, settings, ...servers } = await stack.reload();
    log(`the config was read again: ${counts({ ...servers, 'roles changed': roles })}`);
    for (const { server } of failures) log(`"${server}" could not be stopped`);
    return { ...servers, roles, trust, settings };
  } catch (error) {
    const known = toControlError(error, stack.redactor);
    log(`the config was read again and refused; all stays as it was. ${known.message}`);
    throw known;
  }
}

function counts(report: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(report)
    .map(([name, servers]) => `${servers.length} ${name}`)
    .join(', ');
}
