import { createRegistry } from '../../src/registry.js';

export const PICTURE = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
export const PAPER = {
  type: 'resource',
  resource: { uri: 'file:///papers/a.pdf?page=1', blob: 'BBBB', mimeType: 'application/pdf' },
};

/** A registry with one tool, `tool`, that resolves with `result`; `given` has the arguments of its calls. */
export function registryGiving(result: unknown) {
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
