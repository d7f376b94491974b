import type { Io } from '../command.js';
import type { Stack } from '../compose.js';
import type { Control, DaemonHandlers } from '../control/control.js';
import type { Dashboard } from './dashboard.js';
import type { Recorder } from './recorder.js';

export interface LazyDashboard extends AsyncDisposable {
  /** Pages with an open event stream. */
  readonly readers: number;
  readonly visit: DaemonHandlers['dashboard'];
}

interface LazyDashboardOptions {
  readonly control: Control;
  readonly stack: Pick<Stack, 'config' | 'redactor' | 'cwd'>;
  readonly recorder: Recorder;
  /** Files or directories of the command line. */
  readonly configFiles: readonly string[] | undefined;
  readonly io: Pick<Io, 'cwd' | 'env'>;
  readonly pageDirectory: string;
}

/** Opens the port and loads the code with the first link. */
export function lazyDashboard({ configFiles: files, io, stack, ...options }: LazyDashboardOptions): LazyDashboard {
  let opening: Promise<Dashboard> | undefined;
  let dashboard: Dashboard | undefined;
  const open = async (): Promise<Dashboard> => {
    const [{ openDashboard }, { configReport }, { serverConfigReport }] = await Promise.all([
      import('./dashboard.js'),
      import('./config-report.js'),
      import('./server-config.js'),
    ]);
    dashboard = await openDashboard({
      ...options,
      configReport: () => configReport(files, io, options.control),
      serverConfig: (server) => serverConfigReport(server, { stack, files, io }),
    });
    return dashboard;
  };
  return {
    get readers() {
      return dashboard?.readers ?? 0;
    },
    visit: async ({ readOnly = false, noCalls = false, recordCalls = false, signal, onLink }) => {
      opening ??= open();
      const { url, expiresInMs, opened } = (
        await opening.catch((error: unknown) => {
          opening = undefined; // the next attempt may succeed
          throw error;
        })
      ).newLink(readOnly ? 'look' : noCalls ? 'operate' : 'call');
      if (recordCalls) await options.control.recordCalls({ isOn: true });
      onLink?.({ url, expiresInMs });
      return { isOpened: await openedWithin(expiresInMs, opened, signal) };
    },
    [Symbol.asyncDispose]: async () => {
      await opening?.catch(() => undefined);
      await dashboard?.[Symbol.asyncDispose]();
    },
  };
}

async function openedWithin(ms: number, opened: Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  const ended = new AbortController();
  const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  try {
    return await Promise.race([opened.then(() => true), timeLimit(ms, either)]);
  } finally {
    ended.abort();
  }
}

function timeLimit(ms: number, signal: AbortSignal): Promise<false> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), ms).unref();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
