import { describe, expect, test } from 'vitest';
import { type LangChainToolFields, langchain } from '../../src/formats.js';
import { PAPER, PICTURE, registryGiving } from './registry-giving.js';

const result = { content: [{ type: 'text', text: 'see' }, PICTURE, PAPER], structuredContent: { found: 1 } };
const blocks = [
  { type: 'text', text: 'see' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  { type: 'file', mimeType: 'application/pdf', data: 'BBBB' },
];

class DynamicStructuredTool {
  readonly fields: LangChainToolFields;

  constructor(fields: LangChainToolFields) {
    this.fields = fields;
  }
}

function fieldsOf({ registry }: ReturnType<typeof registryGiving>, options = {}): LangChainToolFields {
  const { tools } = langchain(registry, { DynamicStructuredTool, ...options });
  const found = tools.find(({ fields }) => fields.name === 'tool');
  if (found === undefined) throw new Error('The tool is not listed');
  return found.fields;
}

describe('a tool for LangChain', () => {
  test('is an object of its class, with a JSON schema', () => {
    const { tools } = langchain(registryGiving('done').registry, { DynamicStructuredTool });
    expect(tools[0]).toBeInstanceOf(DynamicStructuredTool);
    expect(fieldsOf(registryGiving('done')).schema).toMatchObject({ type: 'object', properties: { text: {} } });
  });

  test('gives content blocks, and the whole result as artifact', async () => {
    const fields = fieldsOf(registryGiving(result));
    expect(fields.responseFormat).toBe('content_and_artifact');
    expect(await fields.func({})).toEqual([blocks, result]);
  });

  test('mentions media for models that accept only text', async () => {
    const [content] = await fieldsOf(registryGiving(result), { media: false }).func({});
    expect(content).toMatch(/^see\n\[image image\/png, 3 bytes: cannot be shown here\]\n\[resource/);
  });

  test('throws a failure, which LangChain makes a message of', async () => {
    const failing = registryGiving({ content: [{ type: 'text', text: 'no luck' }], isError: true });
    await expect(fieldsOf(failing).func({})).rejects.toThrow('no luck');
  });

  test('ends with the signal of LangChain', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(fieldsOf(registryGiving('never')).func({}, undefined, { signal })).rejects.toThrow('enough');
  });
});

describe('a call of a loop of one’s own', () => {
  const call = { id: 'call_1', name: 'tool', args: {} };

  test('gets a message with the artifact', async () => {
    const { registry } = registryGiving(result);
    expect(await langchain(registry, { DynamicStructuredTool }).run(call)).toEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      name: 'tool',
      status: 'success',
      content: blocks,
      artifact: result,
    });
  });

  test('gets a message also for a failure', async () => {
    const { registry } = registryGiving('never');
    expect(await langchain(registry, { DynamicStructuredTool }).run({ ...call, name: 'tol' })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('did you mean tool'),
    });
  });
});
