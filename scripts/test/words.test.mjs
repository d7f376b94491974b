import { describe, expect, test } from 'vitest';
import { proseOf, textsOf } from '../words/texts.mjs';
import { notYet, notYetShort, words } from '../words/word-list.mjs';

describe('textsOf', () => {
  test('joins adjacent line comments and reads block comments as one line', () => {
    const text =
      '/**\n * First line\n * and second.\n */\nconst a = 1; // beside code\n// one\n// comment\nlet b = 2;\n';
    expect(textsOf('a.ts', text).comments.map(({ text: comment, line }) => [line, comment])).toEqual([
      [1, 'First line and second.'],
      [5, 'beside code'],
      [6, 'one comment'],
    ]);
  });

  test('takes no address, string or regular expression for a comment', () => {
    expect(textsOf('a.ts', "const a = 'https://a.b/c'; const b = /\\/\\/ x/; const c = '/* d */';").comments).toEqual(
      [],
    );
  });

  test('reads messages, whole and in parts', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is source code.
    const text = "throw new Error(`The server ${name} is told ${what}`); const key = 'one-word';";
    const { messages } = textsOf('a.ts', text);
    expect(messages.map(({ text }) => text.trim())).toEqual(['The server', 'is told']);
  });

  test('reads only the names of tests in a test', () => {
    const { messages } = textsOf(
      'a.test.ts',
      "test('restarts a server', () => { expect(x).toBe('told by somebody'); });",
    );
    expect(messages.map(({ text }) => text)).toEqual(['restarts a server']);
  });
});

test('proseOf leaves out code and the targets of links', () => {
  const page = 'See [this](whatever.md) and `told`.\n\n```sh\ntell nobody\n```\nEnd.\n';
  expect(proseOf(page).map(({ text }) => text)).toEqual(['See [this] and ``.', '', 'End.', '']);
});

test('every word has a remedy and catches its own name', () => {
  expect(words.filter(({ instead }) => !instead.endsWith('.'))).toEqual([]);
  const sample = { opening: 'What is', nobody: 'nobody', 'is to be': 'it is to be read', rest: 'at rest' };
  expect(words.filter(({ name, pattern }) => !pattern.test(sample[name] ?? name))).toEqual([]);
});

test('folders that are not rewritten yet are named once', () => {
  const listed = [...notYet, ...notYetShort];
  expect(new Set(listed).size).toBe(listed.length);
});
