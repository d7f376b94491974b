import { onAbort } from '@x/internal/async';
import type { CallHost } from './call-host.js';
import type { HostUnderWay, HowItEnded } from './host-under-way.js';
import type { HostsUnderWay } from './hosts-under-way.js';
import type { SessionRequestOptions } from './session.js';

/** What is wanted of a session, as far as its end and whom it is for are concerned. */
export type Wanted = Pick<SessionRequestOptions, 'signal' | 'host'>;

/** The same once it is under way. */
export interface InFlightRequest {
  /** Aborts when nobody waits for it any more, or when all are given up. */
  readonly signal: AbortSignal;
  readonly host: HostUnderWay | undefined;
}

export interface InFlightOptions {
  /** The hosts of what is under way. */
  readonly hosts: HostsUnderWay;
  /** Called with `count` whenever it has changed. */
  readonly onCount: (count: number) => void;
}

/** What one session works on, as its users see it: a call that takes several requests counts once. */
export class InFlight {
  readonly #hosts: HostsUnderWay;
  readonly #onCount: InFlightOptions['onCount'];
  readonly #giveUps = new Set<(reason: unknown) => void>();
  #count = 0;
  #toldCount = 0;
  /** Of those, the ones that are made for nobody in particular and may lead to questions all the same. */
  #hostless = 0;

  constructor({ hosts, onCount }: InFlightOptions) {
    this.#hosts = hosts;
    this.#onCount = onCount;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether there is one that is made for nobody in particular and may lead to questions all the same. */
  get hasHostless(): boolean {
    return this.#hostless > 0;
  }

  /**
   * Counts one more; `tell` and `end` must follow.
   * @param mayBeAsked - Whether the server may ask for something because of it.
   */
  begin(host: CallHost | undefined, mayBeAsked: boolean): HostUnderWay | undefined {
    this.#count += 1;
    if (host) return this.#hosts.enter(host);
    if (mayBeAsked) {
      this.#hostless += 1;
      this.#hosts.enterHostless();
    }
    return undefined;
  }

  /** @param host - What `begin` has returned. */
  end(host: HostUnderWay | undefined, mayBeAsked: boolean, how: HowItEnded): void {
    this.#count -= 1;
    if (host) host.leave(how);
    else if (mayBeAsked) this.#hostless -= 1;
    this.tell();
  }

  /** Tells the count, if it has changed. */
  tell(): void {
    if (this.#count === this.#toldCount) return;
    this.#toldCount = this.#count;
    this.#onCount(this.#count);
  }

  /** Counts `work`, which may take several requests, from now until it settles. */
  async during<Result>(
    { signal, host }: Wanted,
    work: (request: InFlightRequest) => Promise<Result>,
    { mayBeAsked = true }: { readonly mayBeAsked?: boolean } = {},
  ): Promise<Result> {
    const end = new AbortController();
    const giveUp = (reason: unknown): void => end.abort(reason);
    const ignoreSignal = onAbort(signal, () => giveUp(signal.reason));
    if (signal.aborted) giveUp(signal.reason);
    const ignoreGivingUp = this.onGivingUp(giveUp);
    const entered = this.begin(host, mayBeAsked);
    this.tell();
    try {
      return await work({ signal: end.signal, host: entered });
    } finally {
      ignoreGivingUp();
      ignoreSignal();
      this.end(entered, mayBeAsked, end.signal.aborted ? 'given-up' : 'answered');
    }
  }

  /** @returns Ends the listening. */
  onGivingUp(listener: (reason: unknown) => void): () => void {
    this.#giveUps.add(listener);
    return () => void this.#giveUps.delete(listener);
  }

  giveUpAll(reason: unknown): void {
    for (const giveUp of [...this.#giveUps]) giveUp(reason);
  }
}
