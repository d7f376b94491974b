import type { JsonRpcMessage } from '@x/internal/contracts';
import { ChannelClosedError, type LineChannel } from '../../transport/message-channel.js';
import type { PeerRequest } from './peer-request.js';
import type { Wire, WireListener } from './wire.js';

/** Characters per write. Backpressure is checked after each. */
const batchLength = 65_536;
/**
 * In characters; further responses and notifications are dropped. A server that sends requests but reads no responses
 * would otherwise fill this process. Callers bound the number of requests.
 */
const maxQueuedLength = 8 * 1_024 * 1_024;

class QueuedMessage {
  line: string;
  readonly settle: (error?: ChannelClosedError) => void;

  constructor(line: string, settle: QueuedMessage['settle']) {
    this.line = line;
    this.settle = settle;
  }
}

/**
 * Joins the messages of one tick into one write, or of one turn of the event loop while the server has requests in
 * progress. Stops writing while the server does not read.
 */
export class LineWire implements Wire {
  readonly #channel: LineChannel;
  readonly #listener: WireListener;
  #staged: (PeerRequest | QueuedMessage)[] = [];
  #queuedLength = 0;
  #state: 'idle' | 'flushing' | 'blocked' | 'closed' = 'idle';

  constructor(channel: LineChannel, listener: WireListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  send(request: PeerRequest): void {
    request.line = lineOf(request);
    this.#stage(request);
  }

  async post(message: JsonRpcMessage): Promise<void> {
    if (this.#state === 'closed') throw closed();
    const line = `${JSON.stringify(message)}\n`;
    if (this.#queuedLength > 0 && this.#queuedLength + line.length > maxQueuedLength) return;
    this.#queuedLength += line.length;
    await new Promise<void>((resolve, reject) => {
      this.#stage(new QueuedMessage(line, (error) => (error ? reject(error) : resolve())));
    });
  }

  withdraw(request: PeerRequest): void {
    request.line = '';
    // A blocked queue does not drain, so the entry must go now.
    if (this.#state === 'blocked') this.#staged = this.#staged.filter((each) => each !== request);
  }

  close(): void {
    const isReading = this.#state === 'idle' || this.#state === 'flushing';
    this.#state = 'closed';
    const messages = this.#staged.filter((each) => each instanceof QueuedMessage);
    this.#staged = [];
    const isAccepted = isReading && messages.length > 0 && this.#channel.sendLines(textOf(messages)) !== 'closed';
    for (const message of messages) message.settle(isAccepted ? undefined : closed());
  }

  /** Writes until the pipe is full. */
  flush(): void {
    const staged = this.#staged;
    this.#staged = [];
    let next = 0;
    while (next < staged.length && this.#state === 'flushing') {
      const from = next;
      let text = '';
      while (next < staged.length && text.length < batchLength) {
        text += this.#dequeue(staged[next] as PeerRequest | QueuedMessage);
        next += 1;
      }
      if (text === '') continue;
      const isAccepted = this.#write(text);
      if (!isAccepted) next = staged.length;
      this.#listener.flushed();
      for (let index = from; index < next; index += 1)
        this.#settle(staged[index] as PeerRequest | QueuedMessage, isAccepted);
    }
    if (next < staged.length) this.#staged = [...staged.slice(next), ...this.#staged];
    if (this.#state !== 'flushing') return;
    if (this.#staged.length > 0)
      process.nextTick(flush, this); // failure callbacks have added messages
    else this.#state = 'idle';
  }

  #stage(each: PeerRequest | QueuedMessage): void {
    this.#staged.push(each);
    if (this.#state !== 'idle') return;
    this.#state = 'flushing';
    // A busy server loses no time by the wait, and requests of other connections join the same write.
    if (this.#listener.isBusy) setImmediate(flush, this);
    else process.nextTick(flush, this);
  }

  /** Counts as sent from here on. Empty for a withdrawn request. */
  #dequeue(each: PeerRequest | QueuedMessage): string {
    const { line } = each;
    each.line = '';
    if (each instanceof QueuedMessage) this.#queuedLength -= line.length;
    else if (line !== '') this.#listener.sent(each);
    return line;
  }

  #settle(each: PeerRequest | QueuedMessage, isAccepted: boolean): void {
    if (each instanceof QueuedMessage) each.settle(isAccepted ? undefined : closed());
    else if (!isAccepted) this.#listener.unsent(each);
  }

  #write(text: string): boolean {
    const drained = this.#channel.sendLines(text);
    if (drained === 'closed') return false;
    if (drained === 'accepted' || this.#state === 'closed') return true;
    this.#state = 'blocked';
    void drained.then(() => {
      if (this.#state !== 'blocked') return;
      this.#state = 'flushing';
      this.flush();
    });
    return true;
  }
}

// Avoids a closure for each flush.
function flush(wire: LineWire): void {
  wire.flush();
}

function textOf(messages: readonly QueuedMessage[]): string {
  return messages.map(({ line }) => line).join('');
}

/** @throws {TypeError} The params cannot be written as JSON. */
function lineOf(request: PeerRequest): string {
  const { id, method } = request;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${jsonOf(request.paramsFor(id))}}\n`;
}

function jsonOf(params: object): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TypeError('The arguments are nested too deep to be written as JSON', { cause: error });
  }
}

function closed(): ChannelClosedError {
  return new ChannelClosedError('The connection closed before the server read the message');
}
