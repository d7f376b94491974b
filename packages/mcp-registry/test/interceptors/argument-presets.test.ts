import type { ToolArguments } from '@x/internal/contracts';
import type { Interceptor } from '@x/internal/views';
import { textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { type ArgumentPreset, presetArguments } from '../../src/interceptors/argument-presets.js';
import { createRegistry } from '../../src/registry.js';

const inputSchema = {
  type: 'object',
  properties: {
    owner: { type: 'string' },
    repo: { type: 'string' },
    limit: { type: 'integer', minimum: 1 },
    verbose: { type: 'boolean' },
  },
  required: ['owner', 'repo', 'limit'],
  additionalProperties: false,
};

async function createGit(presets: readonly ArgumentPreset[]) {
  const calls: ToolArguments[] = [];
  const registry = createRegistry({
    interceptors: [presetArguments(presets)],
    roles: [{ role: 'dev', allowedTools: ['git.*'] }],
  });
  await registry.attach({
    name: 'git',
    listTools: () => [{ ...tool('issues'), inputSchema }, tool('status')],
    async callTool(_, args) {
      calls.push(args);
      return textResult('done');
    },
  }).ready;
  return { registry, calls };
}

const shown = (registry: { get(name: string): { readonly inputSchema: object } | undefined }) =>
  registry.get('mcp__git__issues')?.inputSchema;

describe('arguments', () => {
  test('are fixed, supplied and hidden, in the schema and in calls', async () => {
    const { registry, calls } = await createGit([
      { tools: ['git.*'], fixed: { owner: 'acme' }, defaults: { limit: 20 }, hidden: ['verbose'] },
    ]);
    expect(shown(registry)).toEqual({
      ...inputSchema,
      properties: { repo: { type: 'string' }, limit: { type: 'integer', minimum: 1, default: 20 } },
      required: ['repo'],
    });
    await registry.call('mcp__git__issues', { repo: 'x' });
    await registry.call('mcp__git__issues', { repo: 'x', limit: 3 });
    expect(calls).toEqual([
      { repo: 'x', owner: 'acme', limit: 20 },
      { repo: 'x', owner: 'acme', limit: 3 },
    ]);
    await registry.call('mcp__git__status');
    expect(calls.at(-1)).toEqual({});
  });

  test.each([{ owner: 'evil' }, { verbose: true }])('that callers may not send are refused: %j', async (extra) => {
    const { registry, calls } = await createGit([{ tools: ['git.*'], fixed: { owner: 'a' }, hidden: ['verbose'] }]);
    await expect(registry.call('mcp__git__issues', { repo: 'x', limit: 1, ...extra })).rejects.toMatchObject({
      code: 'invalid-arguments',
    });
    expect(calls).toEqual([]);
  });

  test('that a lenient schema lets through are refused all the same', async () => {
    const { additionalProperties: _, ...lenient } = inputSchema;
    const calls: unknown[] = [];
    const registry = createRegistry({
      interceptors: [presetArguments([{ tools: ['git.issues'], fixed: { owner: 'acme' }, hidden: ['verbose'] }])],
    });
    await registry.attach({
      name: 'git',
      listTools: () => [{ ...tool('issues'), inputSchema: lenient }],
      callTool: async (_name, args) => {
        calls.push(args);
        return textResult('done');
      },
    }).ready;
    const asked = { repo: 'x', limit: 1 };
    for (const extra of [{ owner: 'evil' }, { verbose: true }]) {
      await expect(registry.call('mcp__git__issues', { ...asked, ...extra })).rejects.toMatchObject({
        code: 'refused',
      });
    }
    // Not even the right value: a refusal of all others would reveal it.
    await expect(registry.call('mcp__git__issues', { ...asked, owner: 'acme' })).rejects.toMatchObject({
      code: 'refused',
    });
    await registry.call('mcp__git__issues', asked);
    expect(calls).toEqual([{ ...asked, owner: 'acme' }]);
  });

  test('are functions of the caller, and a caller without a value is refused', async () => {
    const fixed = { owner: ({ principal }: { principal?: string }) => principal };
    const { registry, calls } = await createGit([{ tools: ['git.issues'], fixed }]);
    const asked = { repo: 'x', limit: 1 };
    await registry.view({ role: 'dev', principal: 'ada' }).call('mcp__git__issues', asked);
    await expect(registry.view({ role: 'dev' }).call('mcp__git__issues', asked)).rejects.toMatchObject({
      code: 'refused',
      cause: { message: 'The preset of "owner" has no value for this caller' },
    });
    expect(calls).toEqual([{ ...asked, owner: 'ada' }]);
  });

  test('are fixed for every role, also where an earlier interceptor hides them', async () => {
    const calls: unknown[] = [];
    const withoutOwner: Interceptor = {
      name: 'without-owner',
      list(shown, { role }) {
        const { owner: _, ...properties } = inputSchema.properties;
        if (role !== 'guest' || shown.tool !== 'issues') return shown;
        return {
          ...shown,
          inputSchema: { ...inputSchema, properties, required: ['repo'], additionalProperties: true },
        };
      },
    };
    const roles = ['guest', 'dev'].map((role) => ({ role, allowedTools: ['git.*'] }));
    const presets = presetArguments([{ tools: ['git.*'], fixed: { owner: 'acme' } }]);
    const registry = createRegistry({ roles, interceptors: [withoutOwner, presets] });
    await registry.attach({
      name: 'git',
      listTools: () => [{ ...tool('issues'), inputSchema: { ...inputSchema, additionalProperties: true } }],
      async callTool(_, args) {
        calls.push(args);
        return textResult('done');
      },
    }).ready;
    const asked = { repo: 'x', limit: 1 };
    for (const role of ['guest', 'dev', 'guest']) {
      const view = registry.view({ role });
      view.list();
      await expect(view.call('mcp__git__issues', { ...asked, owner: 'evil' })).rejects.toMatchObject({
        code: 'refused',
      });
      await view.call('mcp__git__issues', asked);
    }
    expect(calls).toEqual(Array.from({ length: 3 }, () => ({ ...asked, owner: 'acme' })));
  });

  test('of the first preset that names them decide, and a value that does not fit the tool fails', async () => {
    const { registry, calls } = await createGit([
      { tools: ['git.issues'], fixed: { owner: 'first' } },
      { tools: ['git'], fixed: { owner: 'second' }, defaults: { limit: 0 } },
    ]);
    await expect(registry.call('mcp__git__issues', { repo: 'x' })).rejects.toMatchObject({
      code: 'refused',
      message: 'The arguments that an interceptor set do not fit mcp__git__issues; it was not run',
      cause: { code: 'invalid-arguments', faults: [{ path: '/limit' }] },
    });
    await registry.call('mcp__git__issues', { repo: 'x', limit: 2 });
    expect(calls).toEqual([{ repo: 'x', limit: 2, owner: 'first' }]);
  });
});

test.each([
  [{ type: 'object' }, {}],
  [{ type: 'object', properties: { repo: {} } }, {}],
  [{ type: 'object', allOf: [{ properties: { owner: {} } }] }, { owner: 'acme' }],
  [{ type: 'object', $ref: '#/$defs/a', $defs: { a: { properties: { owner: {} } } } }, { owner: 'acme' }],
])('callers send no fixed argument to a tool with the schema %j', async (schema, sent) => {
  const calls: unknown[] = [];
  const presets = presetArguments([{ tools: ['git'], fixed: { owner: 'acme' }, hidden: ['token'] }]);
  const registry = createRegistry({ interceptors: [presets] });
  await registry.attach({
    name: 'git',
    listTools: () => [{ ...tool('issues'), inputSchema: schema }],
    async callTool(_, args) {
      calls.push(args);
      return textResult('done');
    },
  }).ready;
  for (const extra of [{ owner: 'evil' }, { token: 'x' }]) {
    await expect(registry.call('mcp__git__issues', extra)).rejects.toMatchObject({ code: 'refused' });
  }
  await registry.call('mcp__git__issues', {});
  expect(calls).toEqual([sent]);
});

test('keywords that reveal a hidden argument are not shown', async () => {
  const schema = {
    type: 'object',
    properties: { account: { type: 'integer' }, sum: { type: 'integer' } },
    required: ['account', 'sum'],
    examples: [{ account: 4711, sum: 1 }],
    dependentRequired: { sum: ['account'] },
    anyOf: [{ required: ['account'] }],
    description: 'Pays',
  };
  const registry = createRegistry({ interceptors: [presetArguments([{ tools: ['bank'], fixed: { account: 4711 } }])] });
  await registry.attach({
    name: 'bank',
    listTools: () => [{ ...tool('pay'), inputSchema: schema }],
    callTool: async (_, args) => textResult(JSON.stringify(args)),
  }).ready;
  expect(registry.get('mcp__bank__pay')?.inputSchema).toEqual({
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
    description: 'Pays',
  });
  expect(await registry.call('mcp__bank__pay', { sum: 2 })).toMatchObject(textResult('{"sum":2,"account":4711}'));
});

test.each<[unknown, string]>([
  [{}, 'presetArguments() takes a list of presets'],
  [[{}], 'presets[0].tools must be a list of texts'],
  [[{ tools: [], fix: {} }], 'presets[0].fix'],
  [[{ tools: [], fixed: [] }], 'presets[0].fixed must be an object'],
])('%j are no presets', (presets, message) => {
  expect(() => presetArguments(presets as never)).toThrow(message);
});
