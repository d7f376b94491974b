import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeConversation, type FakeMessage, type Link } from './fake-conversation.js';
import type { FakeHistory } from './fake-history.js';
import { FakeLife } from './fake-life.js';
import type { FakeServerPlan } from './resolve-script.js';

interface HttpSession {
  readonly conversation: FakeConversation;
  readonly streams: HttpStreams;
}

/** Streamable HTTP on 127.0.0.1. After an exit it restarts at once on the same port. */
export class HttpFake {
  readonly #plan: FakeServerPlan;
  readonly #history: FakeHistory;
  readonly #server: Server;
  readonly #sessions = new Map<string, HttpSession>();
  #life: FakeLife | undefined;

  constructor(plan: FakeServerPlan, history: FakeHistory) {
    this.#plan = plan;
    this.#history = history;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#die();
    await closed;
  }

  #die(): void {
    this.#life = undefined;
    this.#forgetSessions();
    this.#server.closeAllConnections();
  }

  #forgetSessions(): void {
    for (const { conversation } of this.#sessions.values()) conversation.close();
    this.#sessions.clear();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const id = request.headers['mcp-session-id'];
    const session = this.#sessions.get(String(id));
    if (id !== undefined && !session) return refuse(response, 404);
    switch (request.method) {
      case 'POST':
        return this.#post(JSON.parse(text) as FakeMessage, session, response);
      case 'GET':
        return session ? session.streams.open(response) : refuse(response, 405);
      case 'DELETE':
        session?.conversation.close();
        this.#sessions.delete(String(id));
        return refuse(response, session ? 200 : 405);
      default:
        return refuse(response, 405);
    }
  }

  #post(message: FakeMessage, session: HttpSession | undefined, response: ServerResponse): void {
    this.#life ??= new FakeLife(this.#plan, this.#history);
    const { start } = this.#life;
    if (typeof start === 'object' && 'exit' in start) return void this.#die();
    if (session) return void converse(session.conversation, message, response);
    if (message.method === 'initialize') return void this.#openSession(message, response, this.#life);
    if (this.#plan.era === 'legacy') return void refuse(response, 400);
    // Since 2026-07-28 the end of the connection cancels its request.
    const conversation = this.#conversation(this.#life, { send: () => undefined });
    response.once('close', () => conversation.close());
    converse(conversation, message, response);
  }

  #openSession(message: FakeMessage, response: ServerResponse, life: FakeLife): void {
    const streams = new HttpStreams();
    const conversation = this.#conversation(life, streams);
    if (this.#plan.era !== 'modern') {
      const id = randomUUID();
      this.#sessions.set(id, { conversation, streams });
      response.setHeader('mcp-session-id', id);
    }
    converse(conversation, message, response);
  }

  #conversation(life: FakeLife, outside: Link): FakeConversation {
    return new FakeConversation({
      life,
      outside,
      body: {
        die: () => this.#die(),
        forgetSession: (link) => {
          this.#forgetSessions();
          if (link instanceof HttpReply) link.refuse(404);
        },
      },
    });
  }
}

function converse(conversation: FakeConversation, message: FakeMessage, response: ServerResponse): void {
  const reply = new HttpReply(response);
  if (message.id === undefined || message.method === undefined) reply.refuse(202);
  conversation.receive(message, reply);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Response to one POST: a JSON body, or an event stream if messages precede the response. */
class HttpReply implements Link {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  send(message: object): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    const isAnswer = 'result' in message || 'error' in message;
    if (isAnswer && !this.#response.headersSent) {
      this.#response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
      return;
    }
    beginEvents(this.#response);
    writeEvent(this.#response, message);
    if (isAnswer) this.#response.end();
  }

  refuse(status: number): void {
    this.#response.writeHead(status).end();
  }
}

/** For messages that belong to no request; lost without an open stream. */
class HttpStreams implements Link {
  readonly #responses = new Set<ServerResponse>();

  open(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
    beginEvents(response);
  }

  send(message: object): void {
    const [response] = this.#responses;
    if (response) writeEvent(response, message);
  }
}

function beginEvents(response: ServerResponse): void {
  if (response.headersSent) return;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

function writeEvent(response: ServerResponse, message: object): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
