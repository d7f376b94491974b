import { expect, test } from 'vitest';
import { rewriteContent, rewriteContents, rewriteMessages } from '../../../src/gateway/naming/rewrite-content.js';

const rewrite = (uri: string) => `x:${uri}`;
const untouched = {
  _meta: { uri: 'a:1', resource: { uri: 'a:1' } },
  structuredContent: { uri: 'a:1', type: 'resource_link' },
  'x-extra': { uri: 'a:1' },
};

test('links and embedded resources of a result are rewritten, and nothing else is', () => {
  const text = { type: 'text', text: 'see a:1', uri: 'a:1', _meta: { uri: 'a:1' } };
  const result = rewriteContent(
    {
      ...untouched,
      content: [
        text,
        { type: 'resource_link', uri: 'a:1', name: 'one', _meta: { uri: 'a:1' } },
        { type: 'resource', resource: { uri: 'a:2', text: 'a:2', _meta: { uri: 'a:2' } }, 'x-extra': 1 },
        { type: 'resource' },
        'no block',
      ],
    },
    rewrite,
  );
  expect(result).toEqual({
    ...untouched,
    content: [
      text,
      { type: 'resource_link', uri: 'x:a:1', name: 'one', _meta: { uri: 'a:1' } },
      { type: 'resource', resource: { uri: 'x:a:2', text: 'a:2', _meta: { uri: 'a:2' } }, 'x-extra': 1 },
      { type: 'resource' },
      'no block',
    ],
  });
});

test('those in the messages of a prompt are, whether a message has one block or a list of them', () => {
  const link = { type: 'resource_link', uri: 'a:1', name: 'one' };
  const messages = [{ role: 'user', content: link }, { role: 'user', content: [link] }, { role: 'user' }, 7];
  const rewritten = { ...link, uri: 'x:a:1' };
  expect(rewriteMessages({ ...untouched, messages }, rewrite)).toEqual({
    ...untouched,
    messages: [{ role: 'user', content: rewritten }, { role: 'user', content: [rewritten] }, { role: 'user' }, 7],
  });
});

test('the contents of a resource are those of the one that was asked for', () => {
  const contents = [{ uri: 'a:1', text: 'a:1', 'x-extra': 1 }, { text: 'no URI' }];
  expect(rewriteContents({ ...untouched, contents }, rewrite)).toEqual({
    ...untouched,
    contents: [{ uri: 'x:a:1', text: 'a:1', 'x-extra': 1 }, { text: 'no URI' }],
  });
});

test('what is no result is passed on', () => {
  for (const odd of [{}, { content: 1, messages: 2, contents: 3 }]) {
    expect(rewriteContent(odd, rewrite)).toBe(odd);
    expect(rewriteMessages(odd, rewrite)).toBe(odd);
    expect(rewriteContents(odd, rewrite)).toBe(odd);
  }
});
