import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { afterEach, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { post } from '../helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const capabilities = { extensions: { 'io.modelcontextprotocol/skills': {} } };
const skill = (name: string) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: 'd' },
  resources: [{ uri: `skill://${name}/SKILL.md`, digest: 'sha256:0', size: 1 }],
});

const roles = [
  { role: 'reader', allowedTools: [], allowedResources: ['left.*'] },
  { role: 'part', allowedTools: ['right.work'], allowedResources: ['left.skill://one/*'] },
];

async function open(workers: readonly Worker[], options: Partial<GatewayOptions> = {}, role?: string) {
  const registry = createRegistry({ roles });
  for (const { source } of workers) await registry.attach(source).ready;
  const gateway = createGateway({ registry, upstreams: upstreamsOf(...workers) as never, ...options });
  const handler = gateway.handler({ allowAnonymous: true }, () => (role === undefined ? {} : { role }));
  opened.push(registry, gateway, handler);
  const list = async (cursor?: string) =>
    (await post(handler, { method: 'skills/list', params: cursor === undefined ? {} : { cursor } })).result;
  return { list, handler };
}

function serving(name: string, ...pages: readonly (readonly unknown[])[]) {
  const worker = createWorker(name, { capabilities });
  worker.answer = ({ params }) => {
    const index = Number(params.cursor ?? 0);
    return { skills: pages[index], ...(index + 1 < pages.length && { nextCursor: String(index + 1) }) };
  };
  return worker;
}

const urisOf = ({ skills }: { readonly skills: readonly { readonly uri: string }[] }) => skills.map(({ uri }) => uri);

test('all pages of all servers are one list, which has pages of its own', async () => {
  const workers = [serving('left', [skill('one')], [skill('two')]), serving('right', [skill('one')])];
  const { list } = await open(workers, { pageSize: 2 });
  const first = await list();
  expect(urisOf(first)).toEqual(['skill://mcp+left/one/SKILL.md', 'skill://mcp+left/two/SKILL.md']);
  expect(first).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  const last = await list(first.nextCursor);
  expect(urisOf(last)).toEqual(['skill://mcp+right/one/SKILL.md']);
  expect(last).not.toHaveProperty('nextCursor');
});

test('an invalid skill costs no other one', async () => {
  const { uri, ...nameless } = skill('two');
  const odd = [7, nameless, { ...skill('three'), resources: [{ uri }] }, { uri, frontmatter: { name: 'four' } }];
  const { list } = await open([serving('left', [...odd, skill('one')]), createWorker('right')]);
  expect(urisOf(await list())).toEqual(['skill://mcp+left/one/SKILL.md']);
});

test('a server that fails is named to those that may read all of its resources', async () => {
  const failing = serving('left');
  failing.answer = () => Promise.reject(new Error('broken'));
  const reported: string[] = [];
  const onProblem = ({ message }: { readonly message: string }) => reported.push(message);
  const incomplete = { 'mcp-registry/incomplete': [{ server: 'left', reason: 'failed' }] };
  const workers = [failing, serving('right', [skill('one')])];
  expect((await (await open(workers, { onProblem })).list())._meta).toMatchObject(incomplete);
  expect(reported).toEqual(['The skills of server "left" are not all listed: broken']);
  expect((await (await open(workers, {}, 'reader')).list())._meta).toMatchObject(incomplete);
  expect((await (await open(workers, {}, 'part')).list())._meta).not.toHaveProperty(['mcp-registry/incomplete']);
});

test('a role gets the skills and files that it may read', async () => {
  const two = { ...skill('one'), resources: [...skill('one').resources, ...skill('two').resources] };
  const { list, handler } = await open([serving('left', [two, skill('two')]), createWorker('right')], {}, 'part');
  const { skills } = await list();
  expect(skills).toMatchObject([{ uri: 'skill://mcp+left/one/SKILL.md' }]);
  expect(skills[0].resources.map((each: { uri: string }) => each.uri)).toEqual(['skill://mcp+left/one/SKILL.md']);
  const hidden = { method: 'skills/get', params: { uri: 'skill://mcp+left/two/SKILL.md' } };
  const unknown = { method: 'skills/get', params: { uri: 'skill://mcp+gone/two/SKILL.md' } };
  const [refused, absent] = [await post(handler, hidden), await post(handler, unknown)];
  expect(JSON.stringify(refused).replaceAll('left', 'gone')).toBe(JSON.stringify(absent));
});

test('a list counts as a request to each server, which rate limits and audit see', async () => {
  const events: AuditEvent[] = [];
  const registry = createRegistry({ audit: (event) => void events.push(event) });
  const workers = [serving('left', [skill('one')]), serving('right', [skill('one')])];
  for (const { source } of workers) await registry.attach(source).ready;
  const rateLimits = { perServer: { left: { requests: 1, perMs: 3_600_000 } } };
  const gateway = createGateway({ registry, upstreams: upstreamsOf(...workers) as never, rateLimits });
  const handler = gateway.handler({ allowAnonymous: true });
  opened.push(registry, gateway, handler);
  const list = async () => (await post(handler, { method: 'skills/list' })).result;
  const seen = () =>
    events.splice(0).flatMap((event) => {
      const { server, outcome, decision } = event as { server?: string; outcome?: string; decision?: string };
      return JSON.stringify(event).includes('skills/list') ? [`${server} ${decision} ${outcome}`] : [];
    });
  expect(urisOf(await list())).toEqual(['skill://mcp+left/one/SKILL.md', 'skill://mcp+right/one/SKILL.md']);
  expect(seen().toSorted()).toEqual(
    ['left', 'right'].flatMap((server) => [`${server} allowed ok`, `${server} allowed started`]),
  );
  const limited = await list();
  expect(urisOf(limited)).toEqual(['skill://mcp+right/one/SKILL.md']);
  expect(limited._meta).toMatchObject({ 'mcp-registry/incomplete': [{ server: 'left', reason: 'rate-limited' }] });
  expect(seen()).toContain('left denied undefined');
  expect(workers[0]?.requests).toHaveLength(1);
});
