import { GatewayClients } from './gateway-clients.js';
import { LogLevels } from './log-levels.js';
import { LoopDetector } from './loop-detector.js';
import { Subscriptions } from './subscriptions/upstream-subscriptions.js';
import type { GatewayUpstreams, ReportProblem } from './upstream.js';

/** What gateways in front of the same servers share: state on a server's connection is that of all their clients. */
export class SharedUpstreams {
  static readonly #known = new WeakMap<GatewayUpstreams['events'], SharedUpstreams>();
  readonly clients = new GatewayClients();
  readonly subscriptions: Subscriptions;
  readonly levels: LogLevels;
  readonly path = new LoopDetector();
  readonly #reporters = new Set<ReportProblem>();
  readonly #events: GatewayUpstreams['events'];
  readonly #marking: Disposable | undefined;

  private constructor(upstreams: GatewayUpstreams) {
    const report: ReportProblem = (problem) => {
      for (const reporter of this.#reporters) reporter(problem);
    };
    this.subscriptions = new Subscriptions(report);
    this.levels = new LogLevels(report);
    this.#events = upstreams.events;
    this.#marking = upstreams.sendHeaders?.((origin) => this.path.headersFor(origin));
  }

  /**
   * Joins the gateways of these servers, which have the same `events`, until `leave`.
   *
   * @param onProblem - Receives the failures that concern all of them.
   */
  static join(upstreams: GatewayUpstreams, onProblem: ReportProblem): SharedUpstreams {
    const { events } = upstreams;
    const shared = SharedUpstreams.#known.get(events) ?? new SharedUpstreams(upstreams);
    SharedUpstreams.#known.set(events, shared);
    shared.#reporters.add(onProblem);
    return shared;
  }

  leave(onProblem: ReportProblem): void {
    this.#reporters.delete(onProblem);
    if (this.#reporters.size > 0) return;
    SharedUpstreams.#known.delete(this.#events);
    this.#marking?.[Symbol.dispose]();
    this.subscriptions.close();
  }
}
