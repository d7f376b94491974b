import { jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { aiSdk, anthropic, type FormatNote, openaiChat, openaiResponses } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';
import { PAPER, PICTURE, registryGiving } from './registry-giving.js';

/** Marks the schemas of version 5. */
const VALIDATOR = Symbol.for('vercel.ai.validator');

const aiCall = { toolCallId: 'call_1', toolName: 'tool', input: {} };
const call = (args: string, name = 'tool') => ({ id: 'call_1', function: { name, arguments: args } });

describe('a call of a model', () => {
  test('with arguments that are not JSON returns an error result', async () => {
    const { registry, given } = registryGiving('never');
    const { content } = await openaiChat(registry).run(call('{"text": "hi'));
    expect(content).toMatch(/^Error: The arguments of tool are not valid JSON: .*Call it again/);
    expect((await openaiChat(registry).run(call('[1]'))).content).toContain('must be an object');
    expect(given).toEqual([]);
  });

  test('of an unknown tool returns similar names', async () => {
    const { registry } = registryGiving('never');
    expect((await openaiChat(registry).run(call('{}', 'tol'))).content).toContain('did you mean tool');
  });

  test('with null for optional arguments reaches the tool without them', async () => {
    const { registry, given } = registryGiving('done');
    await openaiChat(registry).run(call('{"text":null,"none":null,"list":[{"a":null},{"a":1}]}'));
    expect(given).toEqual([{ none: null, list: [{}, { a: 1 }] }]);
  });

  test('without arguments has an empty object', async () => {
    const { registry, given } = registryGiving('done');
    await openaiChat(registry).run(call(''));
    await anthropic(registry).run({ id: 'use_1', name: 'tool', input: null });
    expect(given).toEqual([{}, {}]);
  });

  test('that is no call is refused by name', async () => {
    const { registry } = registryGiving('never');
    for (const api of [anthropic(registry), openaiChat(registry), openaiResponses(registry, { defer: true })]) {
      for (const given of [undefined, null, 'text']) {
        await expect(api.run(given as never)).rejects.toThrow('The call has no name; pass one tool call');
      }
    }
  });

  test('that is aborted rejects with the reason', async () => {
    const { registry } = registryGiving('never');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(openaiChat(registry).run(call('{}'), { signal })).rejects.toThrow('enough');
  });
});

describe('a result', () => {
  test('of a source with fields of other types is mentioned', async () => {
    const odd = [
      { type: 'resource', resource: { uri: 'file:///a', blob: 'aa', mimeType: 42 } },
      { type: 'resource', resource: { uri: 'file:///b', text: 5 } },
      { type: 'resource_link', uri: 'file:///c', name: 'c', title: null },
      { type: 'text', text: 'half \ud800' },
    ];
    const { registry } = registryGiving({ content: odd });
    const { content } = await anthropic(registry).run({ id: '1', name: 'tool', input: {} });
    expect(content).toEqual([
      { type: 'text', text: '[resource, 2 bytes: cannot be shown here] file:///a' },
      { type: 'text', text: '[resource: cannot be shown here] file:///b' },
      { type: 'text', text: 'c (file:///c)' },
      { type: 'text', text: 'half \ufffd' },
    ]);
  });

  test.each([
    [
      'a server adds the keys of a call',
      { content: [{ type: 'text', text: 'hi' }], toolCallId: 'x', output: {} },
      'hi',
    ],
    ['an app stored a text', { toolCallId: 'x', input: {}, output: 'stored' }, 'stored'],
    ['an app stored something else', { toolCallId: 'x', input: {}, output: { a: 1 } }, '{"a":1}'],
    ['an app stored nothing', { toolCallId: 'x', input: {} }, 'The tool gave no output'],
  ])('is converted for the AI SDK even if %s', (_, given, value) => {
    const { tools } = aiSdk(registryGiving('never').registry, { jsonSchema });
    expect(tools.tool?.toModelOutput(given)).toEqual({ type: 'text', value });
  });

  const content = [
    { type: 'text', text: 'see' },
    { type: 'text', text: '' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'image', data: 'AAAA', mimeType: 'image/tiff' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a', text: 'in a' } },
    { type: 'resource_link', uri: 'file:///b', name: 'b', description: 'the second' },
  ];

  test('becomes text where an API accepts only text', async () => {
    const { registry } = registryGiving({ content });
    expect((await openaiChat(registry).run(call('{}'))).content).toBe(
      [
        'see',
        '[image image/png, 3 bytes: cannot be shown here]',
        '[image image/tiff, 3 bytes: cannot be shown here]',
        '[audio audio/wav, 3 bytes: cannot be shown here]',
        'in a',
        'b: the second (file:///b)',
      ].join('\n'),
    );
  });

  test('keeps images that an API accepts', async () => {
    const { registry } = registryGiving({ content });
    const { content: blocks } = await anthropic(registry).run({ id: 'use_1', name: 'tool', input: {} });
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'image', 'text', 'text', 'text', 'text']);
    const { output } = await openaiResponses(registry).run({ call_id: 'call_1', name: 'tool', arguments: '{}' });
    expect(output).toContainEqual({ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' });
  });

  test('keeps documents that an API accepts, with a name', async () => {
    const { registry } = registryGiving({ content: [PAPER] });
    const { content: blocks } = await anthropic(registry).run({ id: 'use_1', name: 'tool', input: {} });
    const source = { type: 'base64', media_type: 'application/pdf', data: 'BBBB' };
    expect(blocks).toEqual([{ type: 'document', source, title: 'a.pdf' }]);
    const { output } = await openaiResponses(registry).run({ call_id: 'call_1', name: 'tool', arguments: '{}' });
    expect(output).toEqual([{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' }]);
    expect((await openaiChat(registry).run(call('{}'))).content).toBe(
      '[resource application/pdf, 3 bytes: cannot be shown here] file:///papers/a.pdf?page=1',
    );
  });

  test('that failed says so, with its images', async () => {
    const { registry } = registryGiving({ content: [PICTURE], isError: true });
    const { output } = await openaiResponses(registry).run({ call_id: 'call_1', name: 'tool', arguments: '{}' });
    expect(output).toEqual([
      { type: 'input_text', text: 'Error:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
    ]);
  });

  test('that is empty has a placeholder, because APIs refuse empty texts', async () => {
    const { registry } = registryGiving({ content: [{ type: 'text', text: '' }] });
    const { content: blocks } = await anthropic(registry).run({ id: 'use_1', name: 'tool', input: {} });
    expect(blocks).toEqual([{ type: 'text', text: 'The tool gave no output' }]);
  });

  test.each([
    { version: 5, given: {}, image: { type: 'media', data: 'AAAA', mediaType: 'image/png' } },
    { version: 6, given: {}, image: { type: 'image-data', data: 'AAAA', mediaType: 'image/png' } },
    {
      version: 7,
      given: { context: undefined },
      image: { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' },
    },
  ])('reaches a model through the AI SDK, version $version', async ({ version, given, image }) => {
    const { registry } = registryGiving({ content: content.slice(0, 3) });
    const schemaOf = version === 5 ? (schema: never) => ({ ...jsonSchema(schema), [VALIDATOR]: true }) : jsonSchema;
    const api = aiSdk(registry, { jsonSchema: schemaOf });
    expect(await aiSdk(registry, { jsonSchema: schemaOf, media: false }).run(aiCall)).toMatchObject({
      output: { type: 'text', value: 'see\n[image image/png, 3 bytes: cannot be shown here]' },
    });
    const { tool } = api.tools;
    const output = await tool?.execute({}, given);
    const shown = { type: 'content', value: [{ type: 'text', text: 'see' }, image] };
    expect(tool?.toModelOutput(version === 5 ? output : { toolCallId: 'call_1', input: {}, output })).toEqual(shown);
    const { input: _, ...names } = aiCall;
    expect(await api.run(aiCall)).toEqual({ type: 'tool-result', ...names, output: shown });
    expect(tool?.toModelOutput({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      type: 'error-text',
      value: 'no',
    });
  });
});

describe('a long-lived object', () => {
  const schema = { type: 'object', properties: { 'with space': {} } } as const;

  test('follows the view, and reports a difference once', () => {
    const registry = createRegistry();
    const notes: FormatNote[] = [];
    const api = anthropic(registry, { onNote: (note) => notes.push(note) });
    expect(api.tools.map(({ name }) => name)).toEqual(['search_mcp_tools']);
    const added = registry.register({ name: 'tool', description: '', inputSchema: schema }, () => '');
    expect(api.tools.map(({ name }) => name)).toEqual(['search_mcp_tools', 'tool']);
    expect(api.tools).toHaveLength(2);
    expect(notes.map(({ tool, code }) => ({ tool, code }))).toEqual([{ tool: 'tool', code: 'keyword-removed' }]);
    added[Symbol.dispose]();
    registry.register({ name: 'tool', description: 'Other', inputSchema: schema }, () => '');
    expect(api.tools).toHaveLength(2);
    expect(notes).toHaveLength(2);
  });

  test('lists new objects, so that a change to one request does not reach the next', () => {
    const api = anthropic(createRegistry());
    const [first] = api.tools;
    Object.assign(first ?? {}, { cache_control: { type: 'ephemeral' } });
    expect(api.tools[0]).not.toHaveProperty('cache_control');
  });
});
