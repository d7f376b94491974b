import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Something that the service can do, as its REST API says it. */
export interface Action {
  readonly name: string;
  readonly summary: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

type Run = (input: Record<string, unknown>) => unknown;

/**
 * Stands for a service that you have. It is no MCP server: `GET /actions` lists what it can do, `POST /actions/<name>` does
 * it, and `GET /changes` is a stream with a line for each time that the list has changed.
 */
export class TaskBoard {
  readonly tasks: string[] = [];
  /** `hung-up`: the client of an action that was begun has gone away before it had its answer. */
  readonly events = new EventEmitter<{ changed: []; begun: [action: string]; 'hung-up': [action: string] }>();
  readonly #actions = new Map<string, { readonly action: Action; readonly run: Run }>();
  readonly #http = createServer((request, response) => void this.#answer(request, response));

  offer(action: Action, run: Run): void {
    this.#actions.set(action.name, { action, run });
    this.events.emit('changed');
  }

  async listen(): Promise<URL> {
    this.#http.listen(0, '127.0.0.1');
    await once(this.#http, 'listening');
    return new URL(`http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`);
  }

  async close(): Promise<void> {
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    if (method === 'GET' && url === '/changes') return this.#stream(response);
    if (method === 'GET' && url === '/actions')
      return send(
        response,
        200,
        [...this.#actions.values()].map(({ action }) => action),
      );
    const name = /^\/actions\/(\w+)$/.exec(url)?.[1];
    const found = name === undefined ? undefined : this.#actions.get(name);
    if (method !== 'POST' || found === undefined) return send(response, 404, { error: 'There is no such action' });
    response.once('close', () => {
      if (!response.writableFinished) this.events.emit('hung-up', found.action.name);
    });
    try {
      const input = await readJson(request);
      this.events.emit('begun', found.action.name);
      send(response, 200, await found.run(input));
    } catch (error) {
      send(response, 422, { error: String(error) });
    }
  }

  #stream(response: ServerResponse): void {
    const tell = () => response.write('changed\n');
    this.events.on('changed', tell);
    response.once('close', () => this.events.off('changed', tell));
    response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
