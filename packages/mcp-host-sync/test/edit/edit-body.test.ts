import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/edit/dialect.js';
import type { DocumentShape, EntryEdit } from '../../src/edit/document.js';
import { editBody } from '../../src/edit/edit-body.js';
import { readEntries, writers } from '../../src/edit/edit-entries.js';

const count = 1_000;
const names = Array.from({ length: count }, (_, index) => `server-${index}`);
const entry = (index: number) => ({ command: 'npx', args: [`${index}`], env: { KEY: 'x' } });
const adds = names.map((name, index): EntryEdit => ({ type: 'add', name, entry: entry(index) }));
const removes = names.map((name): EntryEdit => ({ type: 'remove', name }));

/** A dialect that counts the texts it parses. */
function counting(dialect: Dialect): { readonly dialect: Dialect; parses(): number } {
  let parses = 0;
  const open: Dialect['open'] = (text) => {
    parses += 1;
    return dialect.open(text);
  };
  return { dialect: { open }, parses: () => parses };
}

const shapes: readonly (readonly [title: string, shape: DocumentShape, text: string])[] = [
  ['strict JSON', { dialect: 'json', keyPath: ['servers'], collection: 'map' }, '{\n  "servers": {}\n}\n'],
  ['JSON on one line', { dialect: 'json', keyPath: ['servers'], collection: 'map' }, '{"servers":{"x":{}}}'],
  ['a list in JSON', { dialect: 'json', keyPath: ['servers'], collection: 'sequence-by-name' }, '{"servers": []}\n'],
  [
    'JSON with comments and trailing commas',
    { dialect: 'jsonc', keyPath: ['mcp', 'servers'], collection: 'map' },
    '{\n  "mcp": {\n    "servers": {\n      "x": {}, // x\n    },\n  },\n}\n',
  ],
  ['JSON5', { dialect: 'json5', keyPath: ['servers'], collection: 'map' }, '{\n  // c\n}\n'],
  ['YAML', { dialect: 'yaml', keyPath: ['servers'], collection: 'map' }, 'servers:\n  x: {} # x\nrest: 1\n'],
  ['YAML in braces', { dialect: 'yaml', keyPath: ['servers'], collection: 'map' }, 'servers: {x: {}}\n'],
  ['a list in YAML', { dialect: 'yaml', keyPath: ['servers'], collection: 'sequence-by-name' }, 'servers:\n'],
  ['TOML', { dialect: 'toml', keyPath: ['servers'], collection: 'map' }, 'a = 1\n\n[b]\nc = 1\n'],
  ['TOML in braces', { dialect: 'toml', keyPath: ['servers'], collection: 'map' }, 'servers = { x = {} }\n'],
];

// One parse of the original, one of the result and few in between, not one per edit.
const few = 8;

describe.each(shapes)(`${count} edits in %s need few parses`, (_, shape, text) => {
  const edit = (before: string, edits: readonly EntryEdit[], origin?: { levels: number; replaced?: string }) => {
    const { dialect, parses } = counting(writers[shape.dialect]);
    const removal = { levels: origin?.levels ?? 0, replaced: origin?.replaced };
    const edited = editBody(dialect, before, shape, edits, removal);
    expect(parses()).toBeLessThanOrEqual(few);
    return edited;
  };
  const namesIn = (edited: string) => [...readEntries(edited, shape).keys()];
  const added = editBody(writers[shape.dialect], text, shape, adds, { levels: 0, replaced: undefined });
  const older = namesIn(text);

  test('additions', () => {
    expect(edit(text, adds)).toEqual(added);
    expect(namesIn(added.text)).toEqual([...older, ...names]);
  });

  test('removals in any order', () => {
    expect(edit(added.text, removes, added.origin).text).toBe(text);
    expect(edit(added.text, removes.toReversed(), added.origin).text).toBe(text);
  });

  test('partial removals', () => {
    const kept = names.filter((_, index) => index % 3 === 0);
    const gone = removes.filter((_, index) => index % 3 !== 0);
    expect(namesIn(edit(added.text, gone).text)).toEqual([...older, ...kept]);
  });

  test('changes of several fields each', () => {
    const updates = names.map((name): EntryEdit => {
      const set = [
        { path: ['args'], value: ['y'] },
        { path: ['env', 'MORE'], value: 'z' },
        { path: ['cwd'], value: '/x' },
      ];
      return { type: 'update', name, set, unset: [['command']] };
    });
    const expected = { args: ['y'], env: { KEY: 'x', MORE: 'z' }, cwd: '/x' };
    const entries = readEntries(edit(added.text, updates).text, shape);
    expect(names.filter((name) => !hasAll(entries.get(name), expected))).toEqual([]);
    expect(names.filter((name) => hasAll(entries.get(name), { command: 'npx' }))).toEqual([]);
  });

  test('mixed additions, changes and removals', () => {
    const half = count / 2;
    const before = editBody(writers[shape.dialect], text, shape, adds.slice(0, half), {
      levels: 0,
      replaced: undefined,
    });
    const edits = names.flatMap((name, index): readonly EntryEdit[] => {
      if (index < half / 2) return [{ type: 'update', name, set: [{ path: ['args'], value: ['y'] }], unset: [] }];
      return index < half ? [{ type: 'remove', name }] : [{ type: 'add', name, entry: entry(index) }];
    });
    const left = names.filter((_, index) => index < half / 2 || index >= half);
    expect(namesIn(edit(before.text, edits).text)).toEqual([...older, ...left]);
  });
});

function hasAll(value: unknown, fields: object): boolean {
  const held = new Map(Object.entries(value ?? {}));
  return Object.entries(fields).every(([key, field]) => JSON.stringify(held.get(key)) === JSON.stringify(field));
}

test('adding and removing many fields of one entry needs few parses', () => {
  const shape: DocumentShape = { dialect: 'json', keyPath: ['servers'], collection: 'map' };
  const env = (start: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${start + index}`, 'v']));
  const before = JSON.stringify({ servers: { a: { env: env(0) } } }, null, 2);
  const { dialect, parses } = counting(writers.json);
  const edit: EntryEdit = { type: 'update', name: 'a', set: [{ path: ['env'], value: env(500) }], unset: [] };
  const { text } = editBody(dialect, before, shape, [edit], { levels: 0, replaced: undefined });
  expect(JSON.parse(text)).toEqual({ servers: { a: { env: env(500) } } });
  expect(parses()).toBeLessThanOrEqual(few);
});
