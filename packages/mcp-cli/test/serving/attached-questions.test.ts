import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answers,
  answersOf,
  ask,
  type ClientKind,
  clientKinds,
  connectAnswering,
  form,
  httpTransport,
  type Loose,
  parse,
  words,
} from '../helpers/answering-client.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { deferred } from '../helpers/deferred.js';
import type { ServerEntry } from '../helpers/project.js';
import type { RunningCommand } from '../helpers/running-command.js';
import { serveOn, transportOf } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

const needsPage = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/needs-page.mjs', import.meta.url))],
};
const ways = ['attached over stdio', 'attached over HTTP', 'own servers over stdio'] as const;
type Way = (typeof ways)[number];

const both = [
  { name: 'old', server: 'asks-host' },
  { name: 'recent', server: 'modern-input-required' },
] as const;
/** Requires its page once. The daemon starts those that are used through it. */
function pageServer(way: Way, kind: ClientKind) {
  const fields = { ...needsPage, auto_start: way !== 'own servers over stdio' };
  return { name: `page-${ways.indexOf(way)}-${kind}`, server: 'echo', fields } as const;
}
const pages = ways.flatMap((way) => clientKinds.map((kind) => pageServer(way, kind)));
const perCaller = { name: 'each', server: 'asks-host', fields: { connections: 'per-caller' } } as const;
const servers = [...both, ...pages, perCaller];
const page = { mode: 'url', message: 'Connect your account', url: 'https://example.com/connect?id=7' };
const token = 'alices-own-token-of-http';
const methods = ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const;

let stage: DaemonStage;
beforeAll(async () => {
  stage = await daemonStage(servers);
  const role_restrictions = { all: { allowed_tools: servers.map(({ name }) => name) } };
  await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: { app: { role_restrictions } } }));
  const tokens = { tokens: [{ token, id: 'alice', role: 'all' }] };
  await writeFile(join(stage.folder, 'tokens.yaml'), JSON.stringify(tokens), { mode: 0o600 });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** A client over stdio of a command that serves. */
async function connectStdio(kind: ClientKind, answers: Answers, args: readonly string[] = []) {
  const command = serveOn(stage, args);
  const connected = await connectAnswering(transportOf(command), kind, answers);
  return {
    ...connected,
    [Symbol.asyncDispose]: async () => {
      await connected[Symbol.asyncDispose]();
      await command.ended;
    },
  };
}

// The last row shows that the others are the same as without the daemon.
describe.each(ways)('%s', (way) => {
  let http: RunningCommand | undefined;
  let url = '';
  beforeAll(async () => {
    if (way !== 'attached over HTTP') return;
    http = serveOn(stage, ['--http', '--port', '0', '--tokens-file', 'tokens.yaml']);
    [, url = ''] = await http.seen(/Serving \d+ servers at (\S+)\n/);
  });
  afterAll(() => http?.[Symbol.asyncDispose]());

  /** `named`: those of the servers that are used, which are the ones that start. */
  function connect(kind: ClientKind, answers: Answers, named: readonly ServerEntry[] = both) {
    if (way === 'attached over HTTP') return connectAnswering(httpTransport(kind, new URL(url), token), kind, answers);
    const own = way === 'own servers over stdio' ? ['--own-servers', ...named.map(({ name }) => name)] : [];
    return connectStdio(kind, answers, own);
  }

  describe.each(clientKinds)('a client (%s)', (kind) => {
    test('answers all that a server of a revision before 2026-07-28 asks for', async () => {
      await using connected = await connect(kind, answersOf('ada'));
      const of = async (method: string, params?: Record<string, unknown>): Promise<Loose> =>
        parse(await connected.call('mcp__old__ask', ask(method, params)));
      expect(await of('elicitation/create', form)).toMatchObject({ result: { content: { name: 'ada' } } });
      expect(await of('elicitation/create', { ...page, elicitationId: 'e1' })).toMatchObject({
        result: { action: 'accept' },
      });
      expect(await of('sampling/createMessage', words)).toMatchObject({ result: { content: { text: 'ada' } } });
      // One set of roots for all clients of a connection: those of a single client alone.
      const roots = way === 'attached over HTTP' ? { error: { code: -32_601 } } : { result: { roots: [{}] } };
      expect(await of('roots/list')).toMatchObject(roots);
    });

    test('answers all that a server of the revision 2026-07-28 asks for, and returns its state', async () => {
      await using connected = await connect(kind, answersOf('ada'));
      const greeted = parse(await connected.call('mcp__recent__greet'));
      expect(greeted).toMatchObject({ who: { content: { name: 'ada' } }, state: 'opaque ✓ state' });
      expect(parse(await connected.call('mcp__recent__all'))).toMatchObject({
        who: { content: { name: 'ada' } },
        page: { action: 'accept' },
        words: { content: { text: 'ada' } },
        roots: { roots: [{ uri: 'file:///ada' }] },
      });
      expect(parse(await connected.call('mcp__recent__later', { times: 2 }))).toEqual({ round: 2 });
    });

    test('that declares nothing is asked for nothing', async () => {
      await using connected = await connect(kind, {});
      for (const method of methods) {
        const params = method === 'roots/list' ? {} : { ...form, ...words };
        expect(parse(await connected.call('mcp__old__ask', ask(method, params))).error.code).toBe(-32_601);
      }
      const refused = await connected.call('mcp__recent__greet').catch((error: unknown) => error);
      expect(refused.isError === true || refused.code < 0).toBe(true);
    });

    test('visits pages that an error of a server requires, and is notified afterwards', async () => {
      const asked: Loose[] = [];
      const elicitation = (params: Loose) => {
        asked.push(params);
        return { action: 'accept' };
      };
      const entry = pageServer(way, kind);
      await using connected = await connect(kind, { elicitation }, [entry]);
      const { client, call, told } = connected;
      const server = entry.name;
      const requests = [
        async () => (await call(`mcp__${server}__balance`)).content,
        async () => (await client.readResource({ uri: `mcp+${server}:mine://page` })).contents,
      ];
      for (const request of requests) {
        if (kind !== 'modern') {
          // The client repeats the request.
          await expect(request()).rejects.toMatchObject({
            code: -32_042,
            message: expect.stringContaining('A page must be visited first'),
            data: { elicitations: [{ ...page, elicitationId: '7' }] },
          });
        }
        expect(await request()).toMatchObject([{ text: expect.stringContaining('12') }]);
      }
      if (kind === 'modern') expect(asked).toMatchObject([page, page]);
      else
        await until(
          () => told.filter(({ method }) => method === 'notifications/elicitation/complete').length === 2 || undefined,
        );
    });
  });
});

test.each([
  ['v1', 'modern'],
  ['modern', 'legacy'],
] as const)('of two attached clients (%s, %s), each is asked during its own calls', async (first, second) => {
  const [held, released] = [deferred(), deferred()];
  const elicitation = async () => {
    held.resolve();
    await released.promise;
    return { action: 'accept', content: { name: 'ada' } };
  };
  await using ada = await connectStdio(first, { ...answersOf('ada'), elicitation });
  await using bob = await connectStdio(second, answersOf('bob'));
  const adasCall = ada.call('mcp__each__ask', ask('elicitation/create', form));
  await held.promise;
  const of = async (server: string, method: string, params?: Record<string, unknown>): Promise<Loose> =>
    parse(await bob.call(`mcp__${server}__ask`, ask(method, params)));
  expect(await of('each', 'roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///bob' }] } });
  expect(await of('each', 'sampling/createMessage', words)).toMatchObject({ result: { content: { text: 'bob' } } });
  // One connection for both has no roots; what its server asks is that of the only client with a call there.
  expect(await of('old', 'roots/list')).toMatchObject({ error: { code: -32_601 } });
  expect(await of('old', 'sampling/createMessage', words)).toMatchObject({ result: { content: { text: 'bob' } } });
  expect(parse(await bob.call('mcp__recent__all')).roots).toMatchObject({ roots: [{ uri: 'file:///bob' }] });
  released.resolve();
  expect(parse(await adasCall)).toMatchObject({ result: { content: { name: 'ada' } } });
});
