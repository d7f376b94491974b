import { createListSource } from '@x/test-servers';
import { jsonSchema } from 'ai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aiSdk, anthropic as anthropicTools, type FormatNote, openaiChat } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';
import { expectAllowedSchema, expectStrictSchema } from './api-rules.js';

async function registryOf(inputSchema: object, more: object = {}) {
  const registry = createRegistry();
  const source = createListSource('odd', [{ name: 'tool', description: 'Does it', inputSchema, ...more }]);
  await registry.attach(source).ready;
  return registry;
}

/** In every format, with what was noted on the way. */
async function formatted(inputSchema: object, more: object = {}) {
  const registry = await registryOf(inputSchema, more);
  const notes: FormatNote[] = [];
  const own = ({ name }: { name: string }) => name === 'mcp__odd__tool';
  const options = { onNote: (note: FormatNote) => own({ name: note.tool }) && notes.push(note) };
  const chat = openaiChat(registry, options).tools.find((tool) => own(tool.function));
  const strict = openaiChat(registry, { ...options, strict: true }).tools.find((tool) => own(tool.function));
  const anthropic = anthropicTools(registry, options).tools.find(own);
  const vercel = aiSdk(registry, { jsonSchema }).tools.mcp__odd__tool;
  return { chat, strict, anthropic, vercel, codes: new Set(notes.map(({ code }) => code)), notes };
}

describe('schemas that APIs would refuse', () => {
  test('a reference is replaced by what it stands for', async () => {
    const { anthropic, codes } = await formatted({
      type: 'object',
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        at: { $ref: '#/definitions/point', description: 'Where' },
        by: { $ref: '#color' },
        far: { $ref: 'https://example.com/schema.json' },
      },
      definitions: {
        point: { type: 'object', properties: { x: { type: 'number' } } },
        color: { $anchor: 'color', enum: ['red'] },
      },
    });
    expect(anthropic?.input_schema).toEqual({
      type: 'object',
      properties: {
        at: { type: 'object', properties: { x: { type: 'number' } }, description: 'Where' },
        by: { enum: ['red'] },
        far: {},
      },
    });
    expect(codes).toEqual(new Set(['schema-opened', 'not-strict']));
  });

  test('anchors are looked up once, however many references there are', async () => {
    const properties = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`p${at}`, { $ref: '#none' }]));
    const { chat, codes } = await formatted({ type: 'object', properties }); // takes minutes otherwise
    expect(Object.keys(chat?.function.parameters.properties ?? {})).toHaveLength(9_000);
    expect(codes).toContain('schema-opened');
  });

  test('halves of characters are replaced', async () => {
    const { anthropic, chat } = await formatted(
      { type: 'object', properties: { 'a\ud800': { description: '\udc00 \u{1F600}', enum: ['\ud83d'] } } },
      { description: 'Does \ud800 it \u{1F600}' },
    );
    expect(anthropic?.description).toBe('Does \ufffd it \u{1F600}');
    expect(chat?.function.parameters.properties).toEqual({
      'a\ufffd': { description: '\ufffd \u{1F600}', enum: ['\ufffd'] },
    });
  });

  test('a circular reference accepts any value at its second occurrence', async () => {
    const { chat, strict, codes } = await formatted({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, self: { $ref: '#' } } } },
    });
    expect(chat?.function.parameters).toEqual({
      type: 'object',
      properties: { node: { type: 'object', properties: { next: {}, self: {} } } },
    });
    expect(strict?.function).toMatchObject({ strict: false, parameters: chat?.function.parameters });
    expect(codes).toEqual(new Set(['schema-opened', 'not-strict']));
  });

  test('references that double with each level end', async () => {
    const levels = Array.from({ length: 30 }, (_, level) => [
      `l${level}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/l${level + 1}` }, b: { $ref: `#/$defs/l${level + 1}` } } },
    ]);
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/l0' } }, $defs: Object.fromEntries(levels) };
    const { chat, codes } = await formatted(schema);
    expectAllowedSchema(chat?.function.parameters ?? {});
    expect(JSON.stringify(chat).length).toBeLessThan(2_000_000);
    expect(codes).toContain('schema-opened');
  });

  test('levels deeper than APIs read accept any value', async () => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < 48; level++) schema = { type: 'object', properties: { a: schema } };
    const { chat, strict, codes } = await formatted(schema);
    expectAllowedSchema(chat?.function.parameters ?? {});
    expect(strict?.function.strict).toBe(false);
    expect(codes).toEqual(new Set(['schema-opened', 'not-strict']));
  });

  test('alternatives of the whole become one object', async () => {
    const { anthropic, codes } = await formatted({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
      oneOf: [
        { properties: { kind: { const: 'a' }, size: { type: 'number' } }, required: ['kind', 'size'] },
        { properties: { kind: { const: 'b' }, size: { type: 'number' } }, required: ['kind'] },
      ],
      allOf: [{ anyOf: [{ required: ['id'] }, { required: ['kind'] }] }],
    });
    expect(anthropic?.input_schema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
        size: { type: 'number' },
      },
      required: ['id', 'kind'],
    });
    expect(codes).toContain('alternatives-merged');
  });

  test.each([{}, { type: 'object' }, { type: 'object', properties: null }, { properties: { a: true, b: false } }])(
    'an object of anything is one: %j',
    async (schema) => {
      const { chat, strict, anthropic } = await formatted(schema);
      expectAllowedSchema(chat?.function.parameters ?? {});
      expectAllowedSchema(anthropic?.input_schema ?? {});
      expectStrictSchema(
        strict?.function.strict === true
          ? strict.function.parameters
          : { type: 'object', properties: {}, required: [], additionalProperties: false },
      );
    },
  );

  test('older drafts are converted to the current one', async () => {
    const { chat } = await formatted({
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
        count: { type: 'number', minimum: 0, exclusiveMinimum: true },
        name: { type: 'string', nullable: true, 'x-order': 1 },
      },
    });
    expect(chat?.function.parameters.properties).toEqual({
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: { not: {} } },
      count: { type: 'number', exclusiveMinimum: 0 },
      name: { type: ['string', 'null'] },
    });
  });

  test('names such as __proto__ are ordinary arguments', async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    const { chat, vercel } = await formatted(schema);
    expect(Object.keys(chat?.function.parameters.properties as object)).toEqual(['__proto__', 'constructor']);
    expect(vercel).toBeDefined();
    expect(({} as { type?: string }).type).toBeUndefined();
  });

  test('an argument with a forbidden name is omitted, and a tool that requires it is left out', async () => {
    const properties = { 'with space': { type: 'string' }, plain: { type: 'string' } };
    const optional = await formatted({ type: 'object', properties });
    expect(optional.anthropic?.input_schema.properties).toEqual({ plain: { type: 'string' } });
    expect(optional.codes).toEqual(new Set(['keyword-removed']));
    const needed = await formatted({ type: 'object', properties, required: ['with space'] });
    expect(needed.anthropic).toBeUndefined();
    expect(needed.chat).toBeDefined();
    expect(needed.codes).toEqual(new Set(['left-out']));
  });

  test('a long description is cut, and never within a character', async () => {
    const { chat, anthropic, notes } = await formatted({ type: 'object' }, { description: '🙂'.repeat(600) });
    expect(chat?.function.description).toBe(`${'🙂'.repeat(511)}…`);
    expect(anthropic?.description).toHaveLength(1_200);
    expect(notes.map(({ code }) => code)).toContain('description-cut');
  });

  test('a strict schema expresses what it can and reports what it cannot', async () => {
    const { strict, codes } = await formatted({
      type: 'object',
      properties: {
        mode: { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] },
        size: { type: 'integer', minimum: 1, default: 3, multipleOf: 2 },
        link: { type: 'string', format: 'uri', minLength: 3 },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      },
      required: ['mode', 'link'],
    });
    expect(strict?.function).toEqual({
      name: 'mcp__odd__tool',
      description: 'Does it',
      strict: true,
      parameters: {
        type: 'object',
        properties: {
          mode: { anyOf: [{ enum: ['a'] }, { enum: ['b', 'c'] }] },
          size: { type: ['integer', 'null'], minimum: 1, multipleOf: 2, description: 'Default: 3' },
          link: { type: 'string' },
          tags: { type: ['array', 'null'], items: { type: 'string' } },
        },
        required: ['mode', 'size', 'link', 'tags'],
        additionalProperties: false,
      },
    });
    expect(codes).toEqual(new Set(['keyword-removed']));
  });

  test('a schema is strict only if the required arguments can be expressed', async () => {
    const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
    const text = { type: 'string' };
    const base = object({ a: text }, { required: ['a'] });
    for (const [schema, $defs] of [
      [object({ n: { ...base, anyOf: [object({ b: text }), object({ c: text })] } })],
      [object({ n: { ...base, allOf: [object({ b: text }, { required: ['b'] })] } })],
      [object({ n: { ...object({ b: text }), $ref: '#/$defs/base' } }), { base }],
      [object({ a: text }, { required: ['a', 'unnamed'] })],
      [{ type: 'object', unevaluatedProperties: text }],
    ] as const) {
      const { strict, anthropic, codes } = await formatted($defs === undefined ? schema : { ...schema, $defs });
      expect(strict?.function.strict).toBe(false);
      expect(codes).toContain('not-strict');
      if ($defs !== undefined) expect(JSON.stringify(anthropic)).toContain('"required":["a"]');
    }
  });

  test('a pattern that the API does not support is omitted from strict schemas', async () => {
    const { strict, chat } = await formatted({
      type: 'object',
      properties: { a: { type: 'string', pattern: '(?=a)b' } },
    });
    expect(strict?.function).toMatchObject({
      strict: true,
      parameters: { properties: { a: { type: ['string', 'null'] } } },
    });
    expect(JSON.stringify(strict)).not.toContain('(?=a)');
    expect(JSON.stringify(chat)).toContain('(?=a)');
  });

  test('a long chain of references does not slow other tools', async () => {
    const links = Array.from({ length: 6_000 }, (_, at) => [`l${at}`, { $ref: `#/$defs/l${at + 1}` }]);
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/l0' } }, $defs: Object.fromEntries(links) };
    const { chat, codes } = await formatted(schema);
    expect(chat?.function.parameters.properties).toEqual({ a: {} });
    expect(codes).toContain('schema-opened');
  });

  test.each([
    { type: 'any' },
    { type: [] },
    { type: ['string', 'string'] },
    { minLength: '3', maxLength: -1, minItems: 1.5 },
    { enum: 'x', anyOf: {}, oneOf: [] },
    { multipleOf: 0, minimum: '1', exclusiveMaximum: {} },
    { pattern: '[', patternProperties: { '[': {} } },
    { title: 3, description: {}, uniqueItems: 'yes', examples: 'x', dependentRequired: { a: 'b' } },
    { dependencies: { a: { $ref: '#/nowhere' } } },
  ])('invalid keyword values are omitted: %j', async (property) => {
    const { anthropic, codes } = await formatted({ type: 'object', properties: { a: { format: 'x', ...property } } });
    expect(new Ajv2020({ strict: false, validateFormats: false }).compile(anthropic?.input_schema ?? false)).toBeTypeOf(
      'function',
    );
    expect(anthropic?.input_schema.properties).toEqual({ a: { format: 'x' } });
    if (!('dependencies' in property)) expect(codes).toContain('keyword-removed');
  });

  test('each format converts any schema in bounded time', async () => {
    const words = ['type', 'properties', 'items', 'anyOf', 'allOf', 'oneOf', '$ref', 'required', 'enum', 'not', 'a'];
    const { node } = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.constantFrom('object', 'string', 'array', '#', '#/properties/a', '#/anyOf/0'),
        fc.boolean(),
        fc.constant(null),
      ),
      node: fc.oneof(
        { maxDepth: 5 },
        tie('leaf'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...words), tie('node'), { maxKeys: 5 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...words.slice(1)), node, { maxKeys: 5 }), async (schema) => {
        const { chat, strict, anthropic } = await formatted({ ...schema, type: 'object' });
        if (chat === undefined) return; // the registry has refused it
        expectAllowedSchema(chat.function.parameters);
        expectAllowedSchema(anthropic?.input_schema ?? {});
        if (strict?.function.strict) expectStrictSchema(strict.function.parameters);
      }),
      { numRuns: 150 },
    );
  });
});
