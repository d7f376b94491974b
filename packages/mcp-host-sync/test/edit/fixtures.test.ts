import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DocumentShape, EntryFields, HostDialect } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';

interface FixtureMeta {
  readonly dialect: 'json-strict' | Exclude<HostDialect, 'json'>;
  readonly keyPath: readonly string[];
  readonly collection: DocumentShape['collection'];
  readonly before: string;
  readonly after: string;
  readonly entries: Readonly<Record<string, EntryFields>>;
}

const folder = new URL('../fixtures/hosts/', import.meta.url);
const fixtures = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test('has twenty fixtures', () => {
  expect(fixtures).toHaveLength(20);
});

describe.each(fixtures)('%s', (name) => {
  const readText = (file: string) => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');
  const meta = JSON.parse(readText('meta.json')) as FixtureMeta;
  const before = readText(meta.before);
  const after = readText(meta.after);
  const dialect = meta.dialect === 'json-strict' ? 'json' : meta.dialect;
  const shape: DocumentShape = { dialect, keyPath: meta.keyPath, collection: meta.collection };
  const adds = Object.entries(meta.entries).map(([server, entry]) => ({ type: 'add' as const, name: server, entry }));

  test('adds the servers byte for byte', () => {
    expect(editEntries(before, shape, adds).text).toBe(after);
  });

  test('removes the servers in any order, which restores the file', () => {
    const { origin } = editEntries(before, shape, adds);
    const removes = adds.map((add) => ({ type: 'remove' as const, name: add.name }));
    const options = origin === undefined ? {} : { removeEmptyContainer: origin };
    expect(editEntries(after, shape, removes, options).text).toBe(before);
    expect(editEntries(after, shape, removes.toReversed(), options).text).toBe(before);
  });

  test('does not change when the same servers are added again', () => {
    expect(editEntries(after, shape, adds)).toEqual({ text: after, createdContainer: false });
  });

  test('reads the added servers back unchanged', () => {
    const entries = readEntries(after, shape);
    for (const { name: server, entry } of adds) expect(entries.get(server)).toEqual(entry);
  });
});
