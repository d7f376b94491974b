import { unlessAborted, withResolvers } from '@x/internal/async';
import { optionTable } from '@x/internal/options';
import type { BucketChange, BucketWatcher, FleetBus } from '../bus.js';
import { leaseKey, parseKey } from '../catalog/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { busFault } from '../options.js';
import { isNodeName } from '../token.js';
import { NodeRecords } from './node-records.js';

/** Records of a lost node that `forgetNode` deletes. */
export interface ForgetPlan {
  readonly node: string;
  /** Last heartbeat in milliseconds on the bus's clock; `undefined` without a lease. */
  readonly heardAtMs: number | undefined;
  readonly servers: readonly string[];
  /** Singletons whose record names the node as holder. */
  readonly singletons: readonly string[];
  /** Keys in the order of deletion. Empty for an unknown node. */
  readonly keys: readonly { readonly key: string; readonly revision: number }[];
}

/** Options of `planForget`. */
export interface PlanForgetOptions {
  /** Bus with read access to the fleet's keys. */
  readonly bus: FleetBus;
  readonly node: string;
  /** Called before a wait, with its longest duration in milliseconds: three heartbeats. */
  readonly onWait?: ((longestMs: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const planOptions = optionTable<PlanForgetOptions>()({
  bus: { kind: 'other', required: true, check: busFault },
  node: { kind: 'other' },
  onWait: { kind: 'function' },
  signal: { kind: 'signal' },
});

/**
 * Finds the records of a node and verifies that it is gone; waits for a heartbeat if its lease may still be valid.
 * Changes nothing.
 *
 * @throws {FleetError} `node-alive`, with the time of its last heartbeat; `bus-down`, `forbidden`, `closed`; or the
 *   signal's reason.
 * @throws {TypeError} The node name is invalid.
 */
export async function planForget(options: PlanForgetOptions): Promise<ForgetPlan> {
  const { bus, node, onWait, signal } = planOptions.read(options);
  if (!isNodeName(node))
    throw new TypeError(`node must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(node)}`);
  using check = new GoneCheck(node, onWait);
  using _events = bus.onEvent(({ type }) => {
    // Heartbeats need the bus; silence without it proves nothing.
    if (type === 'disconnected')
      check.giveUp(new FleetError('bus-down', `The bus was lost during the check of the node "${node}"`));
    if (type === 'closed')
      check.giveUp(new FleetError('closed', `The bus was closed during the check of the node "${node}"`));
  });
  using _watch = await bus.bucket.watch(check, signal === undefined ? {} : { signal });
  return await unlessAborted(check.plan, signal);
}

/** Options of `forgetNode`. */
export interface ForgetOptions {
  /** Bus that may delete any node's keys, such as the `administrator` of `natsAccountsConfig`. */
  readonly bus: FleetBus;
  readonly plan: ForgetPlan;
  readonly signal?: AbortSignal | undefined;
}

const forgetOptions = optionTable<ForgetOptions>()({
  bus: { kind: 'other', required: true, check: busFault },
  plan: { kind: 'other', required: true, check: planFault },
  signal: { kind: 'signal' },
});

function planFault(plan: unknown): string | undefined {
  return Array.isArray(Object(plan).keys) ? undefined : 'the result of await planForget(…)';
}

/**
 * Deletes the records of a lost node. A node that comes back meanwhile keeps newer records and restores the others.
 *
 * @throws {FleetError} `node-alive`: it has come back. `forbidden`, with the needed permissions. After `bus-down`,
 *   `closed` or the signal's reason some keys may be deleted; repeat the call.
 */
export async function forgetNode(options: ForgetOptions): Promise<void> {
  const { bus, plan, signal } = forgetOptions.read(options);
  const { node } = plan;
  for (const { key, revision } of plan.keys) {
    // A node that came back may leave other keys unchanged, but it writes its lease, which is deleted first.
    const isBack = key !== leaseKey(node) && (await has(bus, leaseKey(node), signal));
    if (isBack || !(await deleteRecord(bus, { node, key, revision, signal }))) throw hasComeBack(node);
  }
}

interface OneKey {
  readonly node: string;
  readonly key: string;
  readonly revision: number;
  readonly signal: AbortSignal | undefined;
}

async function deleteRecord(bus: FleetBus, { node, key, revision, signal }: OneKey): Promise<boolean> {
  try {
    await bus.bucket.delete(key, { revision, ...(signal && { signal }) });
    return true;
  } catch (error) {
    if (!isFleetError(error)) throw error;
    if (error.code === 'forbidden') throw forbiddenTo(node, error);
    if (error.code !== 'conflict') throw error;
    // A changed singleton key belongs to another node, and a missing key is already deleted.
    return parseKey(key)?.kind === 'singleton' || !(await has(bus, key, signal));
  }
}

async function has(bus: FleetBus, key: string, signal: AbortSignal | undefined): Promise<boolean> {
  return (await bus.bucket.get(key, signal === undefined ? {} : { signal })) !== undefined;
}

class GoneCheck implements BucketWatcher, Disposable {
  readonly #node: string;
  readonly #records: NodeRecords;
  readonly #verdict = withResolvers<ForgetPlan>();
  #onWait: PlanForgetOptions['onWait'];
  #isCurrent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(node: string, onWait: PlanForgetOptions['onWait']) {
    this.#node = node;
    this.#onWait = onWait;
    this.#records = new NodeRecords(node);
    this.plan.catch(() => undefined); // avoids an unhandled rejection before `plan` is awaited
  }

  get plan(): Promise<ForgetPlan> {
    return this.#verdict.promise;
  }

  onStart(): void {
    this.#isCurrent = false;
    clearTimeout(this.#timer);
    this.#records.start();
  }

  onEntry(change: BucketChange): void {
    this.#records.apply(change, performance.now());
    if (this.#isCurrent) this.#check();
  }

  onCurrent(): void {
    this.#isCurrent = true;
    this.#check();
  }

  giveUp(error: FleetError): void {
    this.#verdict.reject(error);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    clearTimeout(this.#timer);
    const liveness = this.#records.liveness(performance.now());
    if (liveness.is === 'gone') this.#verdict.resolve(planOf(this.#node, this.#records));
    else if (liveness.is === 'alive') this.#verdict.reject(alive(this.#node, liveness.heardAtMs));
    else {
      this.#onWait?.(liveness.remainingMs);
      this.#onWait = undefined;
      this.#timer = setTimeout(() => this.#check(), Math.max(1, liveness.remainingMs));
    }
  }
}

function planOf(node: string, { lease, entries }: NodeRecords): ForgetPlan {
  const named = (wanted: 'server' | 'singleton') =>
    entries.flatMap(({ key }) => {
      const about = parseKey(key);
      return about?.kind === wanted ? [about.server] : [];
    });
  return {
    node,
    heardAtMs: lease?.writtenAtMs,
    servers: named('server'),
    singletons: named('singleton'),
    keys: entries.map(({ key, revision }) => ({ key, revision })),
  };
}

function alive(node: string, heardAtMs: number): FleetError {
  const message = `The node "${node}" is alive: it was heard of at ${new Date(heardAtMs).toISOString()}, by the clock of the bus. A live node must leave by itself`;
  return new FleetError('node-alive', message, { node });
}

function hasComeBack(node: string): FleetError {
  return new FleetError('node-alive', `The node "${node}" is alive: it has come back and keeps its records`, { node });
}

function forbiddenTo(node: string, cause: FleetError): FleetError {
  const needed = `a login that may write lease.${node}, server.${node}.> and singleton.>, as an administrator of the fleet may, and ${node} itself`;
  return new FleetError(
    'forbidden',
    `The records of "${node}" cannot be deleted with this login: ${cause.message}. It takes ${needed}`,
    {
      node,
      cause,
    },
  );
}
