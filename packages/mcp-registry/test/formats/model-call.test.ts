import { jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { callFromAnthropic, callFromOpenAI, callFromOpenAIResponses, toAISDKTools } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';

function registryGiving(result: unknown) {
  const registry = createRegistry();
  const given: unknown[] = [];
  registry.register(
    {
      name: 'tool',
      description: '',
      inputSchema: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          none: { type: ['string', 'null'] },
          list: { type: 'array', items: { type: 'object', properties: { a: { type: 'number' } } } },
        },
      },
    },
    (args) => {
      given.push(args);
      return result;
    },
  );
  return { registry, given };
}

const call = (args: string, name = 'tool') => ({ id: 'call_1', function: { name, arguments: args } });

describe('a call of a model', () => {
  test('with arguments that are not JSON returns an error result', async () => {
    const { registry, given } = registryGiving('never');
    const { content } = await callFromOpenAI(registry, call('{"text": "hi'));
    expect(content).toMatch(/^Error: The arguments of tool are not valid JSON: .*Call it again/);
    expect((await callFromOpenAI(registry, call('[1]'))).content).toContain('must be an object');
    expect(given).toEqual([]);
  });

  test('of an unknown tool returns similar names', async () => {
    const { registry } = registryGiving('never');
    expect((await callFromOpenAI(registry, call('{}', 'tol'))).content).toContain('did you mean tool');
  });

  test('with null for optional arguments reaches the tool without them', async () => {
    const { registry, given } = registryGiving('done');
    await callFromOpenAI(registry, call('{"text":null,"none":null,"list":[{"a":null},{"a":1}]}'));
    expect(given).toEqual([{ none: null, list: [{}, { a: 1 }] }]);
  });

  test('without arguments has an empty object', async () => {
    const { registry, given } = registryGiving('done');
    await callFromOpenAI(registry, call(''));
    await callFromAnthropic(registry, { id: 'use_1', name: 'tool', input: null });
    expect(given).toEqual([{}, {}]);
  });

  test('that is aborted rejects with the reason', async () => {
    const { registry } = registryGiving('never');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(callFromOpenAI(registry, call('{}'), { signal })).rejects.toThrow('enough');
  });
});

describe('a result', () => {
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
    expect((await callFromOpenAI(registry, call('{}'))).content).toBe(
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
    const { content: blocks } = await callFromAnthropic(registry, { id: 'use_1', name: 'tool', input: {} });
    expect(blocks.map(({ type }) => type)).toEqual(['text', 'image', 'text', 'text', 'text', 'text']);
    const { output } = await callFromOpenAIResponses(registry, { call_id: 'call_1', name: 'tool', arguments: '{}' });
    expect(output).toContainEqual({ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' });
  });

  test('that is empty has a placeholder, because APIs refuse empty texts', async () => {
    const { registry } = registryGiving({ content: [{ type: 'text', text: '' }] });
    const { content: blocks } = await callFromAnthropic(registry, { id: 'use_1', name: 'tool', input: {} });
    expect(blocks).toEqual([{ type: 'text', text: 'The tool gave no output' }]);
  });

  test.each(['version 5', 'version 6'])('reaches a model through the AI SDK, %s', async (version) => {
    const { registry } = registryGiving({ content: content.slice(0, 3) });
    const tool = toAISDKTools(registry, { jsonSchema }).tool;
    const output = await tool?.execute({}, {});
    expect(tool?.toModelOutput(version === 'version 5' ? output : { toolCallId: 'call_1', input: {}, output })).toEqual(
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'media', data: 'AAAA', mediaType: 'image/png' },
        ],
      },
    );
    expect(tool?.toModelOutput({ content: [{ type: 'text', text: 'no' }], isError: true })).toEqual({
      type: 'error-text',
      value: 'no',
    });
  });
});
