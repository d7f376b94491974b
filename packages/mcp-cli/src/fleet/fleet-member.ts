import { pause, sequence, unlessAborted } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import { codeOf } from '@x/internal/files';
import type { Fleet, FleetBus } from '@x/mcp-fleet';
import type { Stack } from '../compose.js';
import { ControlError } from '../control/control-error.js';
import type { JoinReport } from '../control/reports.js';
import { authorizeCall } from './authorize-call.js';
import { isFleetFailure } from './fleet-errors.js';
import { type FleetAlarm, type FleetReport, nodesOf } from './fleet-report.js';
import { deleteMembership, isSameMembership, loadMembership, type Membership, storeMembership } from './membership.js';

/** Time after which a join continues in the background, in milliseconds: longer than a dead node keeps its name. */
const joinMs = 30_000;
/** Delay before unreadable files are read again, in milliseconds. */
const retryMs = 30_000;
const maxAlarms = 20;

interface FleetMemberOptions {
  readonly stack: Pick<Stack, 'config' | 'registry' | 'setFleet'>;
  /** File of the membership; `undefined`: it is not stored. */
  readonly file: string | undefined;
  /** Longest wait of `join` for the fleet in milliseconds. Default 30 000. */
  readonly joinMs?: number;
  readonly log: (line: string) => void;
}

interface JoinOptions {
  /** `false`: continues in the background. Default `true`. */
  readonly wait?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The daemon as a node of a fleet, or of none. Stores the membership, to join again after a restart. */
export class FleetMember implements AsyncDisposable {
  readonly #options: Required<FleetMemberOptions>;
  #active: ActiveMembership | undefined;
  readonly #inSequence = sequence();

  constructor({ joinMs: ms = joinMs, ...options }: FleetMemberOptions) {
    this.#options = { joinMs: ms, ...options };
  }

  /** `undefined` without a fleet. */
  get report(): FleetReport | undefined {
    return this.#active?.report;
  }

  get fleet(): Fleet | undefined {
    return this.#active?.fleet;
  }

  /** Joins the fleet of the stored membership, if any, in the background. */
  async resume(): Promise<void> {
    const { file, log } = this.#options;
    try {
      const membership = await loadMembership(file);
      if (membership !== undefined) await this.#begin(membership).offer();
    } catch (error) {
      log(`no fleet is joined: ${messageOf(error)}`);
    }
  }

  /**
   * Joins a fleet and stores the membership. Keeps trying while servers cannot be reached; throws failures that a
   * person has to fix.
   *
   * @throws {ControlError} `in-another-fleet`.
   * @throws {FleetError} `forbidden`, `unsuitable-bus`, `node-taken`.
   */
  join(membership: Membership, options: JoinOptions = {}): Promise<JoinReport> {
    return this.#inSequence(() => this.#join(membership, options));
  }

  /** @returns The fleet that it has left; `undefined`: it was in none. */
  leave(): Promise<Membership | undefined> {
    return this.#inSequence(async () => {
      const { file, log } = this.#options;
      const active = this.#active;
      await deleteMembership(file);
      if (active === undefined) return undefined;
      await this.#end();
      log(`left the fleet ${active.membership.fleet}`);
      return active.membership;
    });
  }

  /** Releases its name and its singletons. The membership stays stored. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#active?.stop(new Error('the daemon is about to end'));
    await this.#inSequence(() => this.#end());
  }

  async #join(membership: Membership, { wait = true, signal }: JoinOptions): Promise<JoinReport> {
    const { file, joinMs: ms } = this.#options;
    const known = this.#active;
    const isSame = known !== undefined && isSameMembership(known.membership, membership);
    if (known?.hasJoined && !isSame) throw inAnotherFleet(known.membership);
    // A repeated join retries a permanent failure, and replaces a membership that never succeeded.
    if (known?.report.phase === 'failed' || !isSame) await this.#end();
    const active = this.#active ?? this.#begin(membership);
    try {
      const waitingFor = wait ? await active.joined(ms, signal) : undefined;
      await storeMembership(file, membership);
      await active.offer();
      return { report: active.report, ...(waitingFor !== undefined && { waitingFor }) };
    } catch (error) {
      if (known === undefined || known !== active) await this.#end();
      throw error;
    }
  }

  #begin(membership: Membership): ActiveMembership {
    this.#active = new ActiveMembership(membership, this.#options);
    return this.#active;
  }

  async #end(): Promise<void> {
    const active = this.#active;
    if (active === undefined) return;
    await active.end();
    this.#active = undefined;
  }
}

/** One membership from its request to its end. */
class ActiveMembership {
  readonly membership: Membership;
  readonly #options: Required<FleetMemberOptions>;
  readonly #ended = new AbortController();
  readonly #opening: Promise<Fleet>;
  readonly #alarms: FleetAlarm[] = [];
  #bus: FleetBus | undefined;
  #fleet: Fleet | undefined;
  #isOffered = false;
  #hasJoined = false;
  /** Reason why there is no connection to the bus. */
  #failure: unknown;
  #onFailure: () => void = () => undefined;

  constructor(membership: Membership, options: Required<FleetMemberOptions>) {
    this.membership = membership;
    this.#options = options;
    this.#opening = this.#open();
    this.#opening.catch(() => undefined); // `joined` and the log report it
  }

  get fleet(): Fleet | undefined {
    return this.#fleet;
  }

  /** True once this node has been part of the fleet. */
  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  get report(): FleetReport {
    const { servers, fleet: name, node } = this.membership;
    const status = this.#fleet?.status();
    const error = status?.error ?? (status?.phase === 'joining' || status === undefined ? this.#failure : undefined);
    return {
      fleet: name,
      node,
      servers,
      phase: status?.phase ?? 'joining',
      isBusConnected: status?.isBusConnected ?? false,
      ...(error !== undefined && { error: { code: codeOf(error) ?? 'internal', message: messageOf(error) } }),
      nodes: status === undefined ? [] : nodesOf(status),
      singletons:
        status?.singletons.map(({ server, holder }) => ({ server, ...(holder !== undefined && { holder }) })) ?? [],
      alarms: this.#alarms,
    };
  }

  /**
   * Hands this node's servers to the fleet; singletons wait until their owner is known. Call it once the membership is
   * certain, because a refused node keeps its servers.
   */
  async offer(): Promise<void> {
    if (this.#isOffered) return;
    this.#isOffered = true;
    await this.#options.stack.setFleet(this.#fleet ?? 'expected');
  }

  /**
   * Waits until this node is part of the fleet, for `ms` at most.
   *
   * @returns The reason why it is not.
   * @throws A failure that a person has to fix.
   */
  async joined(ms: number, signal: AbortSignal | undefined): Promise<string | undefined> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(new Error('the time is over')), ms);
    const ended = AbortSignal.any([waiting.signal, this.#ended.signal, ...(signal ? [signal] : [])]);
    this.#onFailure = () => waiting.abort(this.#failure);
    if (this.#failure !== undefined) this.#onFailure();
    try {
      const fleet = await unlessAborted(this.#opening, ended);
      await fleet.whenJoined({ signal: ended });
      return undefined;
    } catch (error) {
      signal?.throwIfAborted();
      this.#ended.signal.throwIfAborted();
      if (!waiting.signal.aborted) throw error;
      if (this.#failure === undefined) return `the fleet did not respond within ${ms / 1_000} seconds`;
      if (isFleetFailure(this.#failure) && this.#failure.code === 'bus-down') return messageOf(this.#failure);
      throw this.#failure;
    } finally {
      clearTimeout(timer);
      this.#onFailure = () => undefined;
    }
  }

  stop(reason: Error): void {
    if (!this.#ended.signal.aborted) this.#ended.abort(reason);
  }

  async end(): Promise<void> {
    this.stop(new Error('the fleet was left'));
    await this.#opening.catch(() => undefined);
    // Singletons stop before the registry gets them back.
    await this.#fleet?.close().catch((error: unknown) => this.#options.log(messageOf(error)));
    if (this.#isOffered) await this.#options.stack.setFleet(undefined);
    await this.#bus?.close();
  }

  async #open(): Promise<Fleet> {
    const { stack, log } = this.#options;
    const { fleet: name, node } = this.membership;
    // Loaded late: daemons without a fleet do not need it.
    const [{ createFleet }, { openFleetBus }] = await Promise.all([
      import('@x/mcp-fleet'),
      import('./open-fleet-bus.js'),
    ]);
    this.#bus = await this.#openBus(openFleetBus);
    this.#ended.signal.throwIfAborted();
    const fleet = createFleet({ bus: this.#bus, node, authorize: authorizeCall(stack) });
    this.#fleet = fleet;
    fleet.events.on('joined', () => {
      this.#hasJoined = true;
      this.#failure = undefined;
      log(`joined the fleet ${name} as ${node}`);
    });
    fleet.events.on('bus-failed', ({ error }) => log(`the fleet ${name} cannot be reached: ${error.message}`));
    fleet.events.on('join-failed', ({ error }) => log(`no longer in the fleet ${name}: ${error.message}`));
    fleet.events.on('node-state', (change) => log(`node ${change.node} of the fleet is ${change.state}`));
    fleet.events.on('problem', ({ message, error }) =>
      log(`fleet: ${message}${error === undefined ? '' : `: ${messageOf(error)}`}`),
    );
    fleet.events.on('forbidden', (forbidden) => this.#recordAlarm(forbidden));
    if (this.#isOffered) await stack.setFleet(fleet);
    return fleet;
  }

  /** Repeated attempts are one alarm. */
  #recordAlarm({ operation, subject }: Omit<FleetAlarm, 'at'>): void {
    const alarms = this.#alarms;
    const known = alarms.findIndex((alarm) => alarm.operation === operation && alarm.subject === subject);
    if (known >= 0) alarms.splice(known, 1);
    else this.#options.log(`ALARM: the bus forbids this node to ${operation} ${subject}`);
    alarms.push({ at: Date.now(), operation, subject });
    if (alarms.length > maxAlarms) alarms.shift();
  }

  /** Retries unreadable files. Connections are retried by the bus itself. */
  async #openBus(open: typeof import('./open-fleet-bus.js')['openFleetBus']): Promise<FleetBus> {
    const { signal } = this.#ended;
    for (;;) {
      try {
        return await open(this.membership, { mustConnect: true, signal });
      } catch (error) {
        signal.throwIfAborted();
        this.#recordFailure(error);
        if (isFleetFailure(error)) return await open(this.membership, { mustConnect: false, signal });
      }
      await pause(retryMs, signal);
    }
  }

  #recordFailure(error: unknown): void {
    this.#failure = error;
    this.#options.log(`the fleet ${this.membership.fleet} is not joined yet: ${messageOf(error)}`);
    this.#onFailure();
  }
}

function inAnotherFleet({ fleet, node }: Membership): ControlError {
  return new ControlError('in-another-fleet', `This daemon belongs to the fleet "${fleet}" already, as "${node}".`, {
    hint: 'Run "mcpx fleet leave" first.',
  });
}
