import { createRegistry } from '@x/mcp-registry';
import { type CodeRunner, openCodeRunner } from '@x/mcp-registry/code';
import { redactResults } from '@x/mcp-registry/interceptors';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import { gatewayWays } from '../helpers/gateway-client.js';
import { openSdkUpstreams } from '../helpers/sdk-upstreams.js';
import { createShelf } from '../helpers/shelf-server.js';

let code: CodeRunner;
beforeAll(async () => {
  code = await openCodeRunner();
});
afterAll(() => code.close());

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function openShelves(requests: number) {
  const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['left'] }] });
  const shelves = { left: createShelf('left').server, right: createShelf('right').server };
  const upstreams = await openSdkUpstreams(registry, shelves);
  const rateLimits = { perRole: { reader: { requests, perMs: 3_600_000 } } };
  const gateway = createGateway({ registry, upstreams, surface: 'search', code, rateLimits });
  opened.push(registry, upstreams, gateway);
  return gateway;
}

describe.each(gatewayWays)('$name', ({ connect }) => {
  test('runs a program, whose calls are those of the role and count towards its limits', async () => {
    const client = await connect(await openShelves(2), { role: 'reader' });
    opened.push(client);
    expect(client.info.instructions).toContain('call_mcp_tool to call it. execute_mcp_code runs a program');
    const { tools } = await client.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'call_mcp_tool',
      'execute_mcp_code',
      'search_mcp_tools',
    ]);
    const program = `const outcomes = [];
const attempt = async (name) => {
  try { await tools[name]({}); outcomes.push('ok') } catch (error) { outcomes.push(error.message) }
};
await attempt('mcp__right__find');
await attempt('call_mcp_tool');
for (let n = 0; n < 3; n++) await attempt('mcp__left__find');
return outcomes`;
    const result = await client.request('tools/call', { name: 'execute_mcp_code', arguments: { code: program } });
    expect(JSON.parse(result.content[0].text)).toEqual([
      expect.stringContaining('no tool named "mcp__right__find"'),
      'A program does not call call_mcp_tool: call the tool itself, await tools["NAME"]({ … })',
      'ok',
      'ok',
      expect.stringMatching(/^Too many requests; try again in \d+ milliseconds$/),
    ]);
  });
});

test('its answer passes the interceptors of the view', async () => {
  const registry = createRegistry({ interceptors: [redactResults({ redact: ['hunter2-horse'] })] });
  const upstreams = await openSdkUpstreams(registry, {});
  registry.register({ name: 'work', description: 'Works' }, () => 'done');
  const gateway = createGateway({ registry, upstreams, surface: 'search', code });
  const client = await gatewayWays[0]?.connect(gateway);
  opened.push(registry, upstreams, gateway);
  if (client) opened.push(client);
  const args = { code: "return ['hunter2', 'horse'].join('-')" };
  const result = await client?.request('tools/call', { name: 'execute_mcp_code', arguments: args });
  expect(result.content).toEqual([{ type: 'text', text: '***' }]);
});

test('is refused where all tools are listed', async () => {
  const registry = createRegistry();
  const upstreams = await openSdkUpstreams(registry, {});
  opened.push(registry, upstreams);
  expect(() => createGateway({ registry, upstreams, code })).toThrow(
    'code needs surface: "search", whose tools find what a program calls, got "full"',
  );
});
