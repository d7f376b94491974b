import { unlessAborted, withResolvers } from '@x/internal/async';
import type { BucketChange, BucketWatcher, FleetBus } from '../bus.js';
import { leaseKey, parseKey } from '../catalog/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { isNodeName } from '../token.js';
import { NodeRemains } from './node-remains.js';

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

/**
 * Finds the records of a node and verifies that it is gone; waits for a heartbeat if its lease may still be valid.
 * Changes nothing.
 *
 * @throws {FleetError} `node-alive`, with the time of its last heartbeat; `bus-down`, `forbidden`, `closed`; or the
 *   signal's reason.
 * @throws {TypeError} The node name is invalid.
 */
export async function planForget({ bus, node, onWait, signal }: PlanForgetOptions): Promise<ForgetPlan> {
  if (!isNodeName(node))
    throw new TypeError(`node must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(node)}`);
  using lookout = new Lookout(node, onWait);
  using _events = bus.onEvent(({ type }) => {
    // Heartbeats need the bus; silence without it proves nothing.
    if (type === 'disconnected')
      lookout.giveUp(new FleetError('bus-down', `The bus was lost during the check of the node "${node}"`));
    if (type === 'closed')
      lookout.giveUp(new FleetError('closed', `The bus was closed during the check of the node "${node}"`));
  });
  using _watch = await bus.bucket.watch(lookout, signal === undefined ? {} : { signal });
  return await unlessAborted(lookout.plan, signal);
}

/** Options of `forgetNode`. */
export interface ForgetOptions {
  /** Bus that may delete any node's keys, such as the `administrator` of `natsAccountsConfig`. */
  readonly bus: FleetBus;
  readonly plan: ForgetPlan;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes the records of a lost node. A node that comes back meanwhile keeps newer records and restores the others.
 *
 * @throws {FleetError} `node-alive`: it has come back. `forbidden`, with the needed permissions. After `bus-down`,
 *   `closed` or the signal's reason some keys may be deleted; repeat the call.
 */
export async function forgetNode({ bus, plan, signal }: ForgetOptions): Promise<void> {
  const { node } = plan;
  for (const { key, revision } of plan.keys) {
    // A node that came back may leave other keys unchanged, but it writes its lease, which is deleted first.
    const isBack = key !== leaseKey(node) && (await has(bus, leaseKey(node), signal));
    if (isBack || !(await take(bus, { node, key, revision, signal }))) throw hasComeBack(node);
  }
}

interface OneKey {
  readonly node: string;
  readonly key: string;
  readonly revision: number;
  readonly signal: AbortSignal | undefined;
}

async function take(bus: FleetBus, { node, key, revision, signal }: OneKey): Promise<boolean> {
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

class Lookout implements BucketWatcher, Disposable {
  readonly #node: string;
  readonly #remains: NodeRemains;
  readonly #verdict = withResolvers<ForgetPlan>();
  #onWait: PlanForgetOptions['onWait'];
  #isCurrent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(node: string, onWait: PlanForgetOptions['onWait']) {
    this.#node = node;
    this.#onWait = onWait;
    this.#remains = new NodeRemains(node);
    this.plan.catch(() => undefined); // avoids an unhandled rejection before `plan` is awaited
  }

  get plan(): Promise<ForgetPlan> {
    return this.#verdict.promise;
  }

  onStart(): void {
    this.#isCurrent = false;
    clearTimeout(this.#timer);
    this.#remains.start();
  }

  onEntry(change: BucketChange): void {
    this.#remains.take(change, performance.now());
    if (this.#isCurrent) this.#look();
  }

  onCurrent(): void {
    this.#isCurrent = true;
    this.#look();
  }

  giveUp(error: FleetError): void {
    this.#verdict.reject(error);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    clearTimeout(this.#timer);
    const look = this.#remains.look(performance.now());
    if (look.is === 'gone') this.#verdict.resolve(planOf(this.#node, this.#remains));
    else if (look.is === 'alive') this.#verdict.reject(alive(this.#node, look.heardAtMs));
    else {
      this.#onWait?.(look.restMs);
      this.#onWait = undefined;
      this.#timer = setTimeout(() => this.#look(), Math.max(1, look.restMs));
    }
  }
}

function planOf(node: string, { lease, entries }: NodeRemains): ForgetPlan {
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
  return new FleetError('node-alive', `The node "${node}" is alive: it has come back, and keeps what it has`, { node });
}

function forbiddenTo(node: string, cause: FleetError): FleetError {
  const needed = `a login that may write lease.${node}, server.${node}.> and singleton.>, as an administrator of the fleet may, and ${node} itself`;
  return new FleetError(
    'forbidden',
    `What "${node}" has left cannot be taken away with this login: ${cause.message}. It takes ${needed}`,
    {
      node,
      cause,
    },
  );
}
