import { unlessAborted, withResolvers } from '@x/internal/async';
import type { BucketChange, BucketWatcher, FleetBus } from '../bus.js';
import { leaseKey, parseKey } from '../catalogue/records.js';
import { FleetError, isFleetError } from '../errors.js';
import { isHostName } from '../token.js';
import { HostRemains } from './host-remains.js';

/** What there is to be taken away of a host that does not come back. */
export interface ForgetPlan {
  readonly host: string;
  /** When it gave its last sign of life, in milliseconds of the bus's clock; `undefined`: it has no lease any more. */
  readonly heardAtMs: number | undefined;
  /** Servers that it has told of. */
  readonly servers: readonly string[];
  /** Servers that the fleet runs once, and that the host is said to run. */
  readonly singletons: readonly string[];
  /** Its keys in the order in which they go, each as it was seen. Empty: the fleet knows of no such host. */
  readonly keys: readonly { readonly key: string; readonly revision: number }[];
}

/** Which host is to be looked for, and where. */
export interface PlanForgetOptions {
  /** Of anybody who may read the fleet's keys; who looks need not be a host. */
  readonly bus: FleetBus;
  readonly host: string;
  /** Called when it cannot be certain at once, with the longest wait in milliseconds: three heartbeats of the host. */
  readonly onWait?: ((longestMs: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds what a host has left in the fleet's keys, and makes sure that it is gone, by waiting for its next sign of life when
 * it may yet be there. Changes nothing.
 *
 * @throws {FleetError} `host-alive`, with when it was heard of; `bus-down`, `forbidden`, `closed`; or the signal's reason.
 * @throws {TypeError} That is no name of a host.
 */
export async function planForget({ bus, host, onWait, signal }: PlanForgetOptions): Promise<ForgetPlan> {
  if (!isHostName(host))
    throw new TypeError(`host must be 1 to 64 of A-Z a-z 0-9 _ - and not "fleet", got ${JSON.stringify(host)}`);
  using lookout = new Lookout(host, onWait);
  using _events = bus.onEvent(({ type }) => {
    // Without the bus no sign of life can come, so that none has come says nothing.
    if (type === 'disconnected')
      lookout.giveUp(new FleetError('bus-down', `The bus was lost while ${host} was looked for`));
    if (type === 'closed') lookout.giveUp(new FleetError('closed', `The bus was closed while ${host} was looked for`));
  });
  using _watch = await bus.bucket.watch(lookout, signal === undefined ? {} : { signal });
  return await unlessAborted(lookout.plan, signal);
}

/** What is to be taken away, and with which rights. */
export interface ForgetOptions {
  /** Of somebody who may delete the keys of any host, such as the `administrator` of `natsAccountsConfig`. */
  readonly bus: FleetBus;
  readonly plan: ForgetPlan;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes away what a host has left in the fleet's keys, so that no host knows it any more. A host that comes back meanwhile
 * keeps what it has written since the plan was made, and writes all else anew by itself.
 *
 * @throws {FleetError} `host-alive`: it has come back. `forbidden`, with what the login has to be allowed. `bus-down`,
 *   `closed`; or the signal's reason: some keys may be gone by then, and it can be done again.
 */
export async function forgetHost({ bus, plan, signal }: ForgetOptions): Promise<void> {
  const { host } = plan;
  for (const { key, revision } of plan.keys) {
    // Claims, and what an earlier life has told, may stand unchanged when it is back. The lease, which goes first, tells.
    const isBack = key !== leaseKey(host) && (await has(bus, leaseKey(host), signal));
    if (isBack || !(await take(bus, { host, key, revision, signal }))) throw hasComeBack(host);
  }
}

interface OneKey {
  readonly host: string;
  readonly key: string;
  readonly revision: number;
  readonly signal: AbortSignal | undefined;
}

/** @returns `false`: the host has written it anew. */
async function take(bus: FleetBus, { host, key, revision, signal }: OneKey): Promise<boolean> {
  try {
    await bus.bucket.delete(key, { revision, ...(signal && { signal }) });
    return true;
  } catch (error) {
    if (!isFleetError(error)) throw error;
    if (error.code === 'forbidden') throw forbiddenTo(host, error);
    if (error.code !== 'conflict') throw error;
    // A claim is another host's by now, and what has no value any more was taken away by somebody else.
    return parseKey(key)?.kind === 'singleton' || !(await has(bus, key, signal));
  }
}

async function has(bus: FleetBus, key: string, signal: AbortSignal | undefined): Promise<boolean> {
  return (await bus.bucket.get(key, signal === undefined ? {} : { signal })) !== undefined;
}

/** Watches the keys until it is certain whether the host is there. */
class Lookout implements BucketWatcher, Disposable {
  readonly #host: string;
  readonly #remains: HostRemains;
  readonly #verdict = withResolvers<ForgetPlan>();
  #onWait: PlanForgetOptions['onWait'];
  #isCurrent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: string, onWait: PlanForgetOptions['onWait']) {
    this.#host = host;
    this.#onWait = onWait;
    this.#remains = new HostRemains(host);
    this.plan.catch(() => undefined); // nobody may wait for it yet
  }

  /** Rejects when the host is there, and with what was given up for. */
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
    if (look.is === 'gone') this.#verdict.resolve(planOf(this.#host, this.#remains));
    else if (look.is === 'alive') this.#verdict.reject(alive(this.#host, look.heardAtMs));
    else {
      this.#onWait?.(look.restMs);
      this.#onWait = undefined;
      this.#timer = setTimeout(() => this.#look(), Math.max(1, look.restMs));
    }
  }
}

function planOf(host: string, { lease, entries }: HostRemains): ForgetPlan {
  const named = (wanted: 'server' | 'singleton') =>
    entries.flatMap(({ key }) => {
      const about = parseKey(key);
      return about?.kind === wanted ? [about.server] : [];
    });
  return {
    host,
    heardAtMs: lease?.writtenAtMs,
    servers: named('server'),
    singletons: named('singleton'),
    keys: entries.map(({ key, revision }) => ({ key, revision })),
  };
}

function alive(host: string, heardAtMs: number): FleetError {
  const message = `The host "${host}" is alive: it was heard of at ${new Date(heardAtMs).toISOString()}, by the clock of the bus. A host that is there leaves by itself`;
  return new FleetError('host-alive', message, { host });
}

function hasComeBack(host: string): FleetError {
  return new FleetError('host-alive', `The host "${host}" is alive: it has come back, and keeps what it has`, { host });
}

function forbiddenTo(host: string, cause: FleetError): FleetError {
  const needed = `a login that may write lease.${host}, server.${host}.> and singleton.>, as an administrator of the fleet may, and ${host} itself`;
  return new FleetError(
    'forbidden',
    `What "${host}" has left cannot be taken away with this login: ${cause.message}. It takes ${needed}`,
    {
      host,
      cause,
    },
  );
}
