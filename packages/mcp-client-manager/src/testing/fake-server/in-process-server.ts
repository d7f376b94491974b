import type { InProcessServer } from '../../spec.js';
import { FakeConversation, type FakeMessage } from './fake-conversation.js';
import type { FakeHistory } from './fake-history.js';
import { FakeLife } from './fake-life.js';
import type { FakeServerPlan } from './resolve-script.js';

/** The transport interface of both SDK generations. */
interface Transport {
  onmessage?: (message: FakeMessage) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

export class InProcessFake implements InProcessServer {
  readonly #plan: FakeServerPlan;
  readonly #history: FakeHistory;
  #transport: Transport | undefined;
  #conversation: FakeConversation | undefined;

  constructor(plan: FakeServerPlan, history: FakeHistory) {
    this.#plan = plan;
    this.#history = history;
  }

  async connect(transport: Transport): Promise<void> {
    if (this.#transport) throw new Error('This fake server is connected already; each connection needs its own');
    this.#transport = transport;
    const life = new FakeLife(this.#plan, this.#history);
    // A closed transport refuses messages.
    const outside = { send: (message: object) => void transport.send(message).catch(() => undefined) };
    const conversation = new FakeConversation({ life, outside, body: { die: () => void this.close() } });
    this.#conversation = conversation;
    transport.onmessage = (message) => conversation.receive(message, outside);
    transport.onclose = () => conversation.close();
    await transport.start();
    if (typeof life.start === 'object' && 'exit' in life.start) await this.close();
  }

  async close(): Promise<void> {
    this.#conversation?.close();
    await this.#transport?.close();
  }
}
