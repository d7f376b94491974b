// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.
import { McpServer as FirstMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { documentedMistakes, expectNoLeaks, type Mistake, outcomeOf } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createClientCredentialsProvider, createFileTokenStore, createOAuthProvider } from '../src/auth.js';
import { type ClientManager, createClientManager, type ManagedServer } from '../src/index.js';
import { serverSpec, textOf } from './helpers/servers.js';

afterEach(expectNoLeaks);

const anything = (value: unknown): any => value;
const { name: _, ...echo } = serverSpec('echo');
const info = { name: 'notes', version: '1.0.0' };

/** Names of the servers that were understood. */
async function created(specs: unknown, options?: unknown): Promise<{ works: string }> {
  await using manager = createClientManager(anything(specs), anything(options));
  return {
    works: manager
      .servers()
      .map(({ name }) => `\`${name}\``)
      .join(', '),
  };
}

const spec = (fields: object) => created({ servers: [{ name: 'files', ...echo, ...fields }] });
const http = (fields: object) => created({ servers: [{ name: 'web', url: 'https://example.com/mcp', ...fields }] });
const options = (given: unknown) => created({ servers: { echo } }, given);

async function withEcho(run: (manager: ClientManager, server: ManagedServer) => unknown): Promise<any> {
  await using manager = createClientManager({ servers: { echo, slow: { ...serverSpec('slow'), name: 'slow' } } });
  return { returned: await run(manager, manager.server('echo')) };
}

/** Why a server could not be started. */
async function startOf(fields: object, given?: unknown): Promise<{ reports: string } | { works: string }> {
  await using manager = createClientManager({ servers: [anything({ name: 'files', ...fields })] }, anything(given));
  const [outcome] = await manager.start();
  return outcome?.status === 'failed' ? { reports: outcome.error.message } : { works: String(outcome?.status) };
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'createClientManager(loadConfig()) without await': () => created(Promise.resolve({ servers: [] })),
  'createClientManager([spec])': () => created([{ name: 'echo', ...echo }]),
  'createClientManager({ server: [spec] })': () => created({ server: [] }),
  'createClientManager({ servers: { echo: { command } } }), servers by name': () => created({ servers: { echo } }),
  'createClientManager({ mcpServers: { echo: { command } } })': () => created({ mcpServers: { echo } }),
  'createClientManager({ servers: readServers() }) of an async function': () =>
    created({ servers: Promise.resolve([]) }),
  'createClientManager({ servers: ["npx files-mcp"] })': () => created({ servers: ['npx files-mcp'] }),
  'createClientManager({ servers, callTimeoutMs: 5_000 }), one object': () =>
    created({ servers: [], callTimeoutMs: 5_000 }),
  'createClientManager({ servers, mcpServers })': () => created({ servers: [], mcpServers: {} }),
  'two servers with one name': () =>
    created({
      servers: [
        { name: 'a', ...echo },
        { name: 'a', ...echo },
      ],
    }),
  'auto_start: true': () => spec({ auto_start: true }),
  'startupTimeout: 5_000': () => spec({ startupTimeout: 5_000 }),
  'limits: { startupTimeoutMs: 10 }, seconds for milliseconds': () => spec({ limits: { startupTimeoutMs: 10 } }),
  'limits: { idleStopMs: 600 }, seconds for milliseconds': () => spec({ limits: { idleStopMs: 600 } }),
  'limits: { maxMemoryBytes: 512 }, megabytes for bytes': () => spec({ limits: { maxMemoryBytes: 512 } }),
  'idleStopMs: 600_000, without its group': () => spec({ idleStopMs: 600_000 }),
  'maxRestartAttempts: 5, the key of the file': () => spec({ maxRestartAttempts: 5 }),
  'health: { healthCheckIntervalMs: 60_000 }': () => spec({ health: { healthCheckIntervalMs: 60_000 } }),
  'restart: false': () => spec({ restart: false }),
  'command: "https://example.com/mcp"': () => spec({ command: 'https://example.com/mcp' }),
  'command: "npx -y files-mcp", with its arguments': () => startOf({ command: 'npx -y files-mcp' }),
  'command: ["npx", "-y", "files-mcp"]': () => spec({ command: ['npx', '-y', 'files-mcp'] }),
  'command and url': () => spec({ url: 'https://example.com/mcp' }),
  'args: "-y files-mcp"': () => spec({ args: '-y files-mcp' }),
  'args: [8080]': () => spec({ args: [8080] }),
  'env: ["LEVEL=debug"]': () => spec({ env: ['LEVEL=debug'] }),
  'env: new Map([["LEVEL", "debug"]])': () => spec({ env: new Map([['LEVEL', 'debug']]) }),
  'env: { TOKEN: process.env.TOKEN } without that variable': () => spec({ env: { TOKEN: undefined } }),
  'env: { PORT: 8080 }': () => spec({ env: { PORT: 8080 } }),
  'headers: new Headers({ Authorization: "…" })': () => http({ headers: new Headers({ Authorization: 'x' }) }),
  'url: "localhost:3000/mcp"': () => http({ url: 'localhost:3000/mcp' }),
  'url: new URL("https://example.com/mcp")': () => http({ url: new URL('https://example.com/mcp') }),
  'url: "https://user:password@example.com/mcp"': () => http({ url: 'https://user:password@example.com/mcp' }),
  'secrets: [{ key, reference }] without resolveSecret': () =>
    startOf({ ...echo, secrets: [{ key: 'TOKEN', reference: 'env:TOKEN' }] }),
  'secrets: { TOKEN: "env:TOKEN" }': () => spec({ secrets: { TOKEN: 'env:TOKEN' } }),
  'server: an McpServer of SDK 1.x': () => startOf({ server: withTool(new FirstMcpServer(info)) }),
  'server: an McpServer of SDK 2.x': () => startOf({ server: withTool(new McpServer(info)) }),
  'server: McpServer, the class': () => created({ servers: [{ name: 'notes', server: McpServer }] }),
  'server: one object in two managers': async () => {
    const server = withTool(new McpServer(info));
    await using first = createClientManager({ servers: [{ name: 'notes', server }] });
    await first.start();
    return await startOf({ server });
  },
  'connections: "per-caller" with one server object': () =>
    created({ servers: [{ name: 'notes', server: new McpServer(info), connections: 'per-caller' }] }),
  'health: "ping"': () => spec({ health: 'ping' }),
  'health: { method: "tool_call" } without a tool': () => spec({ health: { method: 'tool_call' } }),
  'health: { tool: "status" } without a method': () => spec({ health: { tool: 'status' } }),
  'health: { method: "ping", timeout: 5_000 }': () => spec({ health: { method: 'ping', timeout: 5_000 } }),
  'allowedTools: "read_*"': () => spec({ allowedTools: 'read_*' }),
  'tools: ["read_text"]': () => spec({ tools: ['read_text'] }),
  'tools: { read_text: "Reads" }': () => spec({ tools: { read_text: 'Reads' } }),
  'tools: { read_text: { hide: true } }': () => spec({ tools: { read_text: { hide: true } } }),
  'tools: { read_text: { desc: "Reads" } }': () => spec({ tools: { read_text: { desc: 'Reads' } } }),
  'createClientManager(specs, { callTimeout: 5_000 })': () => options({ callTimeout: 5_000 }),
  'createClientManager(specs, { clientInfo: "my-app" })': () => options({ clientInfo: 'my-app' }),
  'createClientManager(specs, { logDirectory: "./logs" })': () => options({ logDirectory: './logs' }),
  'createClientManager(specs, { handlers: { sample: ask } })': () => options({ handlers: { sample: () => ({}) } }),
  'createClientManager(specs, { handlers: { roots: ["/srv"] } })': () => options({ handlers: { roots: ['/srv'] } }),
  'createClientManager(specs, { redact: /secret/ })': () => options({ redact: /secret/ }),
  'createClientManager(specs, createLookup()) of an async function': () => options(Promise.resolve({})),
  'manager.start("echo")': () => withEcho((manager) => manager.start(anything('echo'))),
  'manager.stop("echo")': () => withEcho((manager) => manager.stop(anything('echo'))),
  'manager.stop({ forced: true })': () => withEcho((manager) => manager.stop(anything({ forced: true }))),
  'manager.server("ehco")': () => withEcho((manager) => manager.server('ehco')),
  'manager.apply([spec])': () => withEcho((manager) => manager.apply(anything([]))),
  'manager.sendHeaders({ Authorization: "…" })': () =>
    withEcho((manager) => manager.sendHeaders(anything({ Authorization: 'x' }))),
  'manager.changes(listener)': () => withEcho((manager) => manager.changes(anything(() => undefined))),
  'manager.events.on("server-ready", listener)': () =>
    withEcho((manager) => manager.events.on(anything('server-ready'), () => undefined)),
  'manager.callTool("say", "echo"), tool and server swapped': () =>
    withEcho((manager) => manager.callTool('say', 'echo')),
  'manager.callTool({ server, tool, args })': () =>
    withEcho((manager) => manager.callTool(anything({ server: 'echo', tool: 'echo' }), anything(undefined))),
  'manager.callTool("mcp__echo__echo", args), a public name': () =>
    withEcho((manager) => manager.callTool('mcp__echo__echo', anything({ text: 'a' }))),
  'server.start(controller.signal)': () =>
    withEcho((_manager, server) => server.start(anything(new AbortController().signal))),
  'server.start({ timeoutMs: 5_000 })': () =>
    withEcho((_manager, server) => server.start(anything({ timeoutMs: 5_000 }))),
  'server.callTool({ name, arguments }), as in the SDK': () =>
    withEcho((_manager, server) => server.callTool(anything({ name: 'echo', arguments: { text: 'a' } }))),
  'server.callTool("echo", "{\\"text\\":\\"a\\"}"), a JSON text': () =>
    withEcho((_manager, server) => server.callTool('echo', anything('{"text":"a"}'))),
  'server.callTool("echo", args, { timeout: 5_000 })': () =>
    withEcho((_manager, server) => server.callTool('echo', { text: 'a' }, anything({ timeout: 5_000 }))),
  'server.callTool("echo", args, controller.signal)': () =>
    withEcho((_manager, server) => server.callTool('echo', { text: 'a' }, anything(new AbortController().signal))),
  'server.callTool("wait", args, { timeoutMs: 5 }), seconds for milliseconds': () =>
    withEcho((manager) => manager.callTool('slow', 'wait', { ms: 60_000 }, { timeoutMs: 5 })),
  'server.readResource({ uri })': () => withEcho((_manager, server) => server.readResource(anything({ uri: 'a:b' }))),
  'server.getPrompt({ name })': () => withEcho((_manager, server) => server.getPrompt(anything({ name: 'a' }))),
  'server.listResources({ wakes: false })': () =>
    withEcho((_manager, server) => server.listResources(anything({ wakes: false }))),
  'a call of a server with autoStart: false before start()': async () => {
    await using manager = createClientManager({ servers: { echo: { ...echo, autoStart: false } } });
    return { returned: await manager.callTool('echo', 'echo', { text: 'a' }) };
  },
  'a call after close()': () =>
    withEcho(async (manager) => {
      await manager.close();
      return manager.callTool('echo', 'echo', { text: 'a' });
    }),
  'apply() after close()': () =>
    withEcho(async (manager) => {
      await manager.close();
      return manager.apply({ servers: [] });
    }),
  'createFileTokenStore("tokens.json")': () => ({ returned: createFileTokenStore('tokens.json') }),
  'createOAuthProvider({ store: "tokens.json", openUrl })': () => ({
    returned: createOAuthProvider({ store: anything('tokens.json'), openUrl: () => undefined }),
  }),
  'createClientCredentialsProvider({ clientId, clientSecret }) without issuer': () => ({
    returned: createClientCredentialsProvider(anything({ clientId: 'a', clientSecret: 'b' })),
  }),
};

/** A server without a tool declares none, and the manager would have nothing to list. */
function withTool<Server extends FirstMcpServer | McpServer>(server: Server): Server {
  anything(server).registerTool('note', { description: 'Takes a note' }, () => ({ content: [] }));
  return server;
}

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Client manager');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}

test('servers by name are called like those of a list', async () => {
  await using manager = createClientManager({ mcpServers: { echo } });
  expect(textOf(await manager.callTool('echo', 'echo', { text: 'hi' }))).toBe('hi');
});
