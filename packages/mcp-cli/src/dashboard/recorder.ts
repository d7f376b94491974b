import type { Control } from '../control/control.js';
import type { DaemonInfo, ServerRow } from '../control/reports.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { CallHistory } from './call-history.js';
import { fleetView } from './fleet-view.js';
import type { Happening } from './happening.js';
import { HealthHistory } from './health-history.js';
import type { DaemonView, ServerView, Snapshot } from './page-messages.js';
import { sampleOf, serverView, withoutJitter } from './server-view.js';

export interface Recorder extends Disposable {
  /** Everything as it is now. */
  snapshot(): Promise<Snapshot>;
  /** Looks at everything once more, for what is told by no event: how much memory it takes. */
  sample(): Promise<void>;
  onHappening(listener: (happening: Happening) => void): Disposable;
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
  const views = new Map<string, ServerView>();
  const listeners = new Set<(happening: Happening) => void>();
  const tell = (happening: Happening): void => {
    for (const listener of listeners) listener(happening);
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
    const isNewSample = history.add(name, sample);
    const before = views.get(name);
    const server = withoutJitter(serverView(known, at), before);
    if (!isNewSample && JSON.stringify(server) === JSON.stringify(before)) return;
    views.set(name, server);
    tell({ type: 'server', server, ...(isNewSample && { sample }) });
  };
  const forget = (name: string): void => {
    history.forget(name);
    memory.delete(name);
    views.delete(name);
    tell({ type: 'server-removed', name });
  };
  let toldFleet = '';
  /** Nothing tells of each change in a fleet, so it is looked at; it is told when it is another than before. */
  const lookAtFleet = (report: FleetReport | undefined): void => {
    const fleet = report ? fleetView(report) : null;
    const text = report ? JSON.stringify(fleet) : '';
    if (text !== toldFleet) tell({ type: 'fleet', fleet });
    toldFleet = text;
  };
  const follow = async (): Promise<void> => {
    for await (const { server, row } of control.events({ signal })) {
      if (row) remember(row);
      else forget(server);
    }
  };
  follow().catch(() => undefined); // it ends with the servers, or with this

  return {
    snapshot: async () => {
      const [{ servers, fleet }, daemon] = await Promise.all([
        control.status({ signal }),
        control.daemonInfo({ signal }),
      ]);
      const at = now();
      return {
        at,
        daemon: daemon && daemonView(daemon),
        ...(fleet && { fleet: fleetView(fleet) }),
        servers: servers.map((row) => withoutJitter(serverView(row, at), views.get(row.name))),
        samples: history.all(),
        calls: calls.list(),
      };
    },
    sample: async () => {
      const [{ servers, fleet }, daemon] = await Promise.all([
        control.status({ signal }),
        control.daemonInfo({ signal }),
      ]);
      lookAtFleet(fleet);
      for (const row of servers) remember(row);
      if (daemon) tell({ type: 'daemon', daemon: daemonView(daemon) });
    },
    onHappening: (listener) => {
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

function daemonView({ version, pid, startedAt, memoryBytes, configFiles }: DaemonInfo): DaemonView {
  return { version, pid, startedAt, memoryBytes, configFiles };
}
