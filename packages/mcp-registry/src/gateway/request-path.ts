import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import { type HttpAnswer, refuse } from '../server/http-answers.js';
import type { HttpAsk } from '../server/http-ask.js';

/** Holds the marks of all gateways that a request, or the list that it asks for, may have come through. */
const HEADER = 'x-mcp-gateways';
const MARK = /^[0-9a-f]{16}\.[0-9a-f]{32}$/;
/** Most marks of other gateways that are passed on. */
const MAX_MARKS = 64;
/** How long a gateway that sends no more requests counts as a client, in milliseconds. */
const CLIENT_MS = 600_000;
const MAX_ORIGINS = 1_000;

/**
 * Finds a gateway that is a server of itself, directly or through others. The gateway marks what it sends with a digest of
 * its own secret, passes on the marks of the gateways that are its clients, and refuses what has its own mark. The mark is
 * another one for each origin, so that two servers cannot tell that they have the same client.
 */
export class RequestPath {
  readonly #own = new BoundedMap<string, string>(MAX_ORIGINS);
  /** When each mark was seen last. */
  readonly #clients = new BoundedMap<string, number>(MAX_MARKS);
  #secret: string | undefined;

  /** What requests to the servers of one origin are sent with. */
  headersFor(origin: string): Readonly<Record<string, string>> {
    const own = this.#own.get(origin) ?? this.#mark(randomSalt());
    this.#own.renew(origin, own);
    const earliest = performance.now() - CLIENT_MS;
    const clients = Array.from(this.#clients).flatMap(([mark, seenAt]) => (seenAt > earliest ? [mark] : []));
    return { [HEADER]: [own, ...clients].join(', ') };
  }

  /** The answer to a request that came through this gateway already; the marks of others are noted. */
  refusal(ask: HttpAsk): HttpAnswer | undefined {
    const marks = (ask.header(HEADER) ?? '').split(', ', MAX_MARKS + 1).filter((mark) => MARK.test(mark));
    if (marks.some((mark) => this.#mark(mark.slice(0, 16)) === mark)) {
      return refuse(508, 'This URL leads back to the gateway that asks: take it out of the servers of the gateway');
    }
    for (const mark of marks) this.#clients.renew(mark, performance.now());
    return undefined;
  }

  #mark(salt: string): string {
    // Made at first use: some runtimes have no random numbers before the first request.
    this.#secret ??= crypto.randomUUID();
    return `${salt}.${bytesToHex(sha256Of(`${salt} ${this.#secret}`)).slice(0, 32)}`;
  }
}

function randomSalt(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(8)));
}
