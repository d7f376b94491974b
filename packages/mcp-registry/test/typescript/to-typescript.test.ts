import type { JsonSchema, SourceTool } from '@x/internal/contracts';
import { HIDDEN_CHARACTER } from '@x/internal/text';
import { createListSource, tool } from '@x/test-servers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/index.js';
import { toTypeScript } from '../../src/typescript.js';
import { TOOLS } from '../search/evaluation/evaluation-set.js';
import { checkSource, outlineOf, tagsOf } from './check-source.js';

async function viewOf(tools: readonly SourceTool[], role?: string) {
  const registry = createRegistry({ roles: [{ role: 'reader', allowedTools: ['s.read'] }] });
  await registry.attach(createListSource('s', tools)).ready;
  return registry.view(role === undefined ? {} : { role });
}

/** The declarations of the tools of a server `s`, without the search tool. */
async function declarationsOf(...tools: readonly SourceTool[]) {
  const view = await viewOf(tools);
  return toTypeScript({ list: () => view.list().filter(({ server }) => server === 's') });
}

async function argumentsFor(inputSchema: JsonSchema) {
  const text = await declarationsOf({ name: 't', inputSchema: { type: 'object', ...inputSchema } });
  expect(checkSource(text)).toEqual([]);
  return /mcp__s__t\((.*)\): Promise<unknown>;/s.exec(text)?.[1]?.replace(/\s+/g, ' ');
}

describe('the declarations of a view', () => {
  test('have arguments, results and descriptions', async () => {
    const log: SourceTool = {
      name: 'log',
      title: 'Log',
      description: 'Shows commits.\nNewest first.',
      annotations: { destructiveHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the repository.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
          'sort-by': { enum: ['date', 'author', null] },
        },
        required: ['path'],
      },
      outputSchema: {
        type: 'object',
        properties: { commits: { type: 'array', items: { $ref: '#/$defs/commit' } } },
        required: ['commits'],
        $defs: { commit: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
      },
    };
    const text = await declarationsOf(log, tool('a-b'));
    expect(text).toBe(`// Declarations of MCP tools, made from their schemas.

/** Tools by public name. A call resolves with the structured result of the tool, or with its text. */
export interface McpTools {
  /** Does a-b */
  "mcp__s__a-b"(args?: { [key: string]: unknown }): Promise<unknown>;

  /**
   * Log
   *
   * Shows commits.
   * Newest first.
   * May destroy, as its server says.
   */
  mcp__s__log(args: {
    /** Path of the repository. */
    path: string;
    /**
     * Integer, 1 to 100.
     * @default 10
     */
    limit?: number;
    "sort-by"?: "date" | "author" | null;
  }): Promise<{
    commits: Array<{
      id: string;
    }>;
  }>;
}
`);
    expect(checkSource(text)).toEqual([]);
  });

  test('are those of the role, in one order for any order of the tools', async () => {
    const tools = [tool('write'), tool('read')];
    expect(outlineOf(toTypeScript(await viewOf(tools, 'reader'))).tools).toEqual(['mcp__s__read', 'search_mcp_tools']);
    expect(toTypeScript(await viewOf(tools))).toBe(toTypeScript(await viewOf(tools.toReversed())));
    expect(toTypeScript(await viewOf([], 'nobody'))).toContain('interface McpTools {\n}');
  });

  test('check the arguments of a call', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const text = await declarationsOf({ name: 't', inputSchema });
    const call = (args: string) =>
      checkSource(`${text}declare const tools: McpTools;\nvoid tools.mcp__s__t(${args});\n`);
    expect(call('{ n: 1 }')).toEqual([]);
    expect(call('{ n: "1" }')).toEqual([expect.stringContaining("'string' is not assignable to type 'number'")]);
    expect(call('{ n: 1, m: 1 }')).toEqual([expect.stringContaining("'m' does not exist")]);
    expect(call('')).toEqual([expect.stringContaining('Expected 1 arguments')]);
  });

  test.each<[string, JsonSchema, string]>([
    ['no members', { additionalProperties: false }, 'args?: Record<string, never>'],
    ['a map', { additionalProperties: { type: 'number' } }, 'args?: { [key: string]: number }'],
    [
      'members and others',
      { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
      'args?: { a?: string; [key: string]: unknown; }',
    ],
    [
      'a choice of required members',
      { properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      'args: { a?: string; } & ({ a: unknown; } | { b: unknown; })',
    ],
    [
      'several types and nested lists',
      { properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'array' } } } },
      'args?: { a?: string | null; b?: Array<unknown[]>; }',
    ],
    [
      'a tuple, a constant, nothing and anything',
      {
        properties: {
          a: { prefixItems: [{ type: 'string' }], items: false },
          b: { const: { x: 1 } },
          c: false,
          d: true,
        },
      },
      'args?: { a?: [(string)?]; b?: {"x":1}; c?: never; d?: unknown; }',
    ],
    ['references that do not resolve', { properties: { a: { $ref: 'https://x.test/a' } } }, 'args?: { a?: unknown; }'],
  ])('describe %s', async (_, schema, expected) => {
    expect(await argumentsFor(schema)).toBe(expected);
  });
});

test('the declarations of 3,507 tools of 377 servers compile under strict', async () => {
  const registry = createRegistry();
  for (const server of new Set(TOOLS.map((each) => each.server))) {
    const offered = TOOLS.filter((each) => each.server === server).map(
      ({ name, description, inputSchema = { type: 'object' } }) => ({
        name,
        inputSchema,
        ...(description !== undefined && { description }),
      }),
    );
    await registry.attach(createListSource(server, offered)).ready;
  }
  const text = toTypeScript(registry);
  expect(outlineOf(text)).toEqual({ tools: registry.list().map(({ name }) => name), others: 0 });
  expect(registry.list()).toHaveLength(TOOLS.length + 1);
  expect(checkSource(text)).toEqual([]);
}, 60_000);

describe('hostile texts', () => {
  const texts = [
    '*/ export const out = 1; /*',
    '*\u2028/ export const out = 1;',
    '\u2028*/ export const out = 1; //',
    `\`$\{process.exit()}\``,
    '"; } export const out = 1; //',
    "'; } export const out = 1; //",
    '\\',
    '\\*/',
    '**/',
    '*',
    '/',
    '\r*/\rexport const out = 1;',
    '@ts-nocheck\n@ts-ignore',
    '<reference path="x"/>',
    '__proto__',
    'constructor',
    'new',
    'get x',
    '\ud800',
    '\u202e reversed \u0000',
  ];

  test.each(texts)('%j stays in its comment, its name or its string', async (hostile) => {
    const inputSchema = {
      type: 'object',
      title: hostile,
      properties: Object.fromEntries([
        [hostile, { description: hostile, default: hostile, pattern: hostile, format: hostile, type: 'string' }],
        ['value', { enum: [hostile, { [hostile]: hostile }], title: hostile }],
        ['only', { const: hostile }],
      ]),
      required: [hostile, `${hostile}2`],
    };
    const text = await declarationsOf({ name: hostile, title: hostile, description: hostile, inputSchema }, tool('z'));
    expect(outlineOf(text)).toMatchObject({ others: 0 });
    expect(outlineOf(text).tools.at(-1)).toBe('mcp__s__z');
    expect(checkSource(text)).toEqual([]);
    expect(text.replaceAll('\n', '')).not.toMatch(HIDDEN_CHARACTER);
  });

  test.each(['Reads. @deprecated', '* @deprecated', '(@deprecated', 'x\n  @type {any}', '{@link x}', '@type {any}'])(
    'the tag in %j is text',
    async (hostile) => {
      const a = { type: 'string', description: hostile, format: hostile, pattern: hostile, default: hostile };
      const properties = { a, b: { type: 'string', format: hostile } };
      const text = await declarationsOf({
        name: 't',
        description: hostile,
        inputSchema: { type: 'object', properties },
      });
      expect(tagsOf(text)).toEqual(['default']);
    },
  );

  test('15 tools of 100 kB each whose parts multiply are written within their bounds', () => {
    const part = { $ref: '#/$defs/x', description: 'd'.repeat(10_000) };
    const members = Array.from({ length: 10 }, (_, index) => [`p${index}`, part]);
    const $defs = { x: { type: 'object', properties: Object.fromEntries(members) } };
    const inputSchema = { type: 'object', properties: { r: { $ref: '#/$defs/x' } }, $defs };
    const tools = Array.from({ length: 15 }, (_, index) => ({
      name: `t${index}`,
      inputSchema,
      outputSchema: inputSchema,
    }));
    const text = toTypeScript({ list: () => tools });
    expect(text.length).toBeLessThan(15 * 300_000);
    expect(outlineOf(text)).toMatchObject({ others: 0, tools: { length: 15 } });
  });

  test('an app’s own tool named new is no constructor', () => {
    const registry = createRegistry();
    registry.register({ name: 'new', description: 'New' }, () => '');
    expect(toTypeScript(registry)).toContain('  "new"(args?: ');
  });

  test('schemas that refer to themselves or grow with each reference end', async () => {
    const self = { properties: { next: { $ref: '#' } } };
    expect((await argumentsFor(self))?.length).toBeLessThan(500);
    const $defs = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: 'object', properties: { a: next, b: next, c: next, d: next } }];
      }),
    );
    const grown = await argumentsFor({ properties: { a: { $ref: '#/$defs/d0' } }, $defs });
    expect(grown?.length).toBeLessThan(1_000_000);
  });

  test('of thousands of tools are bounded, and a comment says which are left out', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => tool(`tool-${String(at).padStart(4, '0')}`));
    const view = await viewOf(many.map((each) => ({ ...each, description: `About ${each.name}. `.repeat(110) })));
    const whole = toTypeScript(view, { maxCharacters: 100_000_000 });
    expect(whole.length).toBeGreaterThan(4_500_000);
    const all = outlineOf(whole).tools;
    expect(all).toHaveLength(3_001);
    for (const [options, max] of [[undefined, 4_000_000] as const, [{ maxCharacters: 20_000 }, 20_000] as const]) {
      const text = toTypeScript(view, options);
      expect(text.length).toBeLessThanOrEqual(max);
      expect(text.length).toBeGreaterThan(max * 0.85);
      expect(checkSource(text)).toEqual([]);
      const { tools } = outlineOf(text);
      expect(tools).toEqual(all.slice(0, tools.length));
      const next = all[tools.length];
      expect(text).toContain(`// ${3_001 - tools.length} of 3001 tools are left out`);
      expect(text).toContain(`by name from "${next}" on.`);
    }
    expect(() => toTypeScript(view, { maxCharacters: 10 })).toThrow('maxCharacters must be');
  });

  test('of a tool that is left out have no text of its server but the start of its name, which ends no comment', () => {
    const name = `a${'\n*/ evil(): void; \u2028x(): void;'.repeat(100)}`;
    const inputSchema = { type: 'object', description: 'x'.repeat(5_000) };
    const text = toTypeScript(
      { list: () => [{ name, inputSchema, description: 'y'.repeat(3_000) }] },
      { maxCharacters: 1_000 },
    );
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(outlineOf(text)).toEqual({ tools: [], others: 0 });
  });

  test('any JSON as a schema gives a module that compiles to nothing else', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'enum',
      'const',
      'anyOf',
      'allOf',
      'required',
      'x*/',
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>('object', 'array', 'string', null, true, false, 1, '*/', '"'),
        fc.array(tie('schema'), { maxLength: 3 }),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(schema, (value) => {
        const view = { name: 't', tool: 't', server: undefined, state: 'running' } as const;
        const inputSchema = { type: 'object', properties: { a: value } };
        const text = toTypeScript({ list: () => [{ ...view, inputSchema, outputSchema: Object(value) }] });
        expect(outlineOf(text)).toEqual({ tools: ['t'], others: 0 });
      }),
    );
  });
});
