import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { DocumentShape, EntryEdit } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';

const map: DocumentShape = { dialect: 'yaml', keyPath: ['extensions'], collection: 'map' };
const list: DocumentShape = { dialect: 'yaml', keyPath: ['mcpServers'], collection: 'sequence-by-name' };
const demo: EntryEdit = { type: 'add', name: 'demo', entry: { cmd: 'x' } };
const removeDemo: EntryEdit = { type: 'remove', name: 'demo' };

describe('adding', () => {
  test.each([
    [
      "behind the last entry's own lines, before the comment of the next section",
      map,
      'extensions:\n    a:\n        cmd: a\n        # args: old\n\n    # later\n\n# next\nb: 1\n',
      'extensions:\n    a:\n        cmd: a\n        # args: old\n    demo:\n        cmd: x\n\n    # later\n\n# next\nb: 1\n',
    ],
    ['a last line without a line end gets none', map, 'a: 1', 'a: 1\nextensions:\n  demo:\n    cmd: x'],
    [
      'an empty map gives way, its comment stays',
      map,
      'extensions: {}  # none\n',
      'extensions:  # none\n  demo:\n    cmd: x\n',
    ],
    ['a flow map stays one', map, 'extensions: {a: {cmd: a}}\n', 'extensions: {a: {cmd: a}, demo: {cmd: x}}\n'],
    [
      'lines that a kept text ends with are its own',
      map,
      'extensions:\n  a: |+\n    text\n\nb: 1\n',
      'extensions:\n  a: |+\n    text\n\n  demo:\n    cmd: x\nb: 1\n',
    ],
    ['before the end of the document', map, '---\na: 1\n...\n', '---\na: 1\nextensions:\n  demo:\n    cmd: x\n...\n'],
    ['CRLF', map, 'extensions:\r\n  a: {}\r\n', 'extensions:\r\n  a: {}\r\n  demo:\r\n    cmd: x\r\n'],
    [
      'an indentless list stays one',
      list,
      'mcpServers:\n- name: a # a\n  cmd: a\n\nb: 1\n',
      'mcpServers:\n- name: a # a\n  cmd: a\n- name: demo\n  cmd: x\n\nb: 1\n',
    ],
    [
      'as deep as the comments of a map that holds nothing else, which stay',
      map,
      'a: 1\nextensions:\n\n    # old:\n    #     cmd: y\n',
      'a: 1\nextensions:\n    demo:\n      cmd: x\n\n    # old:\n    #     cmd: y\n',
    ],
    [
      'as deep as the comments below a list that is said to be empty',
      list,
      'mcpServers: []  # none\n      # - name: old\nb: 1\n',
      'mcpServers:  # none\n      - name: demo\n        cmd: x\n      # - name: old\nb: 1\n',
    ],
    [
      'above a comment that is no deeper',
      map,
      'extensions: ~\n  # old\n',
      'extensions:\n  demo:\n    cmd: x\n  # old\n',
    ],
    ['a list that is not there', list, '# top\n', '# top\nmcpServers:\n  - name: demo\n    cmd: x\n'],
  ])('%s', (_, shape, before, after) => {
    const added = editEntries(before, shape, [demo]);
    expect(added.text).toBe(after);
    const removeEmptyContainer = added.origin ?? false;
    expect(editEntries(after, shape, [removeDemo], { removeEmptyContainer }).text).toBe(before);
  });

  test.each([
    'yes',
    'No',
    'ON',
    'y',
    '1.0',
    '1e3',
    '0x1F',
    '0o7',
    '012',
    '1_000',
    '12:30:45',
    '2020-01-01',
    '.inf',
    '-.INF',
    'NaN',
    '~',
    'null',
    '',
    ' a',
    'a ',
    '- x',
    '-',
    '--- ',
    '---',
    '...',
    'a: b',
    'a:',
    ':a',
    'a #b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '%a',
    '@a',
    '`a',
    '{a}',
    '[a]',
    'a, b',
    '"a"',
    "'a'",
    '<<',
    '=',
    '?',
    '? a',
    'two\nlines\n',
    'tab\t',
    'ü',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '🙂',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: host files contain such texts
    '${{ secrets.KEY }}',
  ])('readers of any YAML version read %j as this text', (value) => {
    const entry = { value, list: [value], map: { [value]: value } };
    const { text } = editEntries('', map, [{ type: 'add', name: 'demo', entry }]);
    const flow = editEntries('extensions: {a: 1}\n', map, [{ type: 'add', name: 'demo', entry }]).text;
    for (const written of [text, flow]) {
      expect(readEntries(written, map).get('demo')).toEqual(entry);
      for (const version of ['1.1', '1.2'] as const) expect(parse(written, { version }).extensions.demo).toEqual(entry);
    }
  });

  test('omits unnecessary quotes', () => {
    const entry = { args: ['-y', '--flag=1', '@scope', './a', '~/b', '/c', 'https://example.com/mcp', 'Bearer x'] };
    expect(editEntries('', map, [{ type: 'add', name: 'demo', entry }]).text).toBe(
      'extensions:\n  demo:\n    args:\n      - -y\n      - --flag=1\n      - "@scope"\n      - ./a\n      - ~/b\n      - /c\n      - https://example.com/mcp\n      - Bearer x\n',
    );
  });
});

describe('removing', () => {
  test('restores an empty value', () => {
    const before = 'extensions: # none yet\nb: 1\n';
    const { text, origin } = editEntries(before, map, [demo]);
    expect(editEntries(text, map, [removeDemo], { removeEmptyContainer: origin ?? false }).text).toBe(before);
  });

  test('leaves an empty collection, which every host can read', () => {
    expect(editEntries('extensions:\n  demo:\n    cmd: x\n', map, [removeDemo]).text).toBe('extensions: {}\n');
    expect(editEntries('mcpServers:\n  - name: demo\n', list, [removeDemo]).text).toBe('mcpServers: []\n');
  });

  test('keeps comments above an entry and removes comments on its lines', () => {
    const before = 'extensions:\n  a: {}\n  # above\n  demo: # beside\n    cmd: x\n    # inside\n  # below\n  b: {}\n';
    expect(editEntries(before, map, [removeDemo]).text).toBe('extensions:\n  a: {}\n  # above\n  # below\n  b: {}\n');
  });

  // Each of these was found by a property test and lost bytes.
  test.each([
    ['extensions: # c\n  []\n'],
    ['extensions:\n  {}  \n'],
    ['extensions: null # c\n'],
    ['a: {extensions: }\n'],
    ['extensions: # c\n'],
    ['---\n\n# foot'],
  ])('restores %j after an entry is added and removed', (before) => {
    for (const shape of [map, { ...map, keyPath: ['a', 'extensions'] }]) {
      const { text, origin } = editEntries(before, shape, [demo]);
      expect(editEntries(text, shape, [removeDemo], { removeEmptyContainer: origin ?? false }).text).toBe(before);
    }
  });
});

describe('updating', () => {
  const update = (text: string, edit: Omit<EntryEdit & { type: 'update' }, 'type' | 'name'>, shape = map) =>
    editEntries(text, shape, [{ type: 'update', name: 'demo', ...edit }]).text;

  const before = `extensions:
  demo:
    cmd:   old   # ours
    args: # list
      - a   # first
    bundled: null # theirs
    timeout: 300.0
    description: >-
      two
      lines
`;

  test.each([
    ['a text beside its key', ['cmd'], 'a: b', 'old ', '"a: b" '],
    ['a list below its key', ['args'], ['b', 'c'], '- a   # first', '- b\n      - c'],
    ['a folded text', ['description'], 'one', '>-\n      two\n      lines', 'one'],
    ['a null by a map', ['bundled'], { a: 1 }, ' null # theirs', ' # theirs\n      a: 1'],
    ['a number by the same number', ['timeout'], 300, '300.0', '300.0'],
  ])('replaces %s', (_, path, value, old, written) => {
    const after = update(before, { set: [{ path, value }], unset: [] });
    const expected = before.replace(old, written);
    // The comment after the old list keeps its line, which is now that of the key.
    expect(after).toBe(old.includes('# first') ? expected.replace('# list', '# list   # first') : expected);
  });

  test('keeps the comments of both lines when a text replaces a list', () => {
    expect(update(before, { set: [{ path: ['args'], value: 'b' }], unset: [] })).toBe(
      before.replace('args: # list\n      - a   # first', 'args: b # list   # first'),
    );
  });

  test('adds fields after the last one and keeps other fields on removal', () => {
    const after = update(before, { set: [{ path: ['envs', 'K'], value: 'v' }], unset: [['timeout']] });
    expect(after).toBe(`${before.replace('    timeout: 300.0\n', '')}    envs:\n      K: v\n`);
  });

  test('removes the first field of a list item', () => {
    const item = 'mcpServers:\n  - cmd: x # c\n    name: demo\n';
    expect(update(item, { set: [], unset: [['cmd']] }, list)).toBe('mcpServers:\n  - name: demo\n');
  });

  test('adds fields to an entry without fields', () => {
    const set = [{ path: ['cmd'], value: 'x' }];
    expect(update('extensions:\n  demo:\n  b: {}\n', { set, unset: [] })).toBe(
      'extensions:\n  demo:\n    cmd: x\n  b: {}\n',
    );
    expect(update('extensions:\n  demo: { a: 1 }\n', { set, unset: [] })).toBe(
      'extensions:\n  demo: { a: 1, cmd: x }\n',
    );
  });
});

test('reads the first of several list items with the same name', () => {
  const text = 'mcpServers:\n  - name: a\n    cmd: 1\n  - name: a\n    cmd: 2\n  - 7\n';
  expect([...readEntries(text, list)]).toEqual([['a', { name: 'a', cmd: 1 }]]);
  expect(editEntries(text, list, [demo]).text).toBe(`${text}  - name: demo\n    cmd: x\n`);
});

test('expands aliases', () => {
  const text = 'base: &base {cmd: x}\nextensions:\n  a: *base\n';
  expect([...readEntries(text, map)]).toEqual([['a', { cmd: 'x' }]]);
  expect(editEntries(text, map, [demo]).text).toBe(`${text}  demo:\n    cmd: x\n`);
});

describe('a document of null or brackets alone', () => {
  test.each([
    ['null\n', 'extensions:\n  demo:\n    cmd: x\n'],
    ['\ufeff# a\r\n~\r\n# b\r\n', '\ufeff# a\r\nextensions:\r\n  demo:\r\n    cmd: x\r\n# b\r\n'],
    ['---\nnull\n...\n', '---\nextensions:\n  demo:\n    cmd: x\n...\n'],
    ['null # mine\n', '{extensions: {demo: {cmd: x}}} # mine\n'],
    ['--- {} # mine\n', '--- {extensions: {demo: {cmd: x}}} # mine\n'],
    ['# not a tag: !x\n{}\n', '# not a tag: !x\nextensions:\n  demo:\n    cmd: x\n'],
  ])('%j gets an entry, keeps its comments, and is restored', (before, after) => {
    const added = editEntries(before, map, [demo]);
    expect(added.text).toBe(after);
    const removeEmptyContainer = added.origin ?? false;
    expect(editEntries(after, map, [removeDemo], { removeEmptyContainer }).text).toBe(before);
  });

  test.each([
    ['!!null null', 1, 8],
    ['# mine\n!x\n{}\n', 3, 1],
    ['&a\nnull\n', 2, 1],
  ])('%j is refused with its place, because the tag or anchor would be that of a key', (text, line, column) => {
    expect(() => editEntries(text, map, [demo])).toThrow(
      expect.objectContaining({ code: 'unsupported-shape', line, column }),
    );
  });
});

test('a layout that is not edited is refused at the place of the edit', () => {
  expect(() => editEntries('? [a, b]\n: 1\n', map, [demo])).toThrow(
    expect.objectContaining({ code: 'unsupported-shape', line: 2, column: 4 }),
  );
});
