// The least that is a client over each transport, so that what is measured is what it calls: `request(method, params)`
// resolves with the result, `close()` ends the connection. Copied beside the installed peers.
import { spawn } from 'node:child_process';
import { Pool } from 'undici';

const clientInfo = { name: 'raw', version: '1.0.0' };
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One JSON text a line and nothing around it. */
export async function rawStdio({ command, args, env, cwd }) {
  const child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Waiting();
  let parts = [];
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    parts.push(chunk);
    if (!chunk.includes('\n')) return;
    const lines = parts.join('').split('\n');
    parts = [lines.pop()];
    for (const line of lines) waiting.settle(JSON.parse(line));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const request = (method, params) => waiting.ask({ method, params }, send);
  await request('initialize', initialize);
  send(initialized);
  const close = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.stdin.end();
    });
  return { pid: child.pid, request, close };
}

/** Connections to one origin, for many clients if need be. */
export function poolFor(url, connections = 1_024) {
  return new Pool(new URL(url).origin, {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    // A machine that is busy with the bench itself may take its time to accept.
    connect: { timeout: 60_000 },
    // Given up well before the server does, or a request could be on its way to a connection that is being closed.
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 2_000,
  });
}

/** A session of the revisions before 2026-07-28. `end` ends it at the server, too. */
export async function rawSession({ url, headers, pool }) {
  const http = new HttpPosts(url, { headers, pool });
  const { result, session } = await http.ask('initialize', initialize);
  const bound = { 'mcp-protocol-version': result.protocolVersion, ...(session && { 'mcp-session-id': session }) };
  await http.post(initialized, { headers: bound });
  return {
    request: async (method, params, options) => (await http.ask(method, params, { headers: bound, ...options })).result,
    listen: () => http.stream({ method: 'GET', headers: bound }),
    end: () => http.send({ method: 'DELETE', headers: bound }),
    close: () => http.close(),
  };
}

/** Requests of the 2026-07-28 revision, which need no session. */
export async function rawRequests({ url, headers, pool }) {
  const http = new HttpPosts(url, { headers, pool });
  const headersOf = (method, { name } = {}) => ({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  });
  const request = async (method, params, options) => {
    const own = { headers: headersOf(method, params), ...options };
    return (await http.ask(method, { ...params, _meta: envelope }, own)).result;
  };
  await request('server/discover', {});
  const method = 'subscriptions/listen';
  const params = { notifications: { toolsListChanged: true }, _meta: envelope };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'stream', method, params });
  return {
    request,
    listen: () => http.stream({ method: 'POST', headers: headersOf(method), body }),
    end: async () => undefined,
    close: () => http.close(),
  };
}

/** Server-sent events for the answers, and a POST for each message: the transport of the 2024-11-05 revision. */
export async function rawEvents({ url, headers }) {
  const { pathname } = new URL(url);
  const pool = poolFor(url);
  const stream = await pool.request({
    path: pathname,
    method: 'GET',
    headers: { ...headers, accept: 'text/event-stream' },
  });
  const waiting = new Waiting();
  const endpoint = new Promise((resolve) => {
    stream.body.on('error', () => undefined); // it is destroyed at the end
    readEvents(stream.body, ({ event, data }) => {
      if (event === 'endpoint') resolve(data);
      else waiting.settle(JSON.parse(data));
    });
  });
  const path = await endpoint;
  const send = async (message) => {
    const body = JSON.stringify(message);
    const { statusCode, body: answer } = await pool.request({
      path,
      method: 'POST',
      headers: { ...headers, ...json },
      body,
    });
    await answer.dump();
    if (statusCode >= 300) throw new Error(`The server answered ${statusCode}`);
  };
  const request = (method, params) => waiting.ask({ method, params }, send);
  await request('initialize', initialize);
  await send(initialized);
  return { request, close: () => pool.destroy() };
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

class HttpPosts {
  #pool;
  #isOwn;
  #path;
  #headers;
  #lastId = 0;

  constructor(url, { headers, pool }) {
    this.#pool = pool ?? poolFor(url);
    this.#isOwn = pool === undefined;
    this.#path = new URL(url).pathname;
    this.#headers = { ...headers, ...json };
  }

  async ask(method, params, options) {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = await this.post({ jsonrpc: '2.0', id, method, params }, options);
    const message = answer.messages.find((each) => each.id === id);
    if (message?.result === undefined)
      throw new Error(`${method} was answered with ${JSON.stringify(message ?? answer)}`);
    return { result: message.result, session: answer.session };
  }

  async post(message, options) {
    const { headers, body } = await this.send({ ...options, method: 'POST', body: JSON.stringify(message) });
    return { messages: messagesOf(headers['content-type'], body), session: headers['mcp-session-id'] };
  }

  async send(request) {
    const { headers, body } = await this.#answer(request);
    return { headers, body: await body.text() };
  }

  /** A stream that stays open: `ended` resolves when the server ends it, `close()` leaves it. */
  async stream(request) {
    const { body } = await this.#answer(request);
    let isLeft = false;
    const ended = new Promise((resolve) => {
      body.once('close', () => resolve(isLeft ? 'left' : 'ended by the server'));
      body.once('error', () => undefined);
    });
    body.resume();
    const close = async () => {
      isLeft = true;
      body.destroy();
      await ended;
    };
    return { ended, close };
  }

  async #answer({ headers, ...request }) {
    const answer = await this.#pool.request({
      path: this.#path,
      headers: { ...this.#headers, ...headers },
      ...request,
    });
    if (answer.statusCode < 300) return answer;
    throw new Error(`The server answered ${answer.statusCode}: ${(await answer.body.text()).slice(0, 200)}`);
  }

  async close() {
    if (this.#isOwn) await this.#pool.destroy();
  }
}

function messagesOf(type = '', text) {
  if (text === '') return [];
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text)];
  const messages = [];
  const read = eventReader(({ data }) => void (data !== '' && messages.push(JSON.parse(data))));
  read(text);
  return messages;
}

function readEvents(body, onEvent) {
  const read = eventReader(onEvent);
  body.setEncoding('utf8');
  body.on('data', read);
}

/** Takes text as it comes, and gives each event with its data. */
function eventReader(onEvent) {
  let parts = [];
  return (chunk) => {
    parts.push(chunk);
    if (!chunk.includes('\n')) return;
    const events = parts.join('').split(/\r?\n\r?\n/);
    parts = [events.pop()];
    for (const text of events) {
      let event = 'message';
      const data = [];
      for (const line of text.split(/\r?\n/)) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
        else if (line.startsWith('event:')) event = line.slice(6).trim();
      }
      if (data.length > 0) onEvent({ event, data: data.join('\n') });
    }
  };
}

/** Requests that are to be answered, by id. */
class Waiting {
  #requests = new Map();
  #lastId = 0;

  ask(message, send) {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#requests.set(this.#lastId, { resolve, reject });
      Promise.resolve(send({ jsonrpc: '2.0', id: this.#lastId, ...message })).catch(reject);
    });
  }

  settle({ id, result, error }) {
    const request = this.#requests.get(id);
    if (request === undefined) return;
    this.#requests.delete(id);
    if (error === undefined) request.resolve(result);
    else request.reject(new Error(error.message));
  }
}
