import { unlessAborted, withResolvers } from '@x/internal/async';
import type { BucketChange, BucketWatcher, FleetBus } from '../bus.js';
import { leaseKey, parseKey } from '../catalog/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { isNodeName } from '../token.js';
import { NodeRemains } from './node-remains.js';

/** What there is to be taken away of a node that does not come back. */
export interface ForgetPlan {
  readonly node: string;
  /** When it gave its last sign of life, in milliseconds of the bus's clock; `undefined`: it has no lease any more. */
  readonly heardAtMs: number | undefined;
  /** Servers that it has told of. */
  readonly servers: readonly string[];
  /** Servers that the fleet runs once, and that the node is said to run. */
  readonly singletons: readonly string[];
  /** Its keys in the order in which they go, each as it was seen. Empty: the fleet knows of no such node. */
  readonly keys: readonly { readonly key: string; readonly revision: number }[];
}

/** Which node is to be looked for, and where. */
export interface PlanForgetOptions {
  /** Of anybody who may read the fleet's keys; who looks need not be a node. */
  readonly bus: FleetBus;
  readonly node: string;
  /** Called when it cannot be certain at once, with the longest wait in milliseconds: three heartbeats of the node. */
  readonly onWait?: ((longestMs: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds what a node has left in the fleet's keys, and makes sure that it is gone, by waiting for its next sign of life when
 * it may yet be there. Changes nothing.
 *
 * @throws {FleetError} `node-alive`, with when it was heard of; `bus-down`, `forbidden`, `closed`; or the signal's reason.
 * @throws {TypeError} That is no name of a node.
 */
export async function planForget({ bus, node, onWait, signal }: PlanForgetOptions): Promise<ForgetPlan> {
  if (!isNodeName(node))
    throw new TypeError(`node must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(node)}`);
  using lookout = new Lookout(node, onWait);
  using _events = bus.onEvent(({ type }) => {
    // Without the bus no sign of life can come, so that none has come says nothing.
    if (type === 'disconnected')
      lookout.giveUp(new FleetError('bus-down', `The bus was lost while ${node} was looked for`));
    if (type === 'closed') lookout.giveUp(new FleetError('closed', `The bus was closed while ${node} was looked for`));
  });
  using _watch = await bus.bucket.watch(lookout, signal === undefined ? {} : { signal });
  return await unlessAborted(lookout.plan, signal);
}

/** What is to be taken away, and with which rights. */
export interface ForgetOptions {
  /** Of somebody who may delete the keys of any node, such as the `administrator` of `natsAccountsConfig`. */
  readonly bus: FleetBus;
  readonly plan: ForgetPlan;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes away what a node has left in the fleet's keys, so that no node knows it any more. A node that comes back meanwhile
 * keeps what it has written since the plan was made, and writes all else anew by itself.
 *
 * @throws {FleetError} `node-alive`: it has come back. `forbidden`, with what the login has to be allowed. `bus-down`,
 *   `closed`; or the signal's reason: some keys may be gone by then, and it can be done again.
 */
export async function forgetNode({ bus, plan, signal }: ForgetOptions): Promise<void> {
  const { node } = plan;
  for (const { key, revision } of plan.keys) {
    // Claims, and what an earlier life has told, may stand unchanged when it is back. The lease, which goes first, tells.
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

/** @returns `false`: the node has written it anew. */
async function take(bus: FleetBus, { node, key, revision, signal }: OneKey): Promise<boolean> {
  try {
    await bus.bucket.delete(key, { revision, ...(signal && { signal }) });
    return true;
  } catch (error) {
    if (!isFleetError(error)) throw error;
    if (error.code === 'forbidden') throw forbiddenTo(node, error);
    if (error.code !== 'conflict') throw error;
    // A claim is another node's by now, and what has no value any more was taken away by somebody else.
    return parseKey(key)?.kind === 'singleton' || !(await has(bus, key, signal));
  }
}

async function has(bus: FleetBus, key: string, signal: AbortSignal | undefined): Promise<boolean> {
  return (await bus.bucket.get(key, signal === undefined ? {} : { signal })) !== undefined;
}

/** Watches the keys until it is certain whether the node is there. */
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
    this.plan.catch(() => undefined); // nobody may wait for it yet
  }

  /** Rejects when the node is there, and with what was given up for. */
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
  const message = `The node "${node}" is alive: it was heard of at ${new Date(heardAtMs).toISOString()}, by the clock of the bus. A node that is there leaves by itself`;
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
