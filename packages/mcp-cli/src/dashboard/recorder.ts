import { Listeners } from '@x/internal/events';
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
export function createRecorder(options: RecorderOptions): Recorder {
  return new ControlRecorder(options);
}

class ControlRecorder implements Recorder {
  readonly #control: RecorderOptions['control'];
  readonly #calls: CallHistory;
  readonly #now: () => number;
  readonly #known = new KnownServers();
  readonly #listeners = new Listeners<Happening>('happening');
  readonly #calling: Disposable;
  readonly #ended = new AbortController();
  #toldFleet = '';

  constructor({ control, calls, now = Date.now }: RecorderOptions) {
    this.#control = control;
    this.#calls = calls;
    this.#now = now;
    this.#calling = calls.onCall((call) => this.#tell({ type: 'call', call }));
    this.#follow().catch(() => undefined); // it ends with the servers, or with this
  }

  async snapshot(): Promise<Snapshot> {
    const { servers, fleet, daemon } = await this.#look();
    const at = this.#now();
    return {
      at,
      daemon,
      ...(fleet && { fleet: fleetView(fleet) }),
      servers: servers.map((row) => this.#known.view(row, at)),
      samples: this.#known.samples,
      calls: this.#calls.list(),
    };
  }

  async sample(): Promise<void> {
    const { servers, fleet, daemon } = await this.#look();
    this.#tellFleet(fleet);
    for (const row of servers) this.#remember(row);
    if (daemon) this.#tell({ type: 'daemon', daemon });
  }

  onHappening(listener: (happening: Happening) => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#ended.abort(new Error('the dashboard is closed'));
    this.#calling[Symbol.dispose]();
    this.#listeners.clear();
  }

  async #look() {
    const { signal } = this.#ended;
    const [{ servers, fleet }, daemon] = await Promise.all([
      this.#control.status({ signal }),
      this.#control.daemonInfo({ signal }),
    ]);
    return { servers, fleet, daemon: daemon && daemonView(daemon) };
  }

  async #follow(): Promise<void> {
    for await (const { server, row } of this.#control.events({ signal: this.#ended.signal })) {
      if (row) this.#remember(row);
      else {
        this.#known.forget(server);
        this.#tell({ type: 'server-removed', name: server });
      }
    }
  }

  #remember(row: ServerRow): void {
    const news = this.#known.remember(row, this.#now());
    if (news) this.#tell({ type: 'server', ...news });
  }

  /** No event tells of changes in a fleet, so each look compares it with the one before. */
  #tellFleet(report: FleetReport | undefined): void {
    const fleet = report ? fleetView(report) : null;
    const text = report ? JSON.stringify(fleet) : '';
    if (text !== this.#toldFleet) this.#tell({ type: 'fleet', fleet });
    this.#toldFleet = text;
  }

  #tell(happening: Happening): void {
    this.#listeners.tell(happening);
  }
}

function daemonView({ version, pid, startedAt, memoryBytes, configFiles }: DaemonInfo): DaemonView {
  return { version, pid, startedAt, memoryBytes, configFiles };
}
