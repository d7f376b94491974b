import type { ServerStatus } from '@x/mcp-client-manager';
import { checkRequirements, type RequirementReport, type ServerFacts } from '@x/mcp-config-schema';
import type { Stack } from '../compose.js';
import type { CallRecords } from '../dashboard/call-records.js';
import { type ConfigHandlers, noConfig } from '../dashboard/config-handlers.js';
import type { UsageSpan } from '../dashboard/page-messages.js';
import type { UsageStore } from '../dashboard/usage-store.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import { installFacts } from '../servers/installed.js';
import type { Control, ServerHandlers, WaitOptions } from './control.js';
import { type ControlBase, controlBase, controlOf } from './control-base.js';
import { createServerLogs } from './logs.js';
import { serverMethods } from './methods.js';
import type { DaemonInfo } from './reports.js';
import { createServerHistory } from './server-history.js';
import { readEvents, resourceControl, serverControl } from './servers.js';
import { approvalControl, pinControl, roleControl, toolControl } from './tools.js';

interface LocalControlOptions {
  /** Facts about this process, if it is a daemon. */
  readonly daemonInfo?: (() => DaemonInfo) | undefined;
  /** Records calls of this process. Default: none are recorded. */
  readonly recording?: CallRecords | undefined;
  /** Counts the calls of this process. Default: none are counted. */
  readonly usage?: UsageStore | undefined;
  /** Shows and edits the config of this process. Default: refuses. */
  readonly config?: ConfigHandlers | undefined;
  /** Fleet of this process. Default: none. */
  readonly fleetReport?: (() => FleetReport | undefined) | undefined;
  /** Absolute path of earlier logs of servers whose config names no directory. Default: none are read. */
  readonly logDirectory?: string | undefined;
  /** The servers are in no config, so errors do not name it. Default `false`. */
  readonly isUnlisted?: boolean;
}

/** The servers of this process. Disposal closes the stack. */
export function createLocalControl(
  stack: Stack,
  { daemonInfo, recording, config = noConfig, fleetReport, logDirectory, isUnlisted, usage }: LocalControlOptions = {},
): Control {
  const base = controlBase(stack, { isOneShot: daemonInfo === undefined, isUnlisted, fleetReport });
  const logs = createServerLogs(stack, base, logDirectory);
  const history = createServerHistory(stack, base);
  const handlers = {
    ...serverControl(stack, base, fleetReport),
    ...toolControl(stack, base),
    ...resourceControl(stack, base),
    ...roleControl(stack),
    ...approvalControl(stack, base),
    ...pinControl(stack, base),
    ...recordingControl(recording, base),
    ...config,
    requirements: () => requirementReport(stack),
    logs: logs.read,
    serverHistory: history.read,
    events: (options: WaitOptions) => readEvents(stack, base, options),
    usage: async ({ span }: { readonly span: UsageSpan }) => base.redactData(usage?.report(span)),
    daemonInfo: async () => daemonInfo?.(),
  };
  return {
    ...controlOf(serverMethods, handlers, base),
    [Symbol.asyncDispose]: () => {
      logs[Symbol.dispose]();
      history[Symbol.dispose]();
      return stack[Symbol.asyncDispose]();
    },
  };
}

function recordingControl(recording: CallRecords | undefined, { redactData }: ControlBase) {
  return {
    recordCalls: async ({ isOn }) => recording?.switch(isOn),
    forgetRecordedCalls: async () => recording?.forget(),
    recordedCalls: async ({ ids }) => redactData(recording?.list(ids) ?? []),
    findRecordedCalls: async ({ text }) => recording?.find(text) ?? [],
  } satisfies Partial<ServerHandlers>;
}

async function requirementReport({ config, manager, env }: Stack): Promise<RequirementReport> {
  const facts: Record<string, ServerFacts> = { ...(await installFacts(config.servers, env)) };
  for (const row of manager.status()) facts[row.name] = { ...facts[row.name], ...running(row) };
  return checkRequirements(config, facts);
}

/** Idle servers start on demand, so they are neither running nor failed. */
function running({ state, health }: ServerStatus): ServerFacts {
  if (state === 'failed') return { running: false };
  if (state !== 'running' && state !== 'degraded') return {};
  return { running: true, ...(health !== 'unknown' && { healthy: health === 'healthy' }) };
}
