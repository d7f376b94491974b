// Many clients of a gateway in one process: half of them in sessions of the revisions before 2026-07-28, half of them with
// requests of that one, each with a stream of changes open all the time. Copied beside the installed peers.
import { answerParent } from './answer-parent.mjs';
import { poolFor, rawRequests, rawSession } from './raw-links.mjs';

/** Of a client's calls each so many: lists tools, goes away under a call, ends its stream and session and opens others. */
const every = { list: 10, leave: 15, reopen: 25 };

let clients = [];
let done;

answerParent({
  open: async ({ url, headers, count }) => {
    done = { calls: 0, lists: 0, left: 0, reopened: 0, failures: [] };
    // Each client has a connection for its stream and one for its calls.
    const pool = poolFor(url, count * 2);
    clients = Array.from({ length: count }, (_, number) => new CrowdClient(number, { url, headers, pool }));
    await Promise.all(clients.map((client) => client.open()));
  },

  /** @returns What was done so far, and what failed. */
  work: async ({ seconds }) => {
    const until = performance.now() + seconds * 1_000;
    await Promise.all(clients.map((client) => client.work(until)));
    return done;
  },

  /** Everybody goes, each telling the server as a client should. */
  leave: async () => {
    await Promise.all(clients.map((client) => client.leave()));
    return done;
  },

  close: () => undefined,
});

class CrowdClient {
  #number;
  #target;
  #connect;
  #link;
  #stream;
  #turn;

  constructor(number, target) {
    this.#number = number;
    this.#target = target;
    this.#connect = number % 2 === 0 ? rawSession : rawRequests;
    this.#turn = number; // so that not all of them do the same at once
  }

  async open() {
    this.#link = await this.#connect(this.#target);
    const stream = await this.#link.listen();
    this.#stream = stream;
    stream.ended.then((how) => {
      if (how !== 'left') this.#fail('its stream', how);
    });
  }

  async work(until) {
    while (performance.now() < until) {
      this.#turn += 1;
      try {
        await this.#act();
      } catch (error) {
        this.#fail('a request', error.message);
      }
    }
  }

  async leave() {
    try {
      await this.#stream.close();
      await this.#link.end();
    } catch (error) {
      this.#fail('its end', error.message);
    }
  }

  async #act() {
    if (this.#turn % every.reopen === 0) return this.#reopen();
    if (this.#turn % every.leave === 0) return this.#leaveCall();
    if (this.#turn % every.list === 0) {
      const { tools } = await this.#link.request('tools/list', {});
      if (tools.length === 0) this.#fail('its list', 'empty');
      done.lists += 1;
      return;
    }
    const text = `${this.#number} calls for the ${this.#turn}th time`;
    const { content } = await this.#call(text);
    if (content[0].text !== text) this.#fail('a call', content[0].text);
    done.calls += 1;
  }

  #call(text, options) {
    return this.#link.request('tools/call', { name: 'mcp__s0__echo', arguments: { text } }, options);
  }

  /** Sends a call, and goes away before it is answered, or right then. */
  async #leaveCall() {
    const gone = new AbortController();
    const call = this.#call('nobody waits for this', { signal: gone.signal });
    setTimeout(() => gone.abort(), this.#turn % 100);
    await call.catch((error) => {
      if (!gone.signal.aborted) throw error;
    });
    done.left += 1;
  }

  async #reopen() {
    await this.leave();
    await this.open();
    done.reopened += 1;
  }

  #fail(what, how) {
    done.failures.push(`Client ${this.#number}, ${what}: ${how}`);
  }
}
