import { createRegistry } from '@x/mcp-registry';
import { openCodeRunner } from '@x/mcp-registry/code';
import { createListSource } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayProblem } from '../../../src/index.js';
import { gatewayWays } from '../helpers/gateway-client.js';
import { silentUpstreams } from '../helpers/plain-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const failure = 'Exited with code 1: /home/me/.secret/bin --key hunter2';
const asked = { name: 'mcp__gone__read', arguments: {} };
const calls = [
  ['full', asked],
  ['search', { name: 'call_mcp_tool', arguments: asked }],
  ['search', { name: 'execute_mcp_code', arguments: { code: 'return await tools.mcp__gone__read({}).catch(String)' } }],
] as const;

describe.each(gatewayWays)('$name', ({ connect }) => {
  test.each(calls)(
    'with the surface %s, clients get one word of a failure, and onProblem the rest: %j',
    async (...of) => {
      const [surface, params] = of;
      const registry = createRegistry();
      const gone = { ...createListSource('gone'), hasListed: false, state: 'failed' as const, lastError: failure };
      await registry.attach(gone).ready;
      registry.register({ name: 'own', description: '' }, () => 'ran');
      const code = surface === 'search' ? await openCodeRunner() : undefined;
      const problems: GatewayProblem[] = [];
      const onProblem = (problem: GatewayProblem) => void problems.push(problem);
      const gateway = createGateway({ registry, upstreams: silentUpstreams(), surface, code, onProblem });
      if (code !== undefined) opened.push(code);
      opened.push(registry, gateway);
      const client = await connect(gateway);
      opened.push(client);
      const answer = await client.request('tools/call', params).catch(({ message }: Error) => message);
      const told = JSON.stringify(answer);
      expect(told).not.toContain('hunter2');
      expect(told).toMatch(/server \W+gone\W+ has not listed its tools: not-running/);
      expect(problems).toMatchObject([
        { code: 'request-failed', server: 'gone', reason: 'not-running', message: expect.stringContaining(failure) },
      ]);
    },
  );
});
