import { describe, expect, test } from 'vitest';
import type { DocumentShape, EntryEdit } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';

const jsonc: DocumentShape = { dialect: 'jsonc', keyPath: ['mcpServers'], collection: 'map' };
const strict: DocumentShape = { ...jsonc, dialect: 'json' };
const demo: EntryEdit = { type: 'add', name: 'demo', entry: { command: 'x' } };
const removeDemo: EntryEdit = { type: 'remove', name: 'demo' };
const add = (text: string, shape = jsonc) => editEntries(text, shape, [demo]).text;

describe('adding', () => {
  test.each([
    [
      'a one-line map stays on one line',
      '{"mcpServers": {"a": {}}}',
      '{"mcpServers": {"a": {}, "demo": {"command": "x"}}}',
    ],
    ['a minified text stays minified', '{"b":1}', '{"b":1,"mcpServers":{"demo":{"command":"x"}}}'],
    [
      'brackets that are padded stay padded',
      '{ "mcpServers": { "a": {} } }',
      '{ "mcpServers": { "a": {}, "demo": { "command": "x" } } }',
    ],
    [
      'the comma goes before a comment, and the entry behind it',
      '{\n  "mcpServers": {\n    "a": {} // a\n    // end\n  }\n}',
      '{\n  "mcpServers": {\n    "a": {}, // a\n    "demo": {\n      "command": "x"\n    }\n    // end\n  }\n}',
    ],
    [
      'a line comment on the only line makes the entry begin another',
      '{"mcpServers": {"a": {} // a\n}}',
      '{"mcpServers": {"a": {}, // a\n"demo": {\n  "command": "x"\n}\n}}',
    ],
    [
      'a comment in an empty map stays, and lends its indentation',
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t}\n}',
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t\t"demo": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}',
    ],
    [
      'a trailing comma is kept up',
      '{\r\n  "mcpServers": {\r\n    "a": {},\r\n  },\r\n}',
      '{\r\n  "mcpServers": {\r\n    "a": {},\r\n    "demo": {\r\n      "command": "x"\r\n    },\r\n  },\r\n}',
    ],
    [
      'a text of comments only is kept above',
      '// only\n',
      '// only\n{\n  "mcpServers": {\n    "demo": {\n      "command": "x"\n    }\n  }\n}\n',
    ],
  ])('%s', (_, before, after) => {
    expect(add(before)).toBe(after);
  });

  test.each([['{\n  // one\r  // two\r}'], ['{"mcpServers": {"a": {} // a\r}}']])(
    'rejects %j, whose lines end with CR alone',
    (text) => {
      expect(() => add(text)).toThrow('A line ends here with CR alone');
    },
  );

  test('keeps a leading byte order mark', () => {
    expect(add('\uFEFF{"mcpServers":{}}')).toBe('\uFEFF{"mcpServers":{"demo":{"command":"x"}}}');
  });

  test.each(['a.b', 'with space', 'ü', 'quo"te', '__proto__', 'constructor', ''])(
    'treats %j as an ordinary name',
    (name) => {
      const { text } = editEntries('{}', strict, [{ type: 'add', name, entry: { command: 'x' } }]);
      expect([...readEntries(text, strict)]).toEqual([[name, { command: 'x' }]]);
    },
  );

  test.each([
    ['', 2, ''],
    ['\n\n', 2, '\n\n'],
    ['{ }', 1, '{ }'],
    ['{"mcpServers": null}', 0, 'null'],
    ['{"mcpServers": []}', 0, '[]'],
    ['{\n  "mcpServers": {\n  }\n}\n', 0, '{\n  }'],
  ])('records and restores the text that an entry replaced: %j', (before, levels, replaced) => {
    const added = editEntries(before, jsonc, [demo]);
    expect(added.origin).toEqual({ levels, replaced });
    expect(added.createdContainer).toBe(levels > 0);
    expect(editEntries(added.text, jsonc, [removeDemo], { removeEmptyContainer: { levels, replaced } }).text).toBe(
      before,
    );
  });

  test('creates and counts missing levels of a key path', () => {
    const shape: DocumentShape = { ...jsonc, keyPath: ['projects', '/srv/app', 'mcpServers'] };
    const before = '{\n  "projects": {\n    "/srv/app": {\n      "trusted": true\n    }\n  }\n}\n';
    const { text, origin } = editEntries(before, shape, [demo]);
    expect(text).toBe(
      before.replace(
        'true\n',
        'true,\n      "mcpServers": {\n        "demo": {\n          "command": "x"\n        }\n      }\n',
      ),
    );
    expect(origin).toEqual({ levels: 1 });
    expect(editEntries(text, shape, [removeDemo], { removeEmptyContainer: true }).text).toBe(before);
  });
});

describe('removing', () => {
  test.each([
    ['the only entry leaves an empty map', '{"mcpServers": {"demo": {}}}', '{"mcpServers": {}}'],
    ['the first entry of a line', '{"mcpServers": {"demo": 1, "b": 2}}', '{"mcpServers": {"b": 2}}'],
    ['an entry in the middle', '{"mcpServers": {"a": 1, "demo": 2, "c": 3}}', '{"mcpServers": {"a": 1, "c": 3}}'],
    [
      'the last entry takes the comma before it',
      '{"mcpServers": {"a": 1 /* a */, "demo": 2}}',
      '{"mcpServers": {"a": 1 /* a */}}',
    ],
    [
      'the last entry leaves a trailing comma trailing',
      '{"mcpServers": {\n  "a": 1, // a\n  "demo": 2, // mine\n}}',
      '{"mcpServers": {\n  "a": 1, // a\n  // mine\n}}',
    ],
    [
      'an entry behind a line comment does not pull the bracket up to it',
      '{"mcpServers": {"a": 1, // a\n "demo": 2 }}',
      '{"mcpServers": {"a": 1 // a\n  }}',
    ],
  ])('%s', (_, before, after) => {
    expect(editEntries(before, jsonc, [removeDemo]).text).toBe(after);
  });

  test('leaves the text unchanged if the entry does not exist', () => {
    expect(editEntries('{"a" :1}', strict, [removeDemo])).toEqual({ text: '{"a" :1}', createdContainer: false });
  });
});

test.each([
  ['{\n  "mcpServers": /* mine */ {\n    "demo": {}\n  }\n}\n', '{\n  "mcpServers": /* mine */ {}\n}\n'],
  ['{\n  "mcpServers": // mine\n  {\n    "demo": {}\n  }\n}\n', '{\n  "mcpServers": // mine\n  {}\n}\n'],
  ['{"mcpServers" /* mine */: {"demo": {}}}', '{"mcpServers" /* mine */: {}}'],
])('keeps a created object with a comment before its value: %j', (before, after) => {
  for (const origin of [{ levels: 1 }, { levels: 2, replaced: '' }, { levels: 1, replaced: '{}' }]) {
    expect(editEntries(before, jsonc, [removeDemo], { removeEmptyContainer: origin }).text).toBe(after);
  }
});

describe('updating', () => {
  const update = (text: string, edit: Omit<EntryEdit & { type: 'update' }, 'type' | 'name'>) =>
    editEntries(text, jsonc, [{ type: 'update', name: 'demo', ...edit }]).text;

  test('keeps the bytes of fields of the host', () => {
    const before = `{
  "mcpServers": {
    "demo": {
      "command": "old", // ours
      "alwaysAllow":["a" , "b"],  // theirs
      "oauth": { "at": 1755000000000.0 }
    }
  }
}`;
    expect(
      update(before, {
        set: [
          { path: ['command'], value: 'new' },
          { path: ['env', 'K'], value: 'v' },
        ],
        unset: [],
      }),
    ).toBe(before.replace('"old"', '"new"').replace('.0 }\n', '.0 },\n      "env": {\n        "K": "v"\n      }\n'));
  });

  test('merges an object field by field', () => {
    const before = '{"mcpServers": {"demo": {"env": {"A": "1", /* b */ "B": "2",  "C": "3"}}}}';
    expect(update(before, { set: [{ path: ['env'], value: { A: '1', B: 'x' } }], unset: [] })).toBe(
      '{"mcpServers": {"demo": {"env": {"A": "1", /* b */ "B": "x"}}}}',
    );
  });

  test('keeps the spelling of an equal number', () => {
    const before = '{"mcpServers": {"demo": {"timeout": 1.0}}}';
    expect(update(before, { set: [{ path: ['timeout'], value: 1 }], unset: [] })).toBe(before);
  });

  test('writes a list on one line or several, as before', () => {
    const oneLine = '{\n  "mcpServers": {\n    "demo": {\n      "args": ["a"]\n    }\n  }\n}';
    const set = [{ path: ['args'], value: ['b', 'c'] }];
    expect(update(oneLine, { set, unset: [] })).toBe(oneLine.replace('["a"]', '["b", "c"]'));
    const lines = oneLine.replace('["a"]', '[\n        "a"\n      ]');
    expect(update(lines, { set, unset: [] })).toBe(lines.replace('"a"', '"b",\n        "c"'));
  });

  test('removes the comma of a removed field', () => {
    const before = '{"mcpServers": {"demo": {"a": 1, "b": 2}}}';
    expect(update(before, { set: [], unset: [['b'], ['never there']] })).toBe('{"mcpServers": {"demo": {"a": 1}}}');
  });
});

describe('JSON5', () => {
  const json5: DocumentShape = { ...jsonc, dialect: 'json5' };

  test('is read in full', () => {
    const text = "{mcpServers: {demo: {command: 'x', timeout: +0x10,},},}";
    expect([...readEntries(text, json5)]).toEqual([['demo', { command: 'x', timeout: 16 }]]);
  });

  test('is edited while it is also JSON with comments', () => {
    expect(add('{"mcpServers": {/* none */}}', json5)).toBe('{"mcpServers": {/* none */ "demo": {"command": "x"}}}');
  });
});

test('edits a list of servers by name', () => {
  const shape: DocumentShape = {
    dialect: 'json',
    keyPath: ['servers'],
    collection: 'sequence-by-name',
    nameField: 'id',
  };
  const before = '{"servers":[{"id":"a"}]}';
  const { text } = editEntries(before, shape, [demo]);
  expect(text).toBe('{"servers":[{"id":"a"},{"id":"demo","command":"x"}]}');
  expect(editEntries(text, shape, [removeDemo]).text).toBe(before);
});
