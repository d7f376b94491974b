import type { Stack } from '../compose.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { Control, WaitOptions } from './control.js';
import { controlBase, controlOf } from './control-base.js';
import { readEvents } from './events.js';
import { createServerLogs } from './logs.js';
import { serverMethods } from './methods.js';
import { pinControl } from './pins.js';
import type { DaemonInfo } from './reports.js';
import { requirementReport } from './requirements.js';
import { resourceControl } from './resources.js';
import { roleControl } from './roles.js';
import { serverControl } from './servers.js';
import { toolControl } from './tools.js';

export interface LocalControlOptions {
  /** Facts about this process, if it is a daemon. */
  readonly daemonInfo?: (() => DaemonInfo) | undefined;
  /** Fleet of this process. Default: none. */
  readonly fleetReport?: (() => FleetReport | undefined) | undefined;
  /** Absolute path of earlier logs of servers whose config names no directory. Default: none are read. */
  readonly logDirectory?: string | undefined;
}

/** The servers of this process. Disposal closes the stack. */
export function createLocalControl(
  stack: Stack,
  { daemonInfo, fleetReport, logDirectory }: LocalControlOptions = {},
): Control {
  const base = controlBase(stack, { isOneShot: daemonInfo === undefined, fleetReport });
  const logs = createServerLogs(stack, base, logDirectory);
  const handlers = {
    ...serverControl(stack, base, fleetReport),
    ...toolControl(stack, base),
    ...resourceControl(stack, base),
    ...roleControl(stack),
    ...pinControl(stack, base),
    requirements: () => requirementReport(stack),
    logs: logs.read,
    events: (options: WaitOptions) => readEvents(stack, base, options),
    daemonInfo: async () => daemonInfo?.(),
  };
  return {
    ...controlOf(serverMethods, handlers, base),
    [Symbol.asyncDispose]: () => {
      logs[Symbol.dispose]();
      return stack[Symbol.asyncDispose]();
    },
  };
}
