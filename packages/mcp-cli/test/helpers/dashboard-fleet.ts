import type { Control } from '../../src/control/control.js';
import type { LogLine, ServerRow } from '../../src/control/reports.js';
import { CallHistory } from '../../src/dashboard/call-history.js';
import { type Dashboard, openDashboard } from '../../src/dashboard/dashboard.js';
import { createRecorder } from '../../src/dashboard/recorder.js';
import { UsageStore } from '../../src/dashboard/usage-store.js';
import { fakeControl } from './fake-control.js';

/** A dashboard over servers that are not there, in any number and any state. */
export interface DashboardFleet extends AsyncDisposable {
  readonly dashboard: Dashboard;
  readonly calls: CallHistory;
  /** A server has come to be like that. */
  change(row: ServerRow): void;
  /** Every server writes this line to stderr. */
  write(line: string): void;
}

export function serverRow(name: string, fields: Partial<ServerRow> = {}): ServerRow {
  return {
    name,
    state: 'running',
    phase: 'ready',
    health: 'healthy',
    transport: 'stdio',
    autoStart: true,
    disabled: false,
    tools: 3,
    callsInFlight: 0,
    callsQueued: 0,
    restarts: 0,
    junkLines: 0,
    catalogProblems: [],
    pid: 4_711,
    uptimeMs: 60_000,
    ...fields,
  } as ServerRow;
}

export async function dashboardFleet(
  rows: readonly ServerRow[],
  {
    pageDirectory,
    control: parts = {},
    now,
  }: {
    readonly pageDirectory: string;
    readonly control?: Partial<Control>;
    /** The clock of the counts of calls. */
    readonly now?: () => number;
  },
): Promise<DashboardFleet> {
  const servers = new Map(rows.map((row) => [row.name, row]));
  const changes = queue<ServerRow>();
  const lines = queue<LogLine>();
  const calls = new CallHistory();
  const usage = new UsageStore(calls, now);
  const control = fakeControl({
    usage: async ({ span }) => usage.report(span),
    pins: async () => ({ trust: { default: 'all', servers: {} }, tools: [] }) as never,
    status: async () => ({ servers: [...servers.values()] }),
    events: async function* ({ signal } = {}) {
      for (const row of rows) yield { server: row.name, row };
      for await (const row of changes.read(signal)) yield { server: row.name, row };
    },
    logs: ({ signal }) => lines.read(signal),
    serverHistory: async () => [],
    ...parts,
  });
  const recorder = createRecorder({ control, calls });
  const configReport = async () => ({ files: [], issues: [], moreIssues: 0, requirements: [] });
  const serverConfig = async () => ({ line: 1, layer: 'project', differences: [] });
  const dashboard = await openDashboard({ control, recorder, configReport, serverConfig, pageDirectory });
  return {
    dashboard,
    calls,
    change: (row) => {
      servers.set(row.name, row);
      changes.add(row);
    },
    write: (line) => lines.add({ line }),
    [Symbol.asyncDispose]: async () => {
      await dashboard[Symbol.asyncDispose]();
      recorder[Symbol.dispose]();
    },
  };
}

/** Each added item is read once, by one reader. */
function queue<Value>() {
  const waiting: Value[] = [];
  let wake: () => void = () => undefined;
  return {
    add: (value: Value) => {
      waiting.push(value);
      wake();
    },
    async *read(signal: AbortSignal | undefined): AsyncGenerator<Value, void, undefined> {
      signal?.addEventListener('abort', () => wake(), { once: true });
      while (!signal?.aborted) {
        const value = waiting.shift();
        if (value !== undefined) yield value;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
