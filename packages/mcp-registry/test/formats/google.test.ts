import { describe, expect, test } from 'vitest';
import { type FormatNote, google } from '../../src/formats.js';
import { createRegistry } from '../../src/registry.js';
import { PAPER, PICTURE, registryGiving } from './registry-giving.js';

const call = { id: 'call_1', name: 'tool', args: {} };

describe('tools for the Gemini API', () => {
  test('are the functions of one entry, with JSON schemas', () => {
    const { registry } = registryGiving('done');
    const [entry, ...others] = google(registry).tools;
    expect(others).toEqual([]);
    expect(entry?.functionDeclarations.map(({ name }) => name)).toEqual(['search_mcp_tools', 'tool']);
    expect(entry?.functionDeclarations[1]?.parametersJsonSchema).toMatchObject({
      type: 'object',
      properties: { none: { type: ['string', 'null'] } },
    });
  });

  test('are none if there are no functions, because the API refuses an empty entry', () => {
    const registry = createRegistry({ roles: [{ role: 'nobody', allowedTools: [], deniedTools: ['*'] }] });
    expect(google(registry.view({ role: 'nobody' })).tools).toEqual([]);
  });

  test('begin with a letter, and the others are reported', () => {
    const registry = createRegistry();
    const notes: FormatNote[] = [];
    registry.register({ name: '3d_print', description: '' }, () => '');
    const [entry] = google(registry, { onNote: (note) => notes.push(note) }).tools;
    expect(entry?.functionDeclarations.map(({ name }) => name)).toEqual(['search_mcp_tools']);
    expect(notes).toMatchObject([{ tool: '3d_print', code: 'left-out' }]);
  });
});

describe('a result for the Gemini API', () => {
  test('has text as its output, and media beside it', async () => {
    const { registry } = registryGiving({ content: [{ type: 'text', text: 'see' }, PICTURE, PAPER] });
    expect(await google(registry).run(call)).toEqual({
      functionResponse: {
        id: 'call_1',
        name: 'tool',
        response: { output: 'see' },
        parts: [
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'BBBB' } },
        ],
      },
    });
  });

  test('mentions media that the API or the model does not accept', async () => {
    const { registry } = registryGiving({ content: [PICTURE, { ...PICTURE, mimeType: 'image/gif' }] });
    const picture = '[image image/png, 3 bytes: cannot be shown here]';
    const animation = '[image image/gif, 3 bytes: cannot be shown here]';
    expect((await google(registry).run(call)).functionResponse).toMatchObject({
      response: { output: animation },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    });
    const { functionResponse } = await google(registry, { media: false }).run(call);
    expect(functionResponse).toEqual({ id: 'call_1', name: 'tool', response: { output: `${picture}\n${animation}` } });
  });

  test('reports a failure, also of a call without an id', async () => {
    const { registry } = registryGiving('never');
    expect(await google(registry).run({ name: 'tol' })).toEqual({
      functionResponse: { name: 'tol', response: { error: expect.stringContaining('did you mean tool') } },
    });
  });
});
