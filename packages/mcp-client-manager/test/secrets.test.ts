import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expectNoLeaks, serveOnLoopback } from '@x/test-servers';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { ManagerEvents } from '../src/events.js';
import type { ClientManager } from '../src/manager.js';
import type { ClientManagerOptions } from '../src/options.js';
import type { ServerSpec } from '../src/spec.js';
import { failureOf, fixtureSpec, managerWith } from './helpers/servers.js';

afterEach(expectNoLeaks);

/** Every event there is: a new one has to be added here. */
const events: Readonly<Record<keyof ManagerEvents, true>> = {
  'server-state': true,
  'server-health': true,
  'check-passed': true,
  'server-stderr': true,
  'server-junk': true,
  'server-log': true,
  'server-notification': true,
  'tools-changed': true,
  'tools-relisted': true,
  'resources-changed': true,
  'prompts-changed': true,
  'resource-updated': true,
  'elicitation-completed': true,
  'processes-escaped': true,
  'memory-exceeded': true,
  'servers-changed': true,
};

const secrets = fc.stringMatching(/^sk-[A-Za-z0-9+/=_-]{12,40}$/);

type Use = (manager: ClientManager) => Promise<readonly unknown[]>;

/** All output of one manager during use, as text; `secret` is what its redactor knows. */
async function toldBy(
  secret: string,
  { spec, use, options }: { spec: ServerSpec; use: Use; options?: ClientManagerOptions | undefined },
): Promise<string> {
  const told: unknown[] = [];
  const logDirectory = await mkdtemp(join(tmpdir(), 'secrets-'));
  const onWarning = (warning: Error): void => void told.push(warning);
  process.on('warning', onWarning);
  try {
    const redact = (text: string): string => text.replaceAll(secret, '***');
    const manager = managerWith({ redact, logDirectory, ...options }, {
      restart: { onFailure: false },
      ...spec,
    } as ServerSpec);
    for (const name of Object.keys(events) as (keyof ManagerEvents)[])
      manager.events.on(name, (event) => void told.push(name, event));
    told.push(...(await use(manager)), manager.status(), manager.server(spec.name).stderrTail());
    await manager.close();
    for (const file of await readdir(logDirectory)) told.push(await readFile(join(logDirectory, file), 'utf8'));
  } finally {
    process.off('warning', onWarning);
    await rm(logDirectory, { recursive: true, force: true, maxRetries: 10 });
  }
  return inspect(told, { depth: 30, showHidden: true, maxStringLength: null, maxArrayLength: null });
}

const settled = async (works: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
  (await Promise.allSettled(works)).map((result) => (result.status === 'rejected' ? result.reason : 'done'));

const places = ['stderr', 'junk', 'log', 'exit', 'handshake', 'version', 'list', 'cursor', 'resources'] as const;
type Place = (typeof places)[number];

const useAll: Use = async (manager) => {
  const server = manager.server('fixture');
  const calls = ['act', 'unusable', 'wrong', 'slow', 'ask'].map((tool) => server.callTool(tool));
  const first = await settled(calls);
  return [...first, ...(await settled([server.discoverTools(), server.listResources(), server.checkHealth()]))];
};

test('no output of the manager contains a known secret of a server', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, fc.subarray([...places]), async (secret, where) => {
      const options: ClientManagerOptions = {
        handlers: {
          roots: () => {
            throw new Error(`the key ${secret} is not valid`);
          },
        },
      };
      const spec = fixtureSpec('tells-secrets.mjs', [JSON.stringify(where)], {
        env: { SECRET: secret },
        health: { method: 'tool_call', tool: 'act', timeoutMs: 1_000 },
        limits: { startupTimeoutMs: 3_000 },
      });
      const told = await toldBy(secret, { spec, use: useAll, options });
      expect(told).not.toContain(secret);
      if (where.includes('stderr') && !where.includes('exit')) expect(told).toContain('***');
    }),
    {
      numRuns: 16,
      examples: [['sk-0123456789abc', []], ...places.map((place): [string, Place[]] => ['sk-0123456789abc', [place]])],
    },
  );
}, 180_000);

test.each([
  ['a command that is not there', { command: 'no-such-command-anywhere' }],
  ['a directory that is not there', { command: process.execPath, cwd: '/no/such/directory' }],
  ['a file that is no program', { command: '/etc/hostname' }],
])('a launch that fails for %s does not repeat its arguments', async (_, launch) => {
  const secret = 'sk-0123456789abc';
  const spec = { name: 'fixture', ...launch, args: ['--token', secret], env: { TOKEN: secret } };
  const use: Use = async (manager) => [await failureOf(manager.server('fixture').start())];
  // The redactor does not know arguments, so that it must work without it, too.
  const told = await toldBy('something else', { spec, use });
  expect(told).toContain('start-failed');
  expect(told).not.toContain(secret);
});

test.each([
  [
    'throws',
    (secret: string) => () => {
      throw new Error(`bad key ${secret}`);
    },
  ],
  ['rejects with a cause', (secret: string) => () => Promise.reject(new Error('no', { cause: new Error(secret) }))],
])('a server of this process that %s with a secret shows nothing of it', async (_, failing) => {
  const secret = 'sk-0123456789abc';
  const spec = { name: 'fixture', server: failing(secret) };
  const use: Use = async (manager) => [await failureOf(manager.server('fixture').start())];
  const told = await toldBy(secret, { spec, use });
  expect(told).toContain('handshake-refused');
  expect(told).not.toContain(secret);
});

const refusals = fc.record({
  status: fc.constantFrom(200, 302, 400, 401, 403, 404, 429, 500, 502, 503),
  type: fc.constantFrom('text/plain', 'application/json', 'text/event-stream'),
  /** From which request on: some come in the middle of a call. */
  from: fc.constantFrom('initialize', 'tools/list', 'tools/call'),
  isRpc: fc.boolean(),
});

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'web', version: '1' },
  },
  'tools/list': { tools: [{ name: 'act', inputSchema: { type: 'object' } }] },
};

test('no output of the manager contains request data that an HTTP server repeats', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, refusals, async (secret, { status, type, from, isRpc }) => {
      let hasBegun = false;
      const web = await serveOnLoopback(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
        hasBegun ||= method === from;
        if (!hasBegun) {
          if (id === undefined) return void response.writeHead(method === undefined ? 405 : 202).end();
          const result = answers[String(method)];
          const answer = result ? { result } : { error: { code: -32_601, message: 'Method not found' } };
          response.writeHead(200, { 'content-type': 'application/json' });
          return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
        }
        const { authorization = '' } = request.headers;
        response.writeHead(status, `No ${authorization}`, {
          'content-type': type,
          'www-authenticate': `Bearer error="insufficient_scope", scope="${authorization}"`,
          location: `https://elsewhere.invalid/${authorization}`,
        });
        const error = { code: -32_000, message: authorization, data: { url: request.url } };
        const said = isRpc ? JSON.stringify({ jsonrpc: '2.0', id, error }) : `${authorization} ${request.url}`;
        response.end(type === 'text/event-stream' ? `data: ${said}\n\n` : said);
      });
      try {
        const url = `${web.origin}/${secret}/mcp?key=${secret}`;
        const spec = {
          name: 'fixture',
          url,
          headers: { authorization: `Bearer ${secret}` },
          limits: { startupTimeoutMs: 2_000 },
        };
        const use: Use = async (manager) => settled([manager.callTool('fixture', 'act', {}, { timeoutMs: 1_000 })]);
        expect(await toldBy(secret, { spec, use })).not.toContain(secret);
      } finally {
        await web.close();
      }
    }),
    { numRuns: 30 },
  );
}, 120_000);
