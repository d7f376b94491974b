import type { Stack } from '../compose.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { Control, DaemonInfo } from './control.js';
import { controlBase } from './control-base.js';
import { readEvents } from './events.js';
import { createServerLogs } from './logs.js';
import { pinControl } from './pins.js';
import { requirementControl } from './requirements.js';
import { resourceControl } from './resources.js';
import { roleControl } from './roles.js';
import { serverControl } from './servers.js';
import { toolControl } from './tools.js';

export interface LocalControlOptions {
  /** What the daemon says of itself, where this process is one. */
  readonly daemonInfo?: (() => DaemonInfo) | undefined;
  /** The fleet that this process belongs to. Default: none. */
  readonly fleetReport?: (() => FleetReport | undefined) | undefined;
  /** Absolute path of the directory in which the servers' logs of earlier processes are. Default: they are not looked at. */
  readonly logDirectory?: string | undefined;
}

/** The servers of this process. Disposing of it closes the stack. */
export function createLocalControl(
  stack: Stack,
  { daemonInfo, fleetReport, logDirectory }: LocalControlOptions = {},
): Control {
  const base = controlBase(stack, { isOneShot: daemonInfo === undefined, fleetReport });
  const logs = createServerLogs(stack, base, logDirectory);
  return {
    ...serverControl(stack, base, fleetReport),
    ...toolControl(stack, base),
    ...resourceControl(stack, base),
    ...roleControl(stack, base),
    ...pinControl(stack, base),
    ...requirementControl(stack, base),
    logs: (options) => logs.read(options),
    events: (options = {}) => readEvents(stack, base, options),
    daemonInfo: ({ signal } = {}) => base.run(signal, async () => daemonInfo?.()),
    [Symbol.asyncDispose]: () => {
      logs[Symbol.dispose]();
      return stack[Symbol.asyncDispose]();
    },
  };
}
