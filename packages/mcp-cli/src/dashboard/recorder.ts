import { Listeners } from '@x/internal/events';
import type { Control } from '../control/control.js';
import type { ApprovalReport, DaemonInfo, ServerRow } from '../control/reports.js';
import type { FleetReport } from '../fleet/fleet-report.js';
import type { CallHistory } from './call-history.js';
import type { CallRecords } from './call-records.js';
import { KnownServers } from './known-servers.js';
import type {
  ApprovalView,
  CallView,
  DaemonView,
  FleetView,
  RecordingView,
  Sample,
  ServerView,
  Snapshot,
} from './page-messages.js';
import { approvalViews, fleetView, truncate } from './page-views.js';

const maxProblemLength = 2_000;
/** Interval of samples without an open page: one takes a few milliseconds of processor time. */
const sampleMs = 60_000;

export interface Recorder extends Disposable {
  snapshot(): Promise<Snapshot>;
  /** Reads facts that no event reports, such as memory. */
  sample(): Promise<void>;
  onEvent(listener: (event: LiveEvent) => void): Disposable;
}

export type LiveEvent =
  | { readonly type: 'server'; readonly server: ServerView; readonly sample?: Sample | undefined }
  | { readonly type: 'server-removed'; readonly name: string }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'approvals'; readonly approvals: readonly ApprovalView[] }
  | { readonly type: 'recording'; readonly recording: RecordingView }
  | { readonly type: 'daemon'; readonly daemon: DaemonView }
  /** `null`: the daemon belongs to no fleet any more. */
  | { readonly type: 'fleet'; readonly fleet: FleetView | null };

/** The calls that wait for an approval. */
export interface WaitingCalls {
  list(): Promise<readonly ApprovalReport[]>;
  onChange(listener: () => void): Disposable;
}

interface RecorderOptions {
  readonly control: Pick<Control, 'events' | 'status' | 'daemonInfo'>;
  readonly calls: CallHistory;
  /** Default: no call waits for an approval. */
  readonly approvals?: WaitingCalls | undefined;
  /** Default: calls cannot be recorded. */
  readonly recording?: Pick<CallRecords, 'view' | 'onChange'> | undefined;
  /** In milliseconds since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Records servers and calls until disposed. */
export function createRecorder(options: RecorderOptions): Recorder {
  return new ControlRecorder(options);
}

class ControlRecorder implements Recorder {
  readonly #control: RecorderOptions['control'];
  readonly #calls: CallHistory;
  readonly #now: () => number;
  readonly #known = new KnownServers();
  readonly #listeners = new Listeners<LiveEvent>('live event');
  readonly #calling: Disposable;
  readonly #approvals: WaitingCalls | undefined;
  readonly #waiting: Disposable | undefined;
  readonly #recording: RecorderOptions['recording'];
  readonly #recordings: Disposable | undefined;
  readonly #ended = new AbortController();
  readonly #sampling: NodeJS.Timeout;
  #lastFleet = '';

  constructor({ control, calls, approvals, recording, now = Date.now }: RecorderOptions) {
    this.#control = control;
    this.#calls = calls;
    this.#now = now;
    this.#calling = calls.onCall((call) => this.#emit({ type: 'call', call }));
    this.#approvals = approvals;
    this.#waiting = approvals?.onChange(() => void this.#updateApprovals().catch(() => undefined));
    this.#recording = recording;
    this.#recordings = recording?.onChange((view) => this.#emit({ type: 'recording', recording: view }));
    this.#follow().catch(() => undefined); // it ends with the servers or with this object
    // Open pages sample more often. The control may be ending.
    this.#sampling = setInterval(() => void this.sample().catch(() => undefined), sampleMs).unref();
  }

  async snapshot(): Promise<Snapshot> {
    const { servers, fleet, daemon } = await this.#read();
    const at = this.#now();
    return {
      at,
      daemon,
      ...(fleet && { fleet: fleetView(fleet) }),
      servers: servers.map((row) => this.#known.view(row, at)),
      samples: this.#known.samples,
      calls: this.#calls.list(),
      approvals: await this.#readApprovals(),
      ...(this.#recording && { recording: this.#recording.view }),
    };
  }

  async sample(): Promise<void> {
    const { servers, fleet, daemon } = await this.#read();
    this.#updateFleet(fleet);
    for (const row of servers) this.#updateServer(row);
    if (daemon) this.#emit({ type: 'daemon', daemon });
  }

  onEvent(listener: (event: LiveEvent) => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#ended.abort(new Error('the dashboard is closed'));
    clearInterval(this.#sampling);
    this.#calling[Symbol.dispose]();
    this.#waiting?.[Symbol.dispose]();
    this.#recordings?.[Symbol.dispose]();
    this.#listeners.clear();
  }

  async #read() {
    const { signal } = this.#ended;
    const [{ servers, fleet }, daemon] = await Promise.all([
      this.#control.status({ signal }),
      this.#control.daemonInfo({ signal }),
    ]);
    return { servers, fleet, daemon: daemon && daemonView(daemon) };
  }

  async #readApprovals(): Promise<readonly ApprovalView[]> {
    return approvalViews((await this.#approvals?.list()) ?? []);
  }

  async #updateApprovals(): Promise<void> {
    this.#emit({ type: 'approvals', approvals: await this.#readApprovals() });
  }

  async #follow(): Promise<void> {
    for await (const { server, row } of this.#control.events({ signal: this.#ended.signal })) {
      if (row) this.#updateServer(row);
      else {
        this.#known.remove(server);
        this.#emit({ type: 'server-removed', name: server });
      }
    }
  }

  #updateServer(row: ServerRow): void {
    const changes = this.#known.update(row, this.#now());
    if (changes) this.#emit({ type: 'server', ...changes });
  }

  /** No event reports changes of a fleet. */
  #updateFleet(report: FleetReport | undefined): void {
    const fleet = report ? fleetView(report) : null;
    const text = report ? JSON.stringify(fleet) : '';
    if (text !== this.#lastFleet) this.#emit({ type: 'fleet', fleet });
    this.#lastFleet = text;
  }

  #emit(event: LiveEvent): void {
    this.#listeners.tell(event);
  }
}

function daemonView(info: DaemonInfo): DaemonView {
  const { version, pid, startedAt, memoryBytes, configFiles, configReadAt, configProblem } = info;
  return {
    ...{ version, pid, startedAt, memoryBytes, configFiles, configReadAt },
    ...(configProblem !== undefined && { configProblem: truncate(configProblem, maxProblemLength) }),
  };
}
