import type { Stack } from '../compose.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Control, DaemonControl, DaemonHandlers } from '../control/control.js';
import { controlBase, controlOf } from '../control/control-base.js';
import { daemonMethods } from '../control/methods.js';
import type { CallHistory } from '../dashboard/call-history.js';
import type { LazyDashboard } from '../dashboard/lazy-dashboard.js';
import type { Attendants } from '../elicitation/attendants.js';
import type { FleetMember } from '../fleet/fleet-member.js';
import { callSource, readSources } from '../fleet/read-sources.js';
import { present } from '../present.js';
import type { Servings } from './servings.js';

interface DaemonParts {
  readonly local: Control;
  readonly stack: Stack;
  readonly calls: CallHistory;
  readonly live: LiveConfig;
  readonly member: FleetMember;
  readonly dashboard: LazyDashboard;
  readonly servings: Servings;
  readonly attendants: Attendants;
}

interface DaemonHooks {
  /** Aborts when the daemon begins to stop. */
  readonly draining: AbortController;
  readonly setIdleExit: (idleExitMs: number | undefined) => void;
  /** Called after a command gave consent to launches. */
  readonly onTrusted: () => void;
}

export function daemonControl(
  { local, stack, calls, live, member, dashboard, servings, attendants }: DaemonParts,
  { draining, setIdleExit, onTrusted }: DaemonHooks,
): DaemonControl {
  const base = controlBase(stack, { fleetReport: () => member.report });
  const handlers: DaemonHandlers = {
    calls: async () => base.redactData(calls.list()),
    reload: ({ trust = false }) => live.reload({ trust }).finally(() => trust && onTrusted()),
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
    attend: async ({ onServerRequest, signal = draining.signal }) => {
      if (onServerRequest) await attendants.attend(onServerRequest, AbortSignal.any([signal, draining.signal]));
    },
    setIdleExit: async ({ idleExitMs }) => setIdleExit(idleExitMs),
    shutDown: async () => {
      draining.abort(new Error('a command requested it'));
    },
  };
  return { ...local, ...controlOf(daemonMethods, handlers, base) };
}
