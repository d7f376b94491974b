import { join } from 'node:path';
import { openStack, type Stack } from '../../src/compose.js';
import { followConfig } from '../../src/config/live-config.js';
import type { Control } from '../../src/control/control.js';
import { createLocalControl } from '../../src/control/local-control.js';
import { CallHistory } from '../../src/dashboard/call-history.js';
import { CallRecords } from '../../src/dashboard/call-records.js';
import { configHandlers } from '../../src/dashboard/config-handlers.js';
import { configReport } from '../../src/dashboard/config-report.js';
import { type Dashboard, openDashboard } from '../../src/dashboard/dashboard.js';
import { createRecorder, type Recorder } from '../../src/dashboard/recorder.js';
import { serverConfigReport } from '../../src/dashboard/server-config.js';
import { UsageStore } from '../../src/dashboard/usage-store.js';
import { LateTelemetry } from '../../src/telemetry/late-telemetry.js';
import { project, type ServerEntry, serversFile } from './project.js';

/** A dashboard over real servers, all in this process. */
export interface DashboardStage extends AsyncDisposable {
  readonly folder: string;
  readonly control: Control;
  readonly recorder: Recorder;
  readonly dashboard: Dashboard;
}

export async function dashboardStage(
  servers: readonly ServerEntry[],
  {
    pageDirectory,
    files = {},
    entries = {},
    env = {},
    follows = false,
  }: {
    readonly pageDirectory: string;
    readonly files?: Readonly<Record<string, string>>;
    /** Servers that are none of the test servers, as the config has them. */
    readonly entries?: Readonly<Record<string, object>>;
    readonly env?: Readonly<Record<string, string>>;
    /** Applies edits of the files, as a daemon does. Default `false`. */
    readonly follows?: boolean;
  },
): Promise<DashboardStage> {
  const config = JSON.parse(serversFile(servers));
  Object.assign(config.mcp_servers, entries);
  const { folder, [Symbol.asyncDispose]: remove } = await project({
    'mcp_servers.yaml': JSON.stringify(config, null, 2),
    ...files,
  });
  const io = {
    cwd: folder,
    env: { PATH: process.env.PATH, MCPX_TRUST: '1', ...env },
    stateDirectory: join(folder, 'state'),
  };
  const calls = new CallHistory();
  let opened: Stack | undefined;
  const recording = new CallRecords(() => (opened as Stack).redactor);
  const noTelemetry = new LateTelemetry();
  const stack = await openStack(
    {
      audit: calls.sink,
      holdsCalls: true,
      interceptors: [recording.interceptor],
      telemetry: recording.timing(noTelemetry),
    },
    { ...io, signal: new AbortController().signal },
  );
  opened = stack;
  const signal = new AbortController().signal;
  const live = follows ? followConfig({ stack, io: { ...io, signal } }) : undefined;
  const startedAt = Date.now();
  const control = createLocalControl(stack, {
    recording,
    config: configHandlers({
      stack,
      files: undefined,
      io,
      settled: async () => {
        await live?.settled();
        return live?.problem?.message;
      },
    }),
    usage: new UsageStore(calls),
    daemonInfo: () => ({
      version: '1.2.3',
      protocol: 1,
      pid: 4_711,
      workerPid: 4_712,
      startedAt,
      configReadAt: live?.readAt ?? 0,
      configProblem: live?.problem?.message,
      configFiles: stack.config.files,
      memoryBytes: 65_000_000,
    }),
  });
  const recorder = createRecorder({
    control,
    calls,
    recording,
    approvals: { list: () => control.approvals(), onChange: (listener) => stack.approvals.onChange(listener) },
  });
  const report = () => configReport(undefined, io, control);
  const dashboard = await openDashboard({
    control,
    recorder,
    configReport: report,
    serverConfig: (server) => serverConfigReport(server, { stack, files: undefined, io }),
    pageDirectory,
  });
  return {
    folder,
    control,
    recorder,
    dashboard,
    [Symbol.asyncDispose]: async () => {
      await dashboard[Symbol.asyncDispose]();
      recorder[Symbol.dispose]();
      await live?.[Symbol.asyncDispose]();
      await control[Symbol.asyncDispose]();
      await remove();
    },
  };
}
