import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import { type HttpAnswer, refuse } from '../server/http-answers.js';
import type { HttpAsk } from '../server/http-ask.js';

/** Carries the marks of all gateways that a request, or the list that it requests, may have passed. */
const HEADER = 'x-mcp-gateways';
const MARK = /^[0-9a-f]{16}\.[0-9a-f]{32}$/;
/** Maximum number of marks in a header, including the sender's own. */
const MAX_MARKS = 64;
/** Maximum number of callers whose marks are kept; the one with the oldest mark is evicted. */
const MAX_CALLERS = 200;
/** Time after its last request during which a gateway counts as a client, in milliseconds. */
const CLIENT_MS = 600_000;
const MAX_ORIGINS = 1_000;

/**
 * Detects a gateway that is a server of itself, directly or through others. The gateway marks its requests with a
 * digest of its own secret, passes on the marks of its client gateways, and refuses its own mark. The own mark differs
 * for each origin. Passed-on marks are the same for all origins: servers that receive them can infer that they share a
 * client.
 *
 * A header starts with the sender's own mark, then those of its direct clients, then those that they passed on, newest
 * first. Marks beyond the limit are left out; callers take turns, so many marks of one caller cost another one none.
 * Two gateways therefore detect that they are servers of each other as long as neither has more than 63 gateways as
 * clients at a time, or more than 63 callers that are gateways; a longer loop can go undetected if its gateways have
 * more than 63 clients together.
 */
export class RequestPath {
  readonly #own = new BoundedMap<string, string>(MAX_ORIGINS);
  readonly #callers = new BoundedMap<string, CallerMarks>(MAX_CALLERS);
  #secret: string | undefined;

  /** Headers of requests to the servers of one origin. */
  headersFor(origin: string): Readonly<Record<string, string>> {
    const own = this.#own.get(origin) ?? this.#mark(randomSalt());
    this.#own.renew(origin, own);
    const earliest = performance.now() - CLIENT_MS;
    const newest = (marks: ReadonlyMap<string, number>) =>
      Array.from(marks)
        .flatMap(([mark, seenAt]) => (seenAt > earliest ? [mark] : []))
        .reverse();
    const callers = Array.from(this.#callers.values()).reverse();
    const direct = inTurns(callers.map(({ senders }) => newest(senders)));
    const marks = new Set([own, ...direct, ...inTurns(callers.map(({ passedOn }) => newest(passedOn)))]);
    return { [HEADER]: Array.from(marks).slice(0, MAX_MARKS).join(', ') };
  }

  /**
   * The refusal of a request that has passed this gateway; records the marks of others.
   *
   * @param caller - Its id.
   */
  refusal(ask: HttpAsk, caller: string): HttpAnswer | undefined {
    const marks = (ask.header(HEADER) ?? '').split(', ', MAX_MARKS).filter((mark) => MARK.test(mark));
    if (marks.some((mark) => this.#mark(mark.slice(0, 16)) === mark)) {
      return refuse(508, 'This URL leads back to the gateway that asks: take it out of the servers of the gateway');
    }
    const [sender, ...others] = marks;
    if (sender === undefined) return undefined;
    const { senders, passedOn } = this.#callers.get(caller) ?? new CallerMarks();
    this.#callers.renew(caller, { senders, passedOn });
    for (const mark of others.reverse()) passedOn.renew(mark, performance.now());
    senders.renew(sender, performance.now());
    return undefined;
  }

  #mark(salt: string): string {
    // Created on first use: some runtimes have no random numbers before the first request.
    this.#secret ??= crypto.randomUUID();
    return `${salt}.${bytesToHex(sha256Of(`${salt} ${this.#secret}`)).slice(0, 32)}`;
  }
}

/** Last time of each mark, by caller. */
class CallerMarks {
  readonly senders = new BoundedMap<string, number>(MAX_MARKS - 1);
  /** Of the clients' own clients, which must not displace a direct one. */
  readonly passedOn = new BoundedMap<string, number>(MAX_MARKS - 1);
}

/** The first of each list, then the second of each, up to the limit of a header. */
function inTurns(lists: readonly (readonly string[])[]): readonly string[] {
  const marks: string[] = [];
  for (let turn = 0; turn < MAX_MARKS && marks.length < MAX_MARKS; turn++) {
    for (const list of lists) if (turn < list.length) marks.push(list[turn] as string);
  }
  return marks;
}

function randomSalt(): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(8)));
}
