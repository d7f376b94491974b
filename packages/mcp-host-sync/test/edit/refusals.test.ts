import { describe, expect, test } from 'vitest';
import type { DocumentShape, EntryEdit, JsonValue } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';
import { type HostFileError, isHostFileError } from '../../src/host-error.js';

const of = (dialect: DocumentShape['dialect']): DocumentShape => ({ dialect, keyPath: ['servers'], collection: 'map' });
const demo: EntryEdit = { type: 'add', name: 'demo', entry: { command: 'x' } };
const set = (path: string[], value: JsonValue): EntryEdit => ({
  type: 'update',
  name: 'a',
  set: [{ path, value }],
  unset: [],
});

function refusal(work: () => unknown): HostFileError {
  try {
    work();
  } catch (error) {
    if (isHostFileError(error)) return error;
    throw error;
  }
  throw new Error('This should have been refused');
}

describe('rejects a text that the host cannot read', () => {
  test.each([
    ['json', '{"servers": {},\n  // c\n}', 2, 3, /comment/],
    ['json', '{"servers": {"a": 1,}}', 1, 21, /comma/],
    ['json-comments', '{"servers": {} /* c */,}', 1, 24, /comma/],
    ['jsonc', '{"servers": {}', 1, 15, /not closed/],
    ['jsonc', "{'servers': {}}", 1, 2, /double quotes|nothing in JSON/],
    ['jsonc', '{"servers": {}}{}', 1, 16, /the end of the text after its value/],
    ['json5', '{servers: {', 1, 12, /JSON5/],
    ['yaml', 'servers:\n  a: 1\n b: 2\n', 3, 1, /./],
    ['yaml', 'servers: "a', 1, 12, /./],
    ['toml', '[servers]\na = \n', 3, 1, /./],
    ['toml', 'a = 1\na = 2\n', 2, 1, /multiple times/],
    ['toml', 'a = { b = 1, }\n', 1, 14, /[Tt]railing comma/],
  ] as const)('%s: %j', (dialect, text, line, column, message) => {
    const error = refusal(() => editEntries(text, of(dialect), [demo]));
    expect(error).toMatchObject({ code: 'unreadable-document', line, column });
    expect(error.message).toMatch(message);
  });
});

describe('rejects an unsupported shape', () => {
  test.each([
    ['json', '{"servers": {}, "servers": {}}', demo],
    ['json', '{"servers": {"a": {"x": 1, "x": 2}}}', demo],
    ['json', '{"servers": [1]}', demo],
    ['json', '{"servers": "x"}', demo],
    ['json', '[1]', demo],
    ['json', '{"servers": {"a": "x"}}', set(['command'], 'y')],
    ['json', '{"servers": {"a": {"env": "x"}}}', set(['env', 'K'], 'y')],
    ['json5', '{servers: {}}', demo],
    ['yaml', 'servers:\n  a: 1\n  a: 2\n', demo],
    ['yaml', 'servers: &all\n  a: {}\nother: *all\n', demo],
    ['yaml', 'base: &b {c: 1}\nservers:\n  <<: *b\n', demo],
    ['yaml', 'servers: !!map {}\n', demo],
    ['yaml', '? servers\n: {}\n', demo],
    ['yaml', 'a: 1\n---\nb: 1\n', demo],
    ['yaml', 'servers:\n  a: &a {x: 1}\nother: *a\n', { type: 'remove', name: 'a' }],
    ['yaml', 'servers:\n  a: &a {x: 1}\nother: *a\n', set(['x'], 2)],
    ['yaml', 'k: &a 1\nservers:\n  a: {x: &a 2}\nother: *a\n', { type: 'remove', name: 'a' }],
    ['yaml', '- a\n', demo],
    ['yaml', '%YAML 1.1\n---\nservers:\n  a: {on: y}\n', demo],
    ['toml', 'servers.a.command = "x"\n', demo],
    ['toml', '[[servers]]\nname = "a"\n', demo],
    ['toml', 'servers = 1\n', demo],
    ['toml', '[servers.a]\nenv.K = "v"\n', set(['env'], 'w')],
    ['toml', '[servers.a]\n[servers.a.env]\nK = 1\n', set(['env'], 'w')],
    ['toml', 'servers = { a.command = "x", a.args = [] }\n', { type: 'remove', name: 'a' }],
  ] as const satisfies readonly (readonly [DocumentShape['dialect'], string, EntryEdit])[])(
    '%s: %j',
    (dialect, text, edit) => {
      const error = refusal(() => editEntries(text, of(dialect), [edit]));
      expect(error.code).toBe('unsupported-shape');
      expect(error.manualSnippet === undefined).toBe(edit.type !== 'add');
    },
  );

  test.each([
    ['json', '{\n  "servers": {\n    "demo": {\n      "command": "x"\n    }\n  }\n}\n'],
    ['json5', '{\n  "servers": {\n    "demo": {\n      "command": "x"\n    }\n  }\n}\n'],
    ['yaml', 'servers:\n  demo:\n    command: x\n'],
    ['toml', '[servers.demo]\ncommand = "x"\n'],
  ] as const)('with the entry as %s, to add by hand', (dialect, manualSnippet) => {
    const text = { json: '[1]', json5: '{a: 1}', yaml: '- a\n', toml: 'servers = 1\n' }[dialect];
    expect(refusal(() => editEntries(text, of(dialect), [demo])).manualSnippet).toBe(manualSnippet);
  });

  test('with the position of the second key', () => {
    const error = refusal(() => readEntries('{\n  "servers": {},\n  "servers": {}\n}', of('json')));
    expect(error).toMatchObject({ code: 'unsupported-shape', line: 3, column: 3 });
  });

  test('but ignores unrelated parts of the document', () => {
    const text = '{"a": {"x": 1, "x": 2}, "servers": {}}';
    expect(editEntries(text, of('json'), [demo]).text).toBe(
      '{"a": {"x": 1, "x": 2}, "servers": {"demo": {"command": "x"}}}',
    );
  });
});

describe('an edit that does not fit the document', () => {
  test('rejects an addition if a different entry has the name', () => {
    const error = refusal(() => editEntries('{"servers": {"demo": {"command": "y"}}}', of('json'), [demo]));
    expect(error.code).toBe('unsupported-shape');
    expect(error.manualSnippet).toContain('"demo"');
  });

  test('rejects an update of a missing entry', () => {
    const error = refusal(() => editEntries('{}', of('json'), [set(['a'], 1)]));
    expect(error).toMatchObject({ code: 'unsupported-shape', message: 'The entry "a" to update does not exist' });
  });

  test('returns nothing if the second of two edits is rejected', () => {
    expect(refusal(() => editEntries('{}', of('json'), [demo, set(['a'], 1)])).code).toBe('unsupported-shape');
  });
});

describe('throws a TypeError for an entry that no text can express', () => {
  const add = (value: JsonValue): EntryEdit => ({ type: 'add', name: 'demo', entry: { value } });

  test.each([
    ['toml', add(null), '"demo.value" must be a value other than null, which TOML does not have'],
    ['json', add(Number.NaN), '"demo.value" must be a finite number'],
    ['yaml', add(['\ud800']), '"demo.value.0" must be text without lone surrogates'],
    ['json', add(undefined as never), '"demo.value" must be a JSON value'],
    ['json', set([], 1), 'The path of an update must have at least one field'],
  ] as const)('%s', (dialect, edit, message) => {
    expect(() => editEntries('', of(dialect), [edit])).toThrow(new TypeError(message));
  });

  test('it contains itself', () => {
    const entry: Record<string, JsonValue> = {};
    entry.self = entry;
    expect(() => editEntries('', of('json'), [{ type: 'add', name: 'demo', entry }])).toThrow(
      /nested less than 50 levels/,
    );
  });

  test('the name of a list item', () => {
    const shape: DocumentShape = { ...of('yaml'), collection: 'sequence-by-name' };
    expect(() => editEntries('', shape, [set(['name'], 'b')])).toThrow(TypeError);
    expect(() => editEntries('', shape, [{ type: 'add', name: 'a', entry: { name: 'b' } }])).toThrow(TypeError);
  });

  test('a shape without keys', () => {
    expect(() => readEntries('', { ...of('json'), keyPath: [] })).toThrow('shape.keyPath must have at least one key');
  });
});

describe('limits', () => {
  const deep = (open: string, close: string) => open.repeat(30_000) + close.repeat(30_000);

  test.each([
    ['json', `{"servers": ${deep('[', ']')}}`],
    ['json5', `{servers: ${deep('[', ']')}}`],
    ['yaml', `servers: ${deep('[', ']')}`],
    ['toml', `servers = ${deep('[', ']')}`],
    ['toml', `[${'a.'.repeat(200)}a]`],
  ] as const)('rejects %s that is nested too deeply', (dialect, text) => {
    const error = refusal(() => editEntries(text, of(dialect), [demo]));
    expect(error.code).toBe('unreadable-document');
    expect(error.message).toMatch(/nested more than 100/);
  });

  test('rejects a text with too many bytes', () => {
    const error = refusal(() => editEntries(`{"a": "${'ü'.repeat(2_600_000)}"}`, of('json'), [demo]));
    expect(error.message).toMatch(/has more than 5000000 bytes/);
  });

  test.each([
    [`a = [${'1,'.repeat(300_000)}]\n`, 'The text has more than 500000 parts'],
    [`a = "${'x'.repeat(70_000)}"\n`, 'A value or key is longer than 65536 characters'],
  ])('rejects a TOML text that exceeds the limits of its parser', (text, message) => {
    const error = refusal(() => editEntries(text, of('toml'), [demo]));
    expect(error.code).toBe('unreadable-document');
    expect(error.message).toContain(message);
  });

  test('rejects an edit that would make the text too long', () => {
    const entry = { args: Array.from({ length: 60 }, () => 'x'.repeat(60_000)) };
    const edits: EntryEdit[] = ['a', 'b'].map((name) => ({ type: 'add', name, entry }));
    const error = refusal(() => editEntries('{}', of('json'), edits));
    expect(error.code).toBe('unsupported-shape');
    expect(error.message).toBe('The edited text would have more than 5000000 bytes, which is the limit');
  });

  test('rejects aliases that expand to billions of values', () => {
    const lines = ['a0: &a0 [x, x]'];
    for (let index = 1; index < 40; index += 1) lines.push(`a${index}: &a${index} [*a${index - 1}, *a${index - 1}]`);
    expect(refusal(() => editEntries(lines.join('\n'), of('yaml'), [demo])).message).toMatch(/aliases/);
  });

  test.each(['json', 'yaml'] as const)('edits a large %s text', (dialect) => {
    const many = Array.from({ length: 5_000 }, (_, index) => [`server${index}`, { command: 'npx', args: ['-y', 'a'] }]);
    const text = JSON.stringify({ servers: Object.fromEntries(many) }, null, 1);
    expect(readEntries(editEntries(text, of(dialect), [demo]).text, of(dialect)).size).toBe(5_001);
  });
});
