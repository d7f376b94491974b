import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EntryEdit, EntryFields, JsonValue } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';
import { isHostFileError } from '../../src/host-error.js';
import { type DialectCase, dialectCases } from '../helpers/host-documents/dialects.js';
import { charactersLost, commentsIn, isSubsequence, keepsAllBut } from '../helpers/host-documents/kept-bytes.js';
import { anyLayout } from '../helpers/host-documents/layout.js';
import { anyDocument, anyEntry, anyName } from '../helpers/host-documents/tree.js';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 50);

describe.each(dialectCases)('$title', (dialect) => {
  const { shape } = dialect;
  const edit = (text: string, ...edits: EntryEdit[]) => editEntries(text, shape, edits);
  const newEntry = anyEntry({ nulls: dialect.hasNull }).map(({ name: _, ...entry }) => entry);
  const newName = anyName.map((name) => `new ${name}`);
  const refusals: string[] = [];
  let laws = 0;

  /** Rejecting unusual layouts is fine; a test below limits their number. */
  function check<T>(more: fc.Arbitrary<T>, law: (text: string, value: T, names: readonly string[]) => void): void {
    const property = fc.property(anyText(dialect), more, ({ text, names }, value) => {
      laws += 1;
      try {
        law(text, value, names);
      } catch (error) {
        if (!isHostFileError(error)) throw error;
        refusals.push(`${error.message} ${JSON.stringify(text)}`);
      }
    });
    fc.assert(property, { numRuns });
  }

  test('an addition keeps every byte and adds one entry', () => {
    check(fc.tuple(newName, newEntry), (text, [name, entry]) => {
      const before = readEntries(text, shape);
      const { text: after, origin } = edit(text, { type: 'add', name, entry });
      if (origin?.replaced === undefined) expect(charactersLost(text, after)).toBe(0);
      else expect(keepsAllBut(origin.replaced, text, after)).toBe(true);
      expect([...readEntries(after, shape)]).toEqual([...before, [name, named(dialect, name, entry)]]);
      expect(entriesElsewhere(dialect, after)).toContainEqual([name, named(dialect, name, entry)]);
    });
  });

  test('removing an added entry restores the text', () => {
    check(fc.tuple(newName, newEntry), (text, [name, entry]) => {
      const { text: after, origin } = edit(text, { type: 'add', name, entry });
      const removed = editEntries(after, shape, [{ type: 'remove', name }], { removeEmptyContainer: origin ?? false });
      expect(removed.text).toBe(text);
    });
  });

  test('a second addition changes nothing', () => {
    check(fc.tuple(newName, newEntry), (text, [name, entry]) => {
      const once = edit(text, { type: 'add', name, entry }).text;
      expect(edit(once, { type: 'add', name, entry })).toEqual({ text: once, createdContainer: false });
    });
  });

  test('the order of two additions does not matter, and removing both in either order restores the text', () => {
    check(fc.tuple(newEntry, newEntry), (text, [one, two]) => {
      const adds: EntryEdit[] = [
        { type: 'add', name: 'one', entry: one },
        { type: 'add', name: 'two', entry: two },
      ];
      const there = edit(text, ...adds);
      expect(asRecord(readEntries(edit(text, ...adds.toReversed()).text, shape))).toEqual(
        asRecord(readEntries(there.text, shape)),
      );
      const removes = adds.map(({ name }): EntryEdit => ({ type: 'remove', name }));
      const options = { removeEmptyContainer: there.origin ?? false };
      expect(editEntries(there.text, shape, removes, options).text).toBe(text);
      expect(editEntries(there.text, shape, removes.toReversed(), options).text).toBe(text);
    });
  });

  test('an update changes only its fields and keeps comments outside the entry', () => {
    check(fc.tuple(fc.nat(), newEntry, fc.array(anyName, { maxLength: 2 })), (text, [at, fields, gone], names) => {
      const name = names[at % names.length];
      if (name === undefined) return;
      const unset = gone.filter((key) => key !== 'name' && !Object.hasOwn(fields, key));
      const set = Object.entries(fields).map(([key, value]) => ({ path: [key], value }));
      const update: EntryEdit = { type: 'update', name, set, unset: unset.map((key) => [key]) };
      const before = readEntries(text, shape);
      const after = edit(text, update).text;

      const kept = Object.entries({ ...asMap(before.get(name)), ...fields }).filter(([key]) => !unset.includes(key));
      const expected = new Map(before).set(name, Object.fromEntries(kept));
      expect(asRecord(readEntries(after, shape))).toEqual(asRecord(expected));
      expect(edit(after, update).text).toBe(after);
      const outside = commentsIn(edit(text, { type: 'remove', name }).text);
      expect(commentsIn(after)).toEqual(expect.arrayContaining([...outside]));
    });
  });

  test('setting and unsetting a field restores the text', () => {
    const anyValue = fc.constantFrom<JsonValue[]>('x', ['-y', 'x'], { KEY: 'x' });
    check(fc.tuple(fc.nat(), anyValue), (text, [at, value], names) => {
      const name = names[at % names.length];
      if (name === undefined) return;
      // Without other fields, the remaining value has several spellings.
      const entry = asMap(readEntries(text, shape).get(name));
      if (Object.values(entry).every((held) => typeof held === 'object')) return;

      const path = ['new field'];
      const set = edit(text, { type: 'update', name, set: [{ path, value }], unset: [] }).text;
      expect(charactersLost(text, set)).toBe(0);
      expect(edit(set, { type: 'update', name, set: [], unset: [path] }).text).toBe(text);
    });
  });

  test('a removal only deletes text and keeps the other entries', () => {
    check(fc.nat(), (text, at, names) => {
      const name = names[at % names.length];
      if (name === undefined) return;
      const before = new Map(readEntries(text, shape));
      const after = edit(text, { type: 'remove', name }).text;
      before.delete(name);
      expect([...readEntries(after, shape)]).toEqual([...before]);
      // An empty YAML collection needs brackets.
      expect(isSubsequence(after, text) || [' {}', ' []'].some((empty) => keepsAllBut(empty, after, text))).toBe(true);
    });
  });

  test('a damaged text is read or rejected, without any other error', () => {
    const damage = fc.tuple(fc.nat(), fc.nat({ max: 4 }), fc.string({ maxLength: 3 }));
    check(fc.tuple(damage, newEntry), (text, [[at, length, noise], entry]) => {
      const start = at % (text.length + 1);
      const broken = text.slice(0, start) + noise + text.slice(start + length);
      orRefused(() => readEntries(broken, shape));
      orRefused(() => edit(broken, { type: 'add', name: 'new', entry }));
      orRefused(() => edit(broken, { type: 'remove', name: 'a' }));
    });
  });

  test('very few of these documents are rejected', () => {
    expect(refusals.length, refusals.slice(0, 3).join('\n')).toBeLessThanOrEqual(laws / 20);
  });
});

function anyText(dialect: DialectCase) {
  return fc.tuple(anyDocument(dialect.document), anyLayout, fc.boolean()).map(([made, choices, hasMark]) => ({
    text: (hasMark ? '\uFEFF' : '') + dialect.write(made, choices),
    names: made.names,
  }));
}

/** Entries of a text, found by a reader that shares no code with the editor. */
function entriesElsewhere({ shape, readElsewhere }: DialectCase, text: string): readonly unknown[] {
  let found = readElsewhere(text.replace(/^\uFEFF/, ''));
  for (const key of shape.keyPath) found = (found as Record<string, unknown>)[key];
  return Array.isArray(found) ? found.map((item) => [item?.name, item]) : Object.entries(found as object);
}

function orRefused(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!isHostFileError(error)) throw error;
  }
}

function asMap(value: JsonValue | undefined): EntryFields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as EntryFields) : {};
}

function asRecord(entries: ReadonlyMap<string, JsonValue>): EntryFields {
  return Object.fromEntries(entries);
}

function named({ shape }: DialectCase, name: string, entry: EntryFields): EntryFields {
  return shape.collection === 'map' ? entry : { name, ...entry };
}
