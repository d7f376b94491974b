import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem, tokenize, tokenizeName } from '../../../src/search/words/tokenize.js';

describe('tokenize', () => {
  test.each([
    ['read_text_file', 'read text file'],
    ['read-text.file/now', 'read text file now'],
    ['readTextFile', 'read text file readtextfile'],
    ['HTTPServerURLs', 'http server url httpserverurl'],
    ['GitHub', 'git hub github'],
    ['s3Bucket', 's 3 bucket s3bucket'],
    ['ﬁle ＡＢＣ', 'file abc'],
    ['Größe ändern', 'größe ändern'],
    ['文件系统', '文件 件系 系统 文件系统'],
    ['読む file', '読む file'],
    ['قراءة ملف', 'قراءة ملف'],
    ['💥 !? \u0000', ''],
  ])('%s is %s', (text, words) => {
    expect(tokenize(text).join(' ')).toBe(words);
  });

  test('any text becomes words of letters and digits, in lower case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of tokenize(text)) {
          expect(word).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(word).toBe(word.toLowerCase());
        }
      }),
    );
  });
});

test('a name is found by its words and by each two of them as one', () => {
  expect(tokenizeName('list_file_systems')).toEqual({
    words: ['list', 'file', 'system'],
    joined: ['listfile', 'filesystem', 'list', 'file', 'system', 'listfilesystem'],
  });
});

test.each([
  ['files', 'file'],
  ['repositories', 'repository'],
  ['branches', 'branch'],
  ['classes', 'class'],
  ['boxes', 'box'],
  ['status', 'status'],
  ['access', 'access'],
  ['analysis', 'analysis'],
  ['gas', 'gas'],
  ['ties', 'tie'],
  ['movies', 'movie'],
])('the singular of %s is %s', (plural, singular) => {
  expect(stem(plural)).toBe(singular);
});
