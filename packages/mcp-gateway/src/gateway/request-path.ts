import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import { type HttpAnswer, refuse } from '../server/http-answers.js';
import type { HttpAsk } from '../server/http-ask.js';

/** Holds the marks of all gateways that a request, or the list that it asks for, may have come through. */
const HEADER = 'x-mcp-gateways';
const MARK = /^[0-9a-f]{16}\.[0-9a-f]{32}$/;
/** Most marks in a header, the sender's own among them. */
const MAX_MARKS = 64;
/** How long a gateway that sends no more requests counts as a client, in milliseconds. */
const CLIENT_MS = 600_000;
const MAX_ORIGINS = 1_000;

/**
 * Finds a gateway that is a server of itself, directly or through others. The gateway marks what it sends with a digest of
 * its own secret, passes on the marks of the gateways that are its clients, and refuses what has its own mark. The own mark is
 * another one for each origin. The marks that are passed on are the same for all origins: servers that receive them can tell
 * that they have the same client.
 *
 * A header starts with the sender's own mark, then those of its direct clients, then those that they passed on, newest first.
 * Marks past the limit are left out. So two gateways see that they are servers of each other while neither has more than 63
 * gateways as clients at a time; a longer loop can go unseen if its gateways have more than 63 clients together.
 */
export class RequestPath {
  readonly #own = new BoundedMap<string, string>(MAX_ORIGINS);
  /** When each mark was seen last. */
  readonly #clients = new BoundedMap<string, number>(MAX_MARKS - 1);
  /** The same of the clients' own clients, who must not push out a direct one. */
  readonly #passedOn = new BoundedMap<string, number>(MAX_MARKS - 1);
  #secret: string | undefined;

  /** What requests to the servers of one origin are sent with. */
  headersFor(origin: string): Readonly<Record<string, string>> {
    const own = this.#own.get(origin) ?? this.#mark(randomSalt());
    this.#own.renew(origin, own);
    const earliest = performance.now() - CLIENT_MS;
    const newest = (marks: ReadonlyMap<string, number>) =>
      Array.from(marks)
        .flatMap(([mark, seenAt]) => (seenAt > earliest ? [mark] : []))
        .reverse();
    const marks = new Set([own, ...newest(this.#clients), ...newest(this.#passedOn)]);
    return { [HEADER]: Array.from(marks).slice(0, MAX_MARKS).join(', ') };
  }

  /** The answer to a request that came through this gateway already; the marks of others are noted. */
  refusal(ask: HttpAsk): HttpAnswer | undefined {
    const marks = (ask.header(HEADER) ?? '').split(', ', MAX_MARKS).filter((mark) => MARK.test(mark));
    if (marks.some((mark) => this.#mark(mark.slice(0, 16)) === mark)) {
      return refuse(508, 'This URL leads back to the gateway that asks: take it out of the servers of the gateway');
    }
    const [sender, ...others] = marks;
    for (const mark of others.reverse()) this.#passedOn.renew(mark, performance.now());
    if (sender !== undefined) this.#clients.renew(sender, performance.now());
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
