import { once } from 'node:events';
import type { ToolCallResult, ToolSource } from '@x/internal/contracts';
import { interceptorsOf } from '@x/internal/views';
import { textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { redactResults } from '../../src/interceptors/redact-results.js';
import { limitResults } from '../../src/interceptors/result-limits/limit-results.js';
import { createRegistry, type RegistryOptions } from '../../src/registry.js';

const secret = 'hunter2-correct-horse';
const base64 = Buffer.from(secret).toString('base64');

async function open(answer: () => ToolCallResult, interceptors: RegistryOptions['interceptors']) {
  const source: ToolSource = { name: 'vault', listTools: () => [tool('get')], callTool: async () => answer() };
  const registry = createRegistry({ interceptors });
  await registry.attach(source).ready;
  return registry;
}

describe('secrets are hidden', () => {
  test('in texts, structured content, keys, resources and failures of tools', async () => {
    const answer = (): ToolCallResult => ({
      content: [
        { type: 'text', text: `The password is ${secret}, or ${base64}` },
        { type: 'resource', resource: { uri: 'file:///env', text: `PASSWORD=${secret}` } },
      ],
      structuredContent: { [secret]: { value: secret, others: [secret] } },
      isError: true,
      _meta: { note: secret },
    });
    const registry = await open(answer, [redactResults({ redact: [secret] })]);
    expect(await registry.call('mcp__vault__get')).toEqual({
      content: [
        { type: 'text', text: 'The password is ***, or ***' },
        { type: 'resource', resource: { uri: 'file:///env', text: 'PASSWORD=***' } },
      ],
      structuredContent: { '***': { value: '***', others: ['***'] } },
      isError: true,
      _meta: { note: '***' },
    });
  });

  test('in errors of the protocol, which keep their code', async () => {
    const failing = () => {
      const cause = new Error(`inner ${secret}`);
      throw Object.assign(new Error(`No ${secret}`, { cause }), { code: -32_001, data: { [secret]: secret } });
    };
    const registry = await open(failing, [redactResults({ redact: [secret] })]);
    const error = await registry.call('mcp__vault__get').catch((failure) => failure);
    expect(error).toMatchObject({ code: -32_001, message: 'No ***', data: { '***': '***' } });
    expect(error.cause.message).toBe('inner ***');
    expect(error.stack).not.toContain(secret);
  });

  test('in all fields of an error, in its causes and in the errors of one', async () => {
    const failing = () => {
      const error = Object.assign(new AggregateError([new Error(`one ${secret}`)], 'several'), {
        rpc: { code: -32_001, message: `rpc ${secret}`, data: { [secret]: [secret] } },
        stderrTail: [`line ${secret}`],
      });
      error.cause = error;
      throw error;
    };
    const registry = await open(failing, [redactResults({ redact: [secret] })]);
    const error = await registry.call('mcp__vault__get').catch((failure) => failure);
    expect(error).toMatchObject({
      message: 'several',
      rpc: { code: -32_001, message: 'rpc ***', data: { '***': ['***'] } },
      stderrTail: ['line ***'],
    });
    expect(error.errors[0].message).toBe('one ***');
  });

  test.each([Object.freeze(new Error('plain')), new DOMException('gone', 'AbortError')])(
    'and an error without them passes unchanged: %s',
    async (failure) => {
      const failing = () => {
        throw failure;
      };
      const registry = await open(failing, [redactResults({ redact: [secret] })]);
      await expect(registry.call('mcp__vault__get')).rejects.toBe(failure);
    },
  );

  test('in resources and prompts', async () => {
    const registry = await open(() => textResult('ok'), [redactResults({ redact: [secret] })]);
    const signal = new AbortController().signal;
    const passing = interceptorsOf(registry.view());
    const read = { server: 'vault', uri: 'file:///env', signal };
    expect(await passing?.read(read, async () => ({ contents: [{ uri: 'file:///env', text: secret }] }))).toEqual({
      contents: [{ uri: 'file:///env', text: '***' }],
    });
    await expect(passing?.read(read, () => Promise.reject(new Error(secret)))).rejects.toThrow('***');
    const prompt = { server: 'vault', prompt: 'ask', args: {}, signal };
    const messages = [{ role: 'user', content: { type: 'text', text: secret } }];
    expect(await passing?.getPrompt(prompt, async () => ({ messages }))).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: '***' } }],
    });
  });

  test('before a long result is kept, so that no page shows them', async () => {
    const long = `${'x '.repeat(10_000)}${secret}`;
    const registry = await open(() => textResult(long), [limitResults(), redactResults({ redact: [secret] })]);
    const id = /"id":"(\w+)"/.exec(JSON.stringify(await registry.call('mcp__vault__get')).replaceAll('\\', ''))?.[1];
    const page = await registry.call('read_mcp_result', { id, offset: 19_990 });
    expect(page.content[0]).toEqual({ type: 'text', text: `${'x '.repeat(5)}***` });
  });

  test('in definitions of tools, listed, searched and read, and the tool stays callable', async () => {
    const uri = `postgres://app:${secret}@db/main`;
    const query = {
      name: 'query',
      title: `Query ${uri}`,
      description: `Runs SQL at ${uri}.`,
      inputSchema: { type: 'object', properties: { sql: { type: 'string', description: `For ${uri}` } } },
      outputSchema: { type: 'object', description: base64 },
      _meta: { uri },
    };
    const registry = createRegistry({ interceptors: [redactResults({ redact: [secret] })] });
    const result = { ...textResult('1'), structuredContent: {} };
    await registry.attach({ name: 'db', listTools: () => [query, tool('plain')], callTool: async () => result }).ready;
    const plain = createRegistry();
    await plain.attach({ name: 'db', listTools: () => [query, tool('plain')], callTool: async () => result }).ready;
    expect(registry.get('mcp__db__plain')).toEqual(plain.get('mcp__db__plain'));
    const shown = 'postgres://app:***@db/main';
    expect(registry.get('mcp__db__query')).toMatchObject({
      title: `Query ${shown}`,
      description: `Runs SQL at ${shown}.`,
      inputSchema: { properties: { sql: { description: `For ${shown}` } } },
      outputSchema: { description: '***' },
      _meta: { uri: shown },
    });
    const found = await registry.call('search_mcp_tools', { query: 'runs sql', detail: 'full' });
    for (const read of [registry.list(), found]) {
      expect(JSON.stringify(read)).toContain('Runs SQL');
      expect(JSON.stringify(read)).not.toContain(secret);
      expect(JSON.stringify(read)).not.toContain(base64);
    }
    expect(await registry.call('mcp__db__query', { sql: 'select 1' })).toBe(result);
  });

  test('by a function of the app', async () => {
    const redact = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('secret', '…'));
    const registry = await open(() => textResult('a secret'), [redactResults({ redact })]);
    expect(await registry.call('mcp__vault__get')).toEqual(textResult('a …'));
  });
});

test('a result without secrets passes as the same object', async () => {
  const result = textResult('nothing');
  const registry = await open(() => result, [redactResults({ redact: [secret] })]);
  expect(await registry.call('mcp__vault__get')).toBe(result);
});

test('a function that fails or returns no result refuses the request', async () => {
  const broken = [
    () => {
      throw new Error('broken');
    },
    () => 'text',
    () => ({ content: 'text' }),
  ];
  for (const fail of broken) {
    const redact = (value: unknown) => ('content' in Object(value) ? fail() : value);
    const registry = await open(() => textResult(secret), [redactResults({ redact })]);
    const error = await registry.call('mcp__vault__get').catch((failure) => failure);
    expect(error).toMatchObject({ code: 'refused' });
    expect(error.message).not.toContain(secret);
  }
});

test('a function that fails for a definition hides the tool', async () => {
  const warned = once(process, 'warning');
  const redact = () => {
    throw new Error('broken');
  };
  const registry = await open(() => textResult('x'), [redactResults({ redact })]);
  await expect(registry.call('mcp__vault__get')).rejects.toMatchObject({ code: 'unknown-tool' });
  expect(registry.list().map(({ name }) => name)).not.toContain('mcp__vault__get');
  expect(String((await warned)[0])).toContain('redact-results');
});

test('options that hide nothing are refused', () => {
  for (const redact of [undefined, 'secret', [1]]) {
    expect(() => redactResults({ redact } as never)).toThrow('redact must be a list of secrets or a function');
  }
});
