import { describe, expect, test } from 'vitest';
import { openaiAgents } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';
import { PAPER, PICTURE, registryGiving } from './registry-giving.js';

const content = [{ type: 'text', text: 'see' }, PICTURE, PAPER];

function toolOf({ registry }: ReturnType<typeof registryGiving>, options = {}) {
  const tool = openaiAgents(registry, options).tools.find(({ name }) => name === 'tool');
  if (tool === undefined) throw new Error('The tool is not listed');
  return tool;
}

describe('a tool of an OpenAI agent', () => {
  test('always has the keywords that the package expects', () => {
    const tool = toolOf(registryGiving('done'));
    expect(tool).toMatchObject({ type: 'function', strict: false });
    expect(tool.parameters).toMatchObject({ type: 'object', required: [], additionalProperties: true });
    const strict = toolOf(registryGiving('done'), { strict: true });
    expect(strict.parameters).toMatchObject({ required: ['text', 'none', 'list'], additionalProperties: false });
  });

  test('needs no approval, and is enabled', async () => {
    const { needsApproval, isEnabled } = toolOf(registryGiving('done'));
    expect([await needsApproval(), await isEnabled()]).toEqual([false, true]);
  });

  test('takes the arguments as text, and gives text', async () => {
    const giving = registryGiving('done');
    expect(await toolOf(giving).invoke({}, '{"text":"hi"}')).toBe('done');
    expect(giving.given).toEqual([{ text: 'hi' }]);
  });

  test('gives media as parts, or mentions them', async () => {
    expect(await toolOf(registryGiving({ content })).invoke({}, '')).toEqual([
      { type: 'text', text: 'see' },
      { type: 'image', image: 'data:image/png;base64,AAAA' },
      { type: 'file', file: { data: 'BBBB', mediaType: 'application/pdf', filename: 'a.pdf' } },
    ]);
    expect(await toolOf(registryGiving({ content }), { media: false }).invoke({}, '')).toMatch(/^see\n\[image/);
  });

  test('gives a failure as text', async () => {
    expect(await toolOf(registryGiving('never')).invoke({}, '{"text"')).toMatch(/^Error: .*not valid JSON/);
  });

  test('ends with the signal of the agent', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(toolOf(registryGiving('never')).invoke({}, '{}', { signal })).rejects.toThrow('enough');
  });

  test('ends after timeoutMs', async () => {
    const registry = createRegistry();
    registry.register({ name: 'slow', description: '' }, (_, { signal }) => {
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const slow = openaiAgents(registry, { timeoutMs: 1 }).tools.find(({ name }) => name === 'slow');
    expect(await slow?.invoke({}, '{}')).toMatch(/^Error: .*within 1 milliseconds/);
  });
});

test('a call that the app takes out of a run gets an item for the next run', async () => {
  const { registry } = registryGiving({ content });
  const call = { callId: 'call_1', name: 'tool', arguments: '{}' };
  expect(await openaiAgents(registry).run(call)).toEqual({
    type: 'function_call_result',
    name: 'tool',
    callId: 'call_1',
    status: 'completed',
    output: [
      { type: 'input_text', text: 'see' },
      { type: 'input_image', image: 'data:image/png;base64,AAAA' },
      { type: 'input_file', file: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' },
    ],
  });
});
