import { asSchema, generateText, jsonSchema, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aiSdk, anthropic, type FormatNote, openaiChat, openaiResponses } from '../../src/formats.js';
import { openNpmServers } from '../helpers/npm-servers.js';
import { expectAllowedSchema, expectStrictSchema } from './api-rules.js';

describe('the tools of published servers', () => {
  let servers: Awaited<ReturnType<typeof openNpmServers>>;
  beforeAll(async () => {
    servers = await openNpmServers();
  });
  afterAll(() => servers[Symbol.asyncDispose]());

  test('have a valid definition in every format', async () => {
    const { registry } = servers;
    const names = registry.list().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(25);

    const chat = openaiChat(registry).tools;
    expect(chat.map((tool) => tool.function.name)).toEqual(names);
    for (const tool of chat) expectAllowedSchema(tool.function.parameters);

    const messages = anthropic(registry).tools;
    expect(messages.map(({ name }) => name)).toEqual(names);
    for (const tool of messages) expectAllowedSchema(tool.input_schema);

    const vercel = aiSdk(registry, { jsonSchema }).tools;
    expect(Object.keys(vercel)).toEqual(names);
    for (const tool of Object.values(vercel))
      expectAllowedSchema((await asSchema(tool.inputSchema).jsonSchema) as never);
  });

  test('are strict where possible, and the others are reported', () => {
    const notes: FormatNote[] = [];
    const { tools } = openaiResponses(servers.registry, { strict: true, onNote: (note) => notes.push(note) });
    const loose = tools.filter(({ strict }) => !strict).map(({ name }) => name);
    for (const { strict, parameters } of tools) if (strict) expectStrictSchema(parameters);
    expect(notes.filter(({ code }) => code === 'not-strict').map(({ tool }) => tool)).toEqual(loose);
    expect(loose).toEqual([]);
    expect(tools.find(({ name }) => name === 'mcp__filesystem__read_text_file')?.parameters).toMatchObject({
      properties: { path: { type: 'string' }, head: { type: ['number', 'null'] }, tail: { type: ['number', 'null'] } },
      required: ['path', 'tail', 'head'],
    });
  });

  test('are called from each API, and the results return', async () => {
    const { registry, folder } = servers;
    const call = { name: 'mcp__everything__echo', arguments: '{"message":"hi"}' };
    expect(await openaiChat(registry).run({ id: 'call_1', function: call })).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'Echo: hi',
    });
    const image = await openaiResponses(registry).run({
      call_id: 'call_2',
      name: 'mcp__everything__get-tiny-image',
      arguments: '',
    });
    expect(image.output).toContainEqual({
      type: 'input_image',
      detail: 'auto',
      image_url: expect.stringMatching(/^data:image\/png;base64,/),
    });
    expect(
      await anthropic(registry).run({ id: 'use_1', name: 'mcp__everything__get-tiny-image', input: {} }),
    ).toMatchObject({
      type: 'tool_result',
      tool_use_id: 'use_1',
      content: expect.arrayContaining([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: expect.any(String) } },
      ]),
    });
    const listed = await anthropic(registry).run({
      id: 'use_2',
      name: 'mcp__filesystem__list_directory',
      input: { path: `${folder}/elsewhere` },
    });
    expect(listed).toMatchObject({ is_error: true, content: [{ type: 'text' }] });
  });

  test('are called by a strict model, which sends null for absent arguments', async () => {
    const { registry, folder } = servers;
    const written = { path: `${folder}/note.txt`, content: 'one\ntwo' };
    await openaiChat(registry).run({
      id: 'call_1',
      function: { name: 'mcp__filesystem__write_file', arguments: JSON.stringify(written) },
    });
    const args = JSON.stringify({ path: written.path, tail: null, head: 1 });
    const read = await openaiChat(registry).run({
      id: 'call_2',
      function: { name: 'mcp__filesystem__read_text_file', arguments: args },
    });
    expect(read.content).toBe('one');
  });

  test('are run by the AI SDK itself', async () => {
    const toolCall = {
      type: 'tool-call' as const,
      toolCallId: 'call_1',
      toolName: 'mcp__everything__get-sum',
      input: '{"a":1,"b":2}',
    };
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    let step = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () =>
        step++ === 0
          ? { content: [toolCall], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
          : {
              content: [{ type: 'text', text: 'done' }],
              finishReason: { unified: 'stop', raw: 'stop' },
              usage,
              warnings: [],
            },
    });
    const { tools } = aiSdk(servers.registry, { jsonSchema });
    const { text } = await generateText({ model, tools, prompt: 'add', stopWhen: stepCountIs(2) });
    expect(text).toBe('done');
    expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', output: { type: 'text', value: 'The sum of 1 and 2 is 3.' } }],
    });
  });
});
