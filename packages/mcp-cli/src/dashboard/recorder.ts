import type { Control, ServerRow } from '../control/control.js';
import type { CallHistory } from './call-history.js';
import { HealthHistory } from './health-history.js';
import type { LiveMessage, Snapshot } from './page-messages.js';
import { sampleOf, serverView } from './server-view.js';

export interface Recorder extends Disposable {
  /** Everything as it is now. */
  snapshot(): Promise<Snapshot>;
  /** Looks at every server once more, for what is told by no event: how much memory they take. */
  sample(): Promise<void>;
  onMessage(listener: (message: LiveMessage) => void): Disposable;
}

export interface RecorderOptions {
  readonly control: Pick<Control, 'events' | 'status' | 'daemonInfo'>;
  readonly calls: CallHistory;
  /** In milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Remembers how servers were and which calls were made, and tells what is new. Until it is disposed of. */
export function createRecorder({ control, calls, now = Date.now }: RecorderOptions): Recorder {
  const ended = new AbortController();
  const { signal } = ended;
  const history = new HealthHistory();
  const memory = new Map<string, number>();
  const listeners = new Set<(message: LiveMessage) => void>();
  const tell = (message: LiveMessage): void => {
    for (const listener of listeners) listener(message);
  };
  const calling = calls.onCall((call) => tell({ type: 'call', call }));

  const remember = (row: ServerRow): void => {
    // Events come without it: to ask the system at each would cost more than the event.
    const { name, memoryBytes = row.pid === undefined ? undefined : memory.get(name) } = row;
    if (memoryBytes === undefined) memory.delete(name);
    else memory.set(name, memoryBytes);
    const known = memoryBytes === undefined ? row : { ...row, memoryBytes };
    const at = now();
    const sample = sampleOf(known, at);
    history.add(name, sample);
    tell({ type: 'server', server: serverView(known, at), sample });
  };
  const follow = async (): Promise<void> => {
    for await (const { server, row } of control.events({ signal })) {
      if (row) {
        remember(row);
      } else {
        history.forget(server);
        memory.delete(server);
        tell({ type: 'server-removed', name: server });
      }
    }
  };
  follow().catch(() => undefined); // it ends with the servers, or with this

  return {
    snapshot: async () => {
      const [{ servers }, daemon] = await Promise.all([control.status({ signal }), control.daemonInfo({ signal })]);
      const at = now();
      return {
        daemon: daemon && {
          version: daemon.version,
          pid: daemon.pid,
          startedAt: daemon.startedAt,
          memoryBytes: daemon.memoryBytes,
          configFiles: daemon.configFiles,
        },
        servers: servers.map((row) => serverView(row, at)),
        samples: history.all(),
        calls: calls.list(),
      };
    },
    sample: async () => {
      const { servers } = await control.status({ signal });
      for (const row of servers) remember(row);
    },
    onMessage: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]: () => {
      ended.abort(new Error('the dashboard is closed'));
      calling[Symbol.dispose]();
      listeners.clear();
    },
  };
}
