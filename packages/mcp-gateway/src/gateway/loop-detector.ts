import { bytesToHex } from '@noble/hashes/utils.js';
import { sha256Of } from '@x/internal/digests';
import { BoundedMap } from '@x/internal/limits';
import { type HttpRequest, type HttpResponse, refuse } from '../server/http-messages.js';

const HEADER = 'x-mcp-gateways';
const MARK = /^[0-9a-f]{16}\.[0-9a-f]{32}$/;
/** Marks per request, with the sender's own. */
const MAX_MARKS = 64;
/** Callers whose marks are kept. Evicts the one with the oldest mark. */
const MAX_CALLERS = 200;
/** Time after its last request during which a gateway counts as a client. */
const CLIENT_MS = 600_000;
const MAX_ORIGINS = 1_000;

/**
 * Detects a gateway that is a server of itself, directly or through others. The gateway marks its requests with a
 * digest of a secret, forwards the marks of its client gateways, and refuses its own mark, which differs for each
 * origin. Forwarded marks do not, so servers can infer that they share a client.
 *
 * A header has the sender's own mark, those of its direct clients, then those that they forwarded, newest first. Beyond
 * the limit, callers take turns, so one caller's marks do not displace another's. Two gateways that serve each other
 * are detected while neither has more than 63 client gateways, or 63 callers that are gateways. A longer loop may go
 * undetected if its gateways have more than 63 clients together.
 */
export class LoopDetector {
  readonly #own = new BoundedMap<string, string>(MAX_ORIGINS);
  readonly #callers = new BoundedMap<string, CallerMarks>(MAX_CALLERS);
  #secret: string | undefined;

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
   * Refuses a request that has passed this gateway. Records the marks of others.
   *
   * @param caller - Its id.
   */
  refusal(ask: HttpRequest, caller: string): HttpResponse | undefined {
    const marks = (ask.header(HEADER) ?? '').split(', ', MAX_MARKS).filter((mark) => MARK.test(mark));
    if (marks.some((mark) => this.#mark(mark.slice(0, 16)) === mark)) {
      return refuse(
        508,
        'This URL leads back to the gateway that sent the request; remove it from the servers of that gateway',
      );
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

class CallerMarks {
  readonly senders = new BoundedMap<string, number>(MAX_MARKS - 1);
  /** Kept apart, so that they do not displace a direct client. */
  readonly passedOn = new BoundedMap<string, number>(MAX_MARKS - 1);
}

/** The first of each list, then the second of each, and so on. */
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
