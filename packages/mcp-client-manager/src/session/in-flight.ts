import { onAbort } from '@x/internal/async';
import type { HostUnderWay } from './host-under-way.js';
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
  /** Where the hosts of calls are that the server has. */
  readonly hosts: HostsUnderWay;
  /** Called whenever `count` has changed. */
  readonly onCount: () => void;
}

/** Requests that were begun and are not settled. All can be given up at once. */
export class InFlight {
  readonly #hosts: HostsUnderWay;
  readonly #onCount: () => void;
  readonly #giveUps = new Set<(reason: unknown) => void>();
  #count = 0;
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

  /** @param options.mayBeAsked - Whether the server may ask for something because of it. Default `true`. */
  async during<Result>(
    { signal, host }: Wanted,
    work: (request: InFlightRequest) => Promise<Result>,
    { mayBeAsked = true }: { readonly mayBeAsked?: boolean } = {},
  ): Promise<Result> {
    const isHostless = mayBeAsked && !host;
    const end = new AbortController();
    const giveUp = (reason: unknown): void => end.abort(reason);
    const ignoreSignal = onAbort(signal, () => giveUp(signal.reason));
    if (signal.aborted) giveUp(signal.reason);
    this.#giveUps.add(giveUp);
    this.#change(1, isHostless);
    if (isHostless) this.#hosts.enterHostless();
    const caller = host && this.#hosts.enter(host);
    try {
      return await work({ signal: end.signal, host: caller });
    } finally {
      caller?.leave(end.signal.aborted ? 'given-up' : 'answered');
      this.#giveUps.delete(giveUp);
      ignoreSignal();
      this.#change(-1, isHostless);
    }
  }

  giveUpAll(reason: unknown): void {
    for (const giveUp of [...this.#giveUps]) giveUp(reason);
  }

  #change(by: 1 | -1, isHostless: boolean): void {
    this.#count += by;
    if (isHostless) this.#hostless += by;
    this.#onCount();
  }
}
