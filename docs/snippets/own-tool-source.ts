import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRegistryError } from '@x/mcp-registry';
import { listenToConsole } from './stage/console.js';
import { linesShown } from './stage/page.js';

const heard = listenToConsole();
const inputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const operations = [{ name: 'read_ticket', description: 'Reads a ticket', inputSchema }];
let isDown = false;
const server = createServer((request, response) => {
  const isList = request.method === 'GET';
  request
    .on('data', () => undefined)
    .on('end', () => {
      if (request.url === '/tools/never') return;
      response.writeHead(isDown ? 503 : isList || request.url === '/tools/read_ticket' ? 200 : 404);
      response.end(isList ? JSON.stringify(operations) : request.url === '/tools/read_ticket' ? 'It is open.' : 'gone');
    });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

// #region smallest
import { createRegistry } from '@x/mcp-registry';

const registry = createRegistry();
registry.attach({
  name: 'clock',
  listTools: () => [{ name: 'now', description: 'The time', inputSchema: { type: 'object' } }],
  callTool: async () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }),
});
await registry.call('mcp__clock__now', {});

// #endregion smallest

// #region source
import type { ToolArguments, ToolCallResult } from '@x/mcp-registry';
import type { ListToolsOptions, SourceCallOptions, SourceTool, ToolSource } from '@x/mcp-registry/sources';

/** The operations of an API as tools: `GET /tools` lists them, `POST /tools/<name>` runs one. */
class ApiSource implements ToolSource {
  readonly name: string;
  readonly #url: string;
  readonly #listeners = new Set<() => void>();

  constructor(name: string, url: string) {
    this.name = name;
    this.#url = url;
  }

  async listTools({ signal }: ListToolsOptions): Promise<SourceTool[]> {
    const response = await fetch(`${this.#url}/tools`, { signal: signal ?? null });
    if (!response.ok) throw new Error(`${this.#url}/tools answered ${response.status}`);
    return (await response.json()) as SourceTool[]; // the registry checks them
  }

  async callTool(tool: string, args: ToolArguments, { signal }: SourceCallOptions): Promise<ToolCallResult> {
    const response = await fetch(`${this.#url}/tools/${encodeURIComponent(tool)}`, {
      method: 'POST',
      body: JSON.stringify(args),
      signal: signal ?? null,
    });
    // What the model can act on is a result. What only a person can repair is thrown.
    if (response.status >= 500) throw new Error(`${this.name} answered ${response.status}`);
    return { content: [{ type: 'text', text: await response.text() }], isError: !response.ok };
  }

  onToolsChanged(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** To be called when the API has told that it has other operations now. */
  refresh(): void {
    for (const listener of this.#listeners) listener();
  }
}
// #endregion source

// #region attach
const tickets = new ApiSource('tickets', url);
const attachment = registry.attach(tickets);
await attachment.ready;
registry.events.on('tools-changed', ({ added, removed }) => console.log('added', added, 'removed', removed));

const { content } = await registry.call('mcp__tickets__read_ticket', { id: 7 });
for (const block of content) if (block.type === 'text') console.log(block.text);

// The API gets another operation, and somebody tells the source.
operations.push({ name: 'close_ticket', description: 'Closes a ticket', inputSchema });
tickets.refresh();
// #endregion attach

await changed();
await failsToList();
await failsToCall();

// #region detach
attachment[Symbol.dispose](); // its tools are gone; the source is left alone
// #endregion detach

tickets.refresh();
assert.deepEqual(
  registry.list().map(({ name }) => name),
  ['mcp__clock__now', 'search_mcp_tools'],
);
assert.deepEqual(heard.lines.slice(0, 2), linesShown('docs/own-tool-source.md', 'text', 'It is'));
server.closeAllConnections();
server.close();

async function changed(): Promise<void> {
  for await (const { added } of registry.changes()) return assert.deepEqual(added, ['mcp__tickets__close_ticket']);
}

async function failsToList(): Promise<void> {
  isDown = true;
  const before = registry.list();
  tickets.refresh();
  while ((await registry.diagnostics()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  // #region diagnostics
  for (const { code, message } of await registry.diagnostics()) console.log(code, message);
  // #endregion diagnostics
  const [{ code, message } = { code: '', message: '' }] = await registry.diagnostics();
  assert.equal(code, 'listing-failed');
  assert.match(message, /^Server "tickets": its tools could not be listed: .* answered 503$/);
  assert.equal(registry.list().length, before.length);
}

async function failsToCall(): Promise<void> {
  await assert.rejects(registry.call('mcp__tickets__read_ticket', { id: 7 }), { message: 'tickets answered 503' });
  isDown = false;
  const gone = await registry.call('mcp__tickets__close_ticket', { id: 7 });
  assert.deepEqual(gone, { content: [{ type: 'text', text: 'gone' }], isError: true });
  await assert.rejects(registry.call('mcp__tickets__read_ticket', { id: 'seven' }), isCode('invalid-arguments'));

  const broken = registry.attach({
    name: 'broken',
    listTools: () => [
      { name: 'text', inputSchema: { type: 'object' } },
      { name: 'never', inputSchema: { type: 'object' } },
    ],
    callTool: (tool) => (tool === 'never' ? new Promise(() => undefined) : Promise.resolve('text' as never)),
  });
  await assert.rejects(registry.call('mcp__broken__text', {}), isCode('invalid-result'));
  await assert.rejects(registry.call('mcp__broken__never', {}, { timeoutMs: 10 }), isCode('timed-out'));
  const call = registry.call('mcp__broken__never', {}, { signal: AbortSignal.timeout(10) });
  await assert.rejects(call, { name: 'TimeoutError' });
  assert.throws(() => registry.attach(new ApiSource('broken', url)), isCode('duplicate-source'));
  broken[Symbol.dispose]();
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => isRegistryError(error) && error.code === code;
}
