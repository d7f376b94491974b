import { createListSource, textOf, tool } from '@x/test-servers';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { RegistryError } from '../src/errors.js';
import { createRegistry } from '../src/registry.js';

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
};

async function withSource(options = {}, schema: unknown = inputSchema) {
  const registry = createRegistry(options);
  const source = createListSource('files', [tool('read', { inputSchema: schema })]);
  await registry.attach(source).ready;
  return { registry, source };
}

const failureOf = (call: Promise<unknown>): Promise<RegistryError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('a call with arguments that do not fit', () => {
  test('fails before the tool runs, with all that a model needs for a correct call', async () => {
    const { registry, source } = await withSource();
    const error = await failureOf(registry.call('mcp__files__read', { pth: 'a', limit: '3' }));
    expect(source.calls).toEqual([]);
    expect(error).toMatchObject({ name: 'RegistryError', code: 'invalid-arguments', tool: 'mcp__files__read' });
    expect(error.message).toMatchInlineSnapshot(`
      "The arguments of mcp__files__read do not fit; it was not run.
      - /path is missing (expected: string); was "pth" meant for it?
      - /pth is not known here (expected: one of "path" | "limit"); did you mean "path"?
      - /limit must be an integer, got a string that holds one: give it as it is, without the quotes (expected: integer (at least 1))
      It takes (path: string, limit?: integer (at least 1))"
    `);
    expect(error.faults).toEqual([
      { path: '/path', message: 'is missing', expected: 'string', closest: 'pth' },
      { path: '/pth', message: 'is not known here', expected: 'one of "path" | "limit"', closest: 'path' },
      { path: '/limit', message: expect.any(String), expected: 'integer (at least 1)' },
    ]);
  });

  test('has one line for each fault, with any names and formats', async () => {
    const name = 'a\n- /forged is fine\u2028';
    const schema = { properties: { [name]: { type: 'string', format: 'x\n- forged' } }, required: [name] };
    const { registry } = await withSource({}, schema);
    const { message } = await failureOf(registry.call('mcp__files__read', {}));
    expect(message.split('\n')).toEqual([
      expect.stringContaining('it was not run.'),
      expect.stringContaining('- /a\\u000a- ~1forged is fine\\u2028 is missing'),
      expect.stringContaining('It takes ('),
    ]);
  });

  test('reaches the server if checks are off', async () => {
    const { registry, source } = await withSource({ validateArguments: false });
    await registry.call('mcp__files__read', { pth: 'a' });
    expect(source.calls).toMatchObject([{ args: { pth: 'a' } }]);
    expect(() => createRegistry({ validateArguments: 1 as never })).toThrow(/validateArguments/);
  });

  test('fails in a view of a role as well, and does not mention arguments for an unknown tool', async () => {
    const { registry } = await withSource({ roles: [{ role: 'r', allowedTools: ['files.read'] }] });
    const view = registry.view({ role: 'r' });
    await expect(view.call('mcp__files__read', {})).rejects.toMatchObject({ code: 'invalid-arguments' });
    await expect(registry.view({ role: 'x' }).call('mcp__files__read', {})).rejects.toMatchObject({
      code: 'unknown-tool',
      faults: [],
    });
  });

  test('fails for a native tool with JSON Schema', async () => {
    const registry = createRegistry();
    const handler = vi.fn(() => 'ran');
    registry.register({ name: 'native', description: '', inputSchema }, handler);
    await expect(registry.call('native', {})).rejects.toMatchObject({ faults: [{ path: '/path' }] });
    expect(handler).not.toHaveBeenCalled();
    expect(textOf(await registry.call('native', { path: 'a' }))).toBe('ran');
  });
});

test('arguments are passed on unchanged, without defaults and conversions', async () => {
  const { registry, source } = await withSource({}, { properties: { n: { type: 'integer', default: 3 }, m: {} } });
  const args = { m: '5' };
  await registry.call('mcp__files__read', args);
  expect(source.calls[0]?.args).toBe(args);
});

test('unchecked parts of a schema are in the diagnostics from the first call on', async () => {
  const { registry } = await withSource(
    {},
    { type: 'object', properties: { a: { $ref: 'https://schema.example/a' } } },
  );
  expect(await registry.diagnostics()).toEqual([]);
  await registry.call('mcp__files__read', { a: 1 });
  expect(await registry.diagnostics()).toEqual([
    {
      code: 'unchecked-arguments',
      server: 'files',
      tool: 'read',
      message: expect.stringContaining('https://schema.example/a'),
    },
  ]);
});

describe('a native tool with a zod schema', () => {
  const schema = z.object({
    path: z.string().describe('Where'),
    limit: z.number().int().default(3),
    since: z
      .string()
      .transform((text) => new Date(text))
      .optional(),
  });

  test('shows its JSON Schema, and its handler gets the output of the schema', async () => {
    const registry = createRegistry();
    const seen: unknown[] = [];
    registry.register({ name: 'native', description: '', inputSchema: schema }, ({ limit, since }) => {
      seen.push(limit, since?.getUTCFullYear());
      return { limit };
    });
    expect(registry.get('native')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string', description: 'Where' }, limit: { default: 3 } },
      required: ['path'],
    });
    expect((await registry.call('native', { path: 'a', since: '2020-01-01' })).structuredContent).toEqual({ limit: 3 });
    expect(seen).toEqual([3, 2020]);
  });

  test('is not run with invalid arguments, even if the registry does not check', async () => {
    for (const validateArguments of [true, false]) {
      const registry = createRegistry({ validateArguments });
      const handler = vi.fn();
      registry.register({ name: 'native', description: '', inputSchema: schema }, handler);
      await expect(registry.call('native', { pth: 'a' })).rejects.toMatchObject({
        code: 'invalid-arguments',
        faults: [{ path: '/path', message: 'is missing', expected: 'string', closest: 'pth' }],
      });
      expect(handler).not.toHaveBeenCalled();
    }
  });

  test('reports issues that only the schema finds', async () => {
    const registry = createRegistry();
    const even = z.object({ list: z.array(z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') })) });
    registry.register({ name: 'native', description: '', inputSchema: even }, () => '');
    await expect(registry.call('native', { list: [{ n: 2 }, { n: 3 }] })).rejects.toMatchObject({
      faults: [{ path: '/list/1/n', message: 'is refused: must be even', expected: 'number' }],
    });
  });

  test('whose message has several lines stays on one', async () => {
    const registry = createRegistry();
    const inputSchema = z.object({ n: z.number().refine(() => false, 'no\n- /forged is fine') });
    registry.register({ name: 'native', description: '', inputSchema }, () => '');
    const { message, faults } = await failureOf(registry.call('native', { n: 1 }));
    expect(message.split('\n')).toHaveLength(3);
    expect(faults[0]?.message).toBe('is refused: no\\u000a- /forged is fine');
  });

  test('that throws fails like the tool itself', async () => {
    const registry = createRegistry();
    const inputSchema = z.object({
      a: z.string().transform(() => {
        throw new Error('the schema broke');
      }),
    });
    registry.register({ name: 'broken', description: '', inputSchema }, () => 'never');
    expect(await registry.call('broken', { a: 'x' })).toEqual({
      content: [{ type: 'text', text: 'the schema broke' }],
      isError: true,
    });
  });

  test('may be asynchronous, and ends with the call', async () => {
    const registry = createRegistry();
    const slow = z.object({ a: z.string().refine(async () => new Promise<boolean>(() => {})) });
    registry.register({ name: 'native', description: '', inputSchema: slow }, () => '');
    const controller = new AbortController();
    const call = registry.call('native', { a: '' }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('without a JSON Schema is refused with the reason', () => {
    const register = (input: unknown) => () =>
      createRegistry().register({ name: 'native', description: '', inputSchema: input as never }, () => '');
    expect(register(z.object({ when: z.date() }))).toThrow(/inputSchema of the tool native has a part/);
    expect(register(z.string())).toThrow(/must have type "object", got "string"/);
    expect(register({ '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } })).toThrow(/4\.2/);
  });

  test('may be a union of objects, and has an output schema', async () => {
    const registry = createRegistry();
    const either = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.string() }),
    ]);
    const outputSchema = z.object({ sum: z.number() });
    registry.register({ name: 'native', description: '', inputSchema: either, outputSchema }, ({ kind }) => kind);
    expect(registry.get('native')?.outputSchema).toMatchObject({ properties: { sum: { type: 'number' } } });
    expect(textOf(await registry.call('native', { kind: 'b', b: '' }))).toBe('b');
    await expect(registry.call('native', { kind: 'b' })).rejects.toMatchObject({ faults: [{ path: '/b' }] });
  });
});
