import type { ContentBlock, ToolCallResult, ToolSource } from '@x/internal/contracts';
import { interceptorsOf } from '@x/internal/views';
import { textResult, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { openCodeRunner } from '../../../src/code/code-runner.js';
import { limitResults } from '../../../src/interceptors/result-limits/limit-results.js';
import { createRegistry, type RegistryOptions } from '../../../src/registry.js';
import { createConstantSurface } from '../../../src/views/constant-surface.js';
import type { RegistryView } from '../../../src/views/view.js';

const log = Array.from({ length: 5_000 }, (_, line) => `${line} GET /items/${line * 7} 200 in ${line % 90} ms`).join(
  '\n',
);
const outputSchema = {
  type: 'object',
  properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } } },
  required: ['rows'],
  $defs: { row: { type: 'object', properties: { id: { type: 'number' } } } },
};

async function open(
  answer: ToolCallResult | (() => ToolCallResult),
  { limits, ...options }: RegistryOptions & { readonly limits?: Parameters<typeof limitResults>[0] } = {},
) {
  const source: ToolSource = {
    name: 'logs',
    listTools: () => [
      tool('read'),
      { ...tool('rows'), outputSchema },
      { ...tool('chart'), _meta: { ui: { visibility: ['app'] } } },
      { ...tool('shown'), _meta: { ui: { resourceUri: 'ui://logs/view' } } },
    ],
    callTool: async () => (typeof answer === 'function' ? answer() : answer),
  };
  const registry = createRegistry({ interceptors: [limitResults(limits)], ...options });
  await registry.attach(source).ready;
  return registry;
}

const isText = (block: ContentBlock): block is { readonly type: 'text'; readonly text: string } =>
  block.type === 'text';
const textsOf = ({ content }: ToolCallResult) => content.filter(isText).map(({ text }) => text);
const idIn = (result: ToolCallResult) => /"id":"([0-9a-z]{20})"/.exec(textsOf(result).join('\n'))?.[1] ?? '';

async function readAll(view: RegistryView, id: string): Promise<string> {
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { content } = await view.call('read_mcp_result', { id, offset });
    const [page, note] = content.filter(isText).map((block) => block.text);
    text += page;
    const next: string | undefined = /"offset":(\d+)/.exec(note ?? '')?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  return text;
}

/** On a busy machine, one answer may be too short a time. */
async function findAll(view: RegistryView, id: string, pattern: string) {
  const lines: string[] = [];
  let answers = 0;
  for (let offset: number | undefined = 0; offset !== undefined; answers += 1) {
    const texts = textsOf(await view.call('read_mcp_result', { id, pattern, offset }));
    expect(texts.join('').length).toBeLessThan(8_000);
    const note = texts.at(-1) ?? '';
    if (texts.length > 1) lines.push(...(texts[0]?.split('\n') ?? []));
    const next: string | undefined = /"offset":(\d+)/.exec(note)?.[1];
    if (next === undefined)
      expect(note).toMatch(/^\d+ (?:line with its offset|lines with their offsets)\. No more matches\.$/);
    offset = next === undefined ? undefined : Number(next);
  }
  return { lines, answers };
}

/** The longest time in which nothing else ran, in milliseconds of a processor, however long others keep it busy. */
function longestTurn() {
  let longest = 0;
  let last = process.cpuUsage();
  const measure = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  };
  const timer = setInterval(measure, 1);
  return {
    stop(): number {
      clearInterval(timer);
      measure();
      return longest;
    },
  };
}

const contentsOf = async (view: RegistryView, id: string) => {
  const pending = { server: undefined, uri: `mcp-result://${id}`, signal: new AbortController().signal };
  const missing = () => Promise.reject(new Error('missing'));
  return (await interceptorsOf(view)?.read(pending, missing))?.contents as readonly Record<string, unknown>[];
};

describe('a long result', () => {
  test('becomes its beginning and end, and is read page by page', async () => {
    const registry = await open(textResult(log));
    const result = await registry.call('mcp__logs__read');
    const [preview = '', note] = textsOf(result);
    expect(preview.startsWith('0 GET /items/0 200 in 0 ms\n1 GET')).toBe(true);
    expect(preview.endsWith('\n4999 GET /items/34993 200 in 49 ms')).toBe(true);
    expect(preview).toMatch(/\n\[… \d+ characters left out …\]\n/);
    expect(preview.length).toBeLessThan(6_000);
    expect(note).toContain(`${log.length} characters`);
    expect(result.content.at(-1)).toMatchObject({ type: 'resource_link', uri: `mcp-result://${idIn(result)}` });
    expect(await readAll(registry, idIn(result))).toBe(log);
  });

  test('is searched by a pattern, with the places of the lines', async () => {
    const registry = await open(textResult(log));
    const id = idIn(await registry.call('mcp__logs__read'));
    const places = (pattern: RegExp) => Array.from(log.matchAll(pattern), ({ 0: line, index }) => `${index}: ${line}`);
    const few = places(/^4[0-9]99 .*items.*/gm);
    expect(few).toHaveLength(10);
    expect((await findAll(registry, id, '^4[0-9]99 .*items')).lines).toEqual(few);
    const many = await findAll(registry, id, '^[0-9]*9 GET');
    expect(many.lines).toEqual(places(/^\d*9 GET.*/gm));
    expect(many.answers).toBeGreaterThan(2);
    expect((await findAll(registry, id, 'POST')).lines).toEqual([]);
    const invalid = await registry.call('read_mcp_result', { id, pattern: '(' });
    expect(invalid).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid-pattern' } } });
  });

  test('is searched line by line: a pattern that could cross lines neither does, nor blocks other work', async () => {
    const registry = await open(textResult('a\n'.repeat(100_000)));
    const id = idIn(await registry.call('mcp__logs__read'));
    const watch = longestTurn();
    const { content } = await registry.call('read_mcp_result', { id, pattern: 'a(?:[\\s\\S]*b)?' });
    expect(watch.stop()).toBeLessThan(700);
    expect(content[0]).toMatchObject({ text: expect.stringMatching(/^0: a\n2: a\n4: a\n/) });
  });

  test('is searched in bounded time by a costly pattern, and the answer says where it stopped', async () => {
    const registry = await open(textResult('\u00e9a'.repeat(150_000)));
    const id = idIn(await registry.call('mcp__logs__read'));
    const watch = longestTurn();
    const result = await registry.call('read_mcp_result', { id, pattern: '(?i)(?:\\pL{0,100}){4}\\d' });
    expect(watch.stop()).toBeLessThan(700);
    expect(textsOf(result)).toEqual([
      expect.stringMatching(
        /^0 lines with their offsets\. The search took too long and stopped\. Go on with .*"offset":\d+/,
      ),
    ]);
  });

  test('of one long line is searched in all of it, and ^ means its beginning alone', async () => {
    const needle = 'needle'.repeat(80);
    const registry = await open(textResult(`${'x'.repeat(20_000)}${needle}${'x'.repeat(20_000)}`));
    const id = idIn(await registry.call('mcp__logs__read'));
    for (const pattern of [needle, 'needle']) {
      expect((await findAll(registry, id, pattern)).lines[0]).toMatch(/^20000: x{40}needle/);
    }
    expect((await findAll(registry, id, '^x')).lines).toHaveLength(1);
    expect((await findAll(registry, id, 'x$')).lines).toHaveLength(1);
  });

  test('that is JSON becomes an outline with counts', async () => {
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
    const registry = await open(textResult(JSON.stringify(rows)));
    const [preview = ''] = textsOf(await registry.call('mcp__logs__read'));
    expect(preview).toContain('JSON list of 3000 items, each { "id": number, "name": string, "tags": list }:');
    expect(preview).toContain('{"id": 0, "name": "row 0", "tags": ["a",\n"b"]}');
    expect(preview).toMatch(/… \d+ more\]$/);
  });

  test('passes if it is within the limit, as the same object', async () => {
    const short = textResult('x'.repeat(900));
    const registry = await open(short);
    expect(await registry.call('mcp__logs__read')).toBe(short);
  });

  test('of a failed call stays a failure, and keeps its _meta', async () => {
    const registry = await open({ ...textResult(log), isError: true, _meta: { trace: 1 } });
    expect(await registry.call('mcp__logs__read')).toMatchObject({ isError: true, _meta: { trace: 1 } });
  });

  test('with an output schema stays valid: the listed schema allows the id in its place', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id }));
    const registry = await open({ ...textResult(JSON.stringify({ rows })), structuredContent: { rows } });
    const result = await registry.call('mcp__logs__rows');
    expect(result.structuredContent).toEqual({ read_mcp_result: { id: idIn(result) } });
    expect(registry.get('mcp__logs__rows')?.outputSchema).toMatchObject({
      type: 'object',
      anyOf: [
        { properties: { rows: { items: { $ref: '#/anyOf/0/$defs/row' } } } },
        { required: ['read_mcp_result'], additionalProperties: false },
      ],
    });
    const plain = await registry.call('mcp__logs__read');
    expect(plain.structuredContent).toBeUndefined();
    expect(JSON.parse(await readAll(registry, idIn(result)))).toEqual({ rows });
  });

  const long = 'a word '.repeat(150_000);
  test.each<[string, ToolCallResult]>([
    ['uri of a resource', { content: [{ type: 'resource', resource: { uri: `file:///${long}`, text: 'hi' } }] }],
    ['title', { content: [{ type: 'resource', resource: { uri: 'file:///x', title: long, text: 'hi' } }] }],
    ['_meta', { content: [{ type: 'resource', resource: { uri: 'file:///x', text: log, _meta: { long } } }] }],
    ['annotation', { content: [{ type: 'text', text: 'hi', annotations: { long } } as ContentBlock] }],
    ['_meta of JSON', { content: [{ type: 'text', text: JSON.stringify(log.split('\n')), _meta: { long } }] }],
    ['mimeType', { content: [{ type: 'image', data: 'AAAA', mimeType: long }] }],
    ['_meta of the result', { ...textResult('hi'), _meta: { long } }],
    ['_meta of many entries', { ...textResult('hi'), _meta: Object.fromEntries(Object.entries(long.split(' '))) }],
    ['unknown field of the result', { ...textResult('hi'), later: [long] }],
    ['unknown field of a block', { content: [{ type: 'text', text: 'hi', data: long }] }],
    ['unknown field of an image', { content: [{ type: 'image', text: long, data: 'AAAA', mimeType: 'image/png' }] }],
    [
      'block of an unknown type',
      {
        content: [
          { type: 'later', data: long },
          { type: 'text', text: 'hi' },
        ],
      },
    ],
    [
      'second form of a resource',
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'hi', blob: long } }] },
    ],
    ['list of images', { content: Array(5_000).fill({ type: 'image', data: 'AAAA', mimeType: 'image/png' }) }],
    ['list of empty texts', { content: Array(200_000).fill({ type: 'text', text: '' }) }],
  ])('with a long %s is limited, too', async (_, result) => {
    const registry = await open(result, { limits: { maxTokens: 500 } });
    const limited = await registry.call('mcp__logs__read');
    expect(JSON.stringify(limited).length).toBeLessThan(4_000);
    expect(JSON.stringify(limited)).toContain('This is a preview');
  });

  test('keeps short fields and entries of _meta, and pages and the resource have all of them', async () => {
    const task = { 'io.modelcontextprotocol/related-task': { taskId: '1' } };
    const result = { ...textResult('hi'), resultType: 'complete', later: 1, _meta: { long, ...task } };
    const registry = await open(result);
    const limited = await registry.call('mcp__logs__read');
    expect(limited).toEqual({ resultType: 'complete', later: 1, _meta: task, content: expect.any(Array) });
    expect(textsOf(limited)[0]).toBe('hi');
    const { later, _meta } = result;
    const id = idIn(limited);
    expect(await readAll(registry, id)).toBe(`hi\n[Fields of the result: ${JSON.stringify({ later, _meta })}]`);
    const uri = `mcp-result://${id}`;
    const fields = { uri: `${uri}/fields`, mimeType: 'application/json', text: JSON.stringify({ later, _meta }) };
    expect((await contentsOf(registry, id))[1]).toMatchObject(fields);
  });

  test('with fields of blocks that a preview has no place for has them behind its text', async () => {
    const block = { type: 'text', text: 'hi', annotations: { long } } as unknown as ContentBlock;
    const registry = await open({ content: [block] });
    const text = await readAll(registry, idIn(await registry.call('mcp__logs__read')));
    expect(text).toBe(`hi\n[Fields of part 1: ${JSON.stringify({ type: 'text', annotations: { long } })}]`);
  });

  test('of a tool with a view has the structured content and the _meta of its app whole', async () => {
    const registry = await open({ ...textResult(log), structuredContent: { log }, _meta: { log }, later: log });
    const { content, ...rest } = await registry.call('mcp__logs__shown');
    expect(rest).toEqual({ structuredContent: { log }, _meta: { log } });
    expect(JSON.stringify(content).length).toBeLessThan(8_000);
  });

  test('keeps small images, and shows larger ones by their number', async () => {
    const small = { type: 'image', data: 'a'.repeat(1_000), mimeType: 'image/png' } as const;
    const text = { type: 'text', text: log } as const;
    const first = await open({ content: [text, small] });
    expect((await first.call('mcp__logs__read')).content).toContainEqual(small);
    const large = { type: 'image', data: 'b'.repeat(300_000), mimeType: 'image/png' } as const;
    const registry = await open({ content: [{ type: 'text', text: 'A picture:' }, large] });
    const result = await registry.call('mcp__logs__read');
    expect(textsOf(result)[0]).toBe('A picture:\n[image/png, 300000 characters of base64: "part": 2 shows it]');
    const id = idIn(result);
    expect((await registry.call('read_mcp_result', { id, part: 2 })).content[0] === large).toBe(true);
    expect(await registry.call('read_mcp_result', { id, part: 1 })).toMatchObject({ isError: true });
    expect(await contentsOf(registry.view(), id)).toMatchObject([
      { text: 'A picture:' },
      { uri: `mcp-result://${id}/2`, mimeType: 'image/png', blob: large.data },
    ]);
  });

  test('for an app of its own, or for a program, stays whole', async () => {
    const registry = await open(textResult(log));
    expect(await registry.call('mcp__logs__chart')).toEqual(textResult(log));
    await using code = await openCodeRunner();
    const surface = createConstantSurface(registry, { code });
    const program = 'const text = await tools["mcp__logs__read"]({}); return text.length';
    expect(textsOf(await surface.call('execute_mcp_code', { code: program }))).toEqual([String(log.length)]);
  });
});

test('the search stays as it is, with its own limits', async () => {
  const registry = await open(textResult(log));
  const long = { description: 'Reads '.repeat(3_000), inputSchema: { type: 'object' } };
  for (let at = 0; at < 10; at++) registry.register({ name: `read_${at}`, ...long }, () => '');
  const plain = createRegistry();
  expect(registry.get('search_mcp_tools')).toEqual(plain.get('search_mcp_tools'));
  const { content, structuredContent } = await registry.call('search_mcp_tools', { query: 'read', detail: 'full' });
  expect(JSON.stringify(content)).not.toContain('This is a preview');
  expect(structuredContent).toMatchObject({ tools: expect.any(Array) });
});

describe('who reads', () => {
  const roles = [
    { role: 'reader', allowedTools: ['logs'] },
    { role: 'other', allowedTools: ['logs'] },
    { role: 'none', allowedTools: [] },
  ];

  test('is the role and the principal that called, by the tool and by the resource', async () => {
    const registry = await open(textResult(log), { roles });
    const ada = registry.view({ role: 'reader', principal: 'ada' });
    const id = idIn(await ada.call('mcp__logs__read'));
    expect(await readAll(registry.view({ role: 'reader', principal: 'ada' }), id)).toBe(log);
    expect(await contentsOf(ada, id)).toMatchObject([{ text: log }]);
    const others = [{ role: 'reader', principal: 'bob' }, { role: 'other', principal: 'ada' }, { role: 'reader' }, {}];
    const unknown = await ada.call('read_mcp_result', { id: '0'.repeat(20) });
    for (const options of others) {
      const answer = await registry.view(options).call('read_mcp_result', { id });
      expect(JSON.stringify(answer).replaceAll(id, '0'.repeat(20))).toBe(JSON.stringify(unknown));
      await expect(contentsOf(registry.view(options), id)).rejects.toThrow('missing');
    }
    await expect(registry.view({ role: 'none' }).call('read_mcp_result', { id })).rejects.toMatchObject({
      code: 'unknown-tool',
    });
  });

  test('has the tool in every listing with other tools', async () => {
    const registry = await open(textResult(log), { roles });
    const names = (view: RegistryView) => view.list().map(({ name }) => name);
    expect(names(registry.view({ role: 'reader' }))).toContain('read_mcp_result');
    expect(names(registry.view({ role: 'none' }))).toEqual([]);
    expect(names(createConstantSurface(registry))).toEqual(['call_mcp_tool', 'read_mcp_result', 'search_mcp_tools']);
  });
});

describe('what is kept', () => {
  test('makes room oldest first, for each caller by itself and for all', async () => {
    let letter = 'a';
    const answer = () => textResult(letter.repeat(30_000));
    const limits = { maxKeptCharactersPerCaller: 70_000, maxKeptCharacters: 100_000 };
    const registry = await open(answer, { limits, roles: [{ role: 'reader', allowedTools: ['logs'] }] });
    const [ada, bob] = ['ada', 'bob'].map((principal) => registry.view({ role: 'reader', principal })) as [
      RegistryView,
      RegistryView,
    ];
    const call = async (view: RegistryView, next: string) => {
      letter = next;
      return idIn(await view.call('mcp__logs__read'));
    };
    const isKept = async (view: RegistryView, id: string) =>
      (await view.call('read_mcp_result', { id })).isError !== true;
    const [a, b, c] = [await call(ada, 'a'), await call(bob, 'b'), await call(ada, 'c')];
    expect([await isKept(ada, a), await isKept(bob, b), await isKept(ada, c)]).toEqual([true, true, true]);
    const d = await call(ada, 'd');
    expect([await isKept(ada, a), await isKept(bob, b), await isKept(ada, c), await isKept(ada, d)]).toEqual([
      false,
      true,
      true,
      true,
    ]);
    const e = await call(bob, 'e');
    expect([await isKept(bob, b), await isKept(ada, c), await isKept(bob, e)]).toEqual([false, true, true]);
    const gone = await ada.call('read_mcp_result', { id: a });
    expect(textsOf(gone)[0]).toContain('dropped after a time and to make room');
  });

  test('is not what no bound allows, and the preview says so', async () => {
    const registry = await open(textResult(log), { limits: { maxKeptCharacters: 1_000 } });
    const { content } = await registry.call('mcp__logs__read');
    expect(content).toHaveLength(2);
    expect(content[1]).toMatchObject({ text: expect.stringContaining('The rest is not kept') });
  });

  test('options out of bounds are refused', () => {
    expect(() => limitResults({ maxTokens: 10 })).toThrow(
      'maxTokens must be a whole number of tokens from 500 on, got 10',
    );
    expect(() => limitResults({ maxToken: 1_000 } as never)).toThrow('maxTokens');
  });
});

test('the constant surface lists the tool for as long as the role may use it', async () => {
  const role = { role: 'reader', allowedTools: ['logs'] };
  const registry = await open({ content: [] }, { roles: [role] });
  const surface = createConstantSurface(registry.view({ role: 'reader' }));
  const names = () => surface.list().map(({ name }) => name);
  expect(names()).toEqual(['call_mcp_tool', 'read_mcp_result', 'search_mcp_tools']);
  registry.update({ roles: [{ ...role, deniedTools: ['read_mcp_result'] }] });
  expect(names()).toEqual(['call_mcp_tool', 'search_mcp_tools']);
});

describe('limits of a view', () => {
  const long = { content: [{ type: 'text' as const, text: log }] };
  const all = { role: 'all', allowedTools: ['logs'] };

  test('concern that view alone, which has the tool for the rest', async () => {
    const registry = await open(long, { interceptors: [], roles: [all] });
    const limited = registry.view({ interceptors: [limitResults({ maxTokens: 500 })] });
    for (const other of [registry, registry.view({ role: 'all' })]) {
      expect(other.list().map(({ name }) => name)).not.toContain('read_mcp_result');
      expect(other.get('read_mcp_result')).toBeUndefined();
      expect(await other.call('mcp__logs__read')).toBe(long);
    }
    expect(limited.list().map(({ name }) => name)).toContain('read_mcp_result');
    const id = idIn(await limited.call('mcp__logs__read'));
    expect(await readAll(limited, id)).toBe(log);
    await expect(registry.call('read_mcp_result', { id })).rejects.toMatchObject({ code: 'unknown-tool' });
  });

  test('keep no result for another view, not even of the same role', async () => {
    const registry = await open(long, { interceptors: [], roles: [all] });
    const views = [1, 2].map(() => registry.view({ role: 'all', interceptors: [limitResults({ maxTokens: 500 })] }));
    const [one, other] = views as [RegistryView, RegistryView];
    const id = idIn(await one.call('mcp__logs__read'));
    expect(await readAll(one, id)).toBe(log);
    expect(await other.call('read_mcp_result', { id })).toMatchObject({ isError: true });
  });

  test('given to several views keep each result for its role and principal', async () => {
    const registry = await open(long, { interceptors: [], roles: [all] });
    const interceptors = [limitResults({ maxTokens: 500 })];
    const [ada, bob] = ['ada', 'bob'].map((principal) => registry.view({ role: 'all', principal, interceptors }));
    const id = idIn((await ada?.call('mcp__logs__read')) ?? long);
    expect(await bob?.call('read_mcp_result', { id })).toMatchObject({ isError: true });
    expect(await readAll(registry.view({ role: 'all', principal: 'ada', interceptors }), id)).toBe(log);
  });

  test('follow the tools, the rules and the servers of the view', async () => {
    const registry = await open(long, { interceptors: [], roles: [all] });
    const interceptors = [limitResults()];
    const named = (view: RegistryView) => view.list().map(({ name }) => name);
    const view = registry.view({ role: 'all', servers: ['logs'], interceptors });
    const changes: unknown[] = [];
    view.events.on('tools-changed', (change) => changes.push(change));
    expect(named(view)).toContain('read_mcp_result');
    expect((await view.search({ query: 'read the rest of a long result' })).tools.map(({ name }) => name)).toContain(
      'read_mcp_result',
    );
    registry.update({ roles: [{ ...all, deniedTools: ['logs.rows'] }] });
    expect(named(view)).toEqual(expect.arrayContaining(['mcp__logs__read', 'read_mcp_result']));
    expect(changes).toMatchObject([{ removed: ['mcp__logs__rows'], added: [] }]);
    registry.update({ roles: [] });
    expect(named(view)).toEqual([]);
    expect(named(registry.view({ servers: [], interceptors }))).toEqual([]);
  });

  test('are refused where the registry has limits', async () => {
    const registry = await open(long);
    expect(() => registry.view({ interceptors: [limitResults()] })).toThrow('read_mcp_result is registered already');
    const two = [limitResults(), limitResults()];
    expect(() => createRegistry().view({ interceptors: two })).toThrow('read_mcp_result is registered already');
  });
});
