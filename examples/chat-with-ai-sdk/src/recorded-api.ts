import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Recording } from './recordings.js';

/** A request, as far as the story looks into it. */
export interface ModelRequest {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** The Messages API of Anthropic on loopback: it streams recorded answers, one a request. */
export class RecordedApi {
  readonly requests: ModelRequest[] = [];
  /** `shown`: the user has seen a piece of text. The next one is sent after that, so an answer that is held back hangs. */
  readonly events = new EventEmitter();
  readonly #recordings: Iterator<Recording>;
  readonly #http = createServer(async (request, response) => {
    this.requests.push((await json(request)) as ModelRequest);
    const { value, done } = this.#recordings.next();
    if (done) response.writeHead(500).end();
    else await this.#stream(value, response);
  });

  constructor(recordings: Iterable<Recording>) {
    this.#recordings = recordings[Symbol.iterator]();
  }

  /** @returns The base URL. */
  async listen(): Promise<string> {
    await once(this.#http.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeAllConnections();
    await closed;
  }

  async #stream(recording: Recording, response: ServerResponse): Promise<void> {
    const send = (type: string, data: object = {}) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const isCall = 'tool' in recording;
    const id = `${this.requests.length}`;

    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send('message_start', { message: { id: `msg_${id}`, type: 'message', role: 'assistant', content: [], usage } });
    const block = isCall
      ? { type: 'tool_use', id: `toolu_${id}`, name: recording.tool, input: {} }
      : { type: 'text', text: '' };
    send('content_block_start', { index: 0, content_block: block });
    if (isCall) {
      const partial_json = JSON.stringify(recording.input);
      send('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json } });
    } else {
      for (const text of recording.text) {
        send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
        await once(this.events, 'shown');
      }
    }
    send('content_block_stop', { index: 0 });
    send('message_delta', { delta: { stop_reason: isCall ? 'tool_use' : 'end_turn' }, usage });
    send('message_stop');
    response.end();
  }
}
