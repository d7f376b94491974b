import type { Control } from '../control/control.js';
import type { DaemonInfo, ServerRow } from '../control/reports.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { CallHistory } from './call-history.js';
import { fleetView } from './fleet-view.js';
import type { Happening } from './happening.js';
import { KnownServers } from './known-servers.js';
import type { DaemonView, Snapshot } from './page-messages.js';

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

/** Remembers servers and calls, and tells what is new about them, until it is disposed of. */
export function createRecorder({ control, calls, now = Date.now }: RecorderOptions): Recorder {
  const ended = new AbortController();
  const { signal } = ended;
  const known = new KnownServers();
  const listeners = new Set<(happening: Happening) => void>();
  const tell = (happening: Happening): void => {
    for (const listener of listeners) listener(happening);
  };
  const calling = calls.onCall((call) => tell({ type: 'call', call }));

  const remember = (row: ServerRow): void => {
    const news = known.remember(row, now());
    if (news) tell({ type: 'server', ...news });
  };
  const follow = async (): Promise<void> => {
    for await (const { server, row } of control.events({ signal })) {
      if (row) remember(row);
      else {
        known.forget(server);
        tell({ type: 'server-removed', name: server });
      }
    }
  };
  follow().catch(() => undefined); // it ends with the servers, or with this

  let toldFleet = '';
  /** No event tells of changes in a fleet, so each look compares it with the one before. */
  const tellFleet = (report: FleetReport | undefined): void => {
    const fleet = report ? fleetView(report) : null;
    const text = report ? JSON.stringify(fleet) : '';
    if (text !== toldFleet) tell({ type: 'fleet', fleet });
    toldFleet = text;
  };
  const look = async () => {
    const [{ servers, fleet }, daemon] = await Promise.all([
      control.status({ signal }),
      control.daemonInfo({ signal }),
    ]);
    return { servers, fleet, daemon: daemon && daemonView(daemon) };
  };

  return {
    snapshot: async () => {
      const { servers, fleet, daemon } = await look();
      const at = now();
      return {
        at,
        daemon,
        ...(fleet && { fleet: fleetView(fleet) }),
        servers: servers.map((row) => known.view(row, at)),
        samples: known.samples,
        calls: calls.list(),
      };
    },
    sample: async () => {
      const { servers, fleet, daemon } = await look();
      tellFleet(fleet);
      for (const row of servers) remember(row);
      if (daemon) tell({ type: 'daemon', daemon });
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
