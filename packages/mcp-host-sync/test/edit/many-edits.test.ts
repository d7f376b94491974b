import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EditOptions, EntryEdit, EntryFields } from '../../src/edit/document.js';
import { editEntries, readEntries } from '../../src/edit/edit-entries.js';
import { isHostFileError } from '../../src/host-error.js';
import { type DialectCase, dialectCases } from '../helpers/host-documents/dialects.js';
import { charactersLost, commentsIn } from '../helpers/host-documents/kept-bytes.js';
import { anyLayout } from '../helpers/host-documents/layout.js';
import { anyDocument, anyEntry, anyName } from '../helpers/host-documents/tree.js';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 25);

describe.each(dialectCases)('$title', (dialect) => {
  const { shape } = dialect;
  const edited = (text: string, edits: readonly EntryEdit[], options?: EditOptions) =>
    editEntries(text, shape, edits, options);

  test('many edits together give the same text as one after the other', () => {
    const law = fc.property(
      anyText(dialect),
      anyEdits(dialect),
      fc.boolean(),
      (made, choices, removeEmptyContainer) => {
        const text = orRefused(() => made.older.reduce((now, add) => edited(now, [add]).text, made.text));
        if (text === undefined) return;
        const edits = sensible(choices, [...made.names, ...made.older.map(({ name }) => name)]);
        const options = { removeEmptyContainer };
        const oneByOne = orRefused(() => edits.reduce((now, edit) => edited(now, [edit], options).text, text));
        // More edits may be possible together: one edit can remove text that another one could not leave behind.
        if (oneByOne !== undefined) expectSame(dialect, edited(text, edits, options).text, oneByOne);
      },
    );
    fc.assert(law, { numRuns });
  });

  test('many additions keep every byte, and removing them restores the text', () => {
    const law = fc.property(anyText(dialect), fc.array(anyFields(dialect), { maxLength: 6 }), ({ text }, entries) => {
      const adds = entries.map((entry, index): EntryEdit => ({ type: 'add', name: `new ${index}`, entry }));
      const removes = adds.map(({ name }): EntryEdit => ({ type: 'remove', name }));
      try {
        const before = readEntries(text, shape);
        const { text: after, origin } = edited(text, adds);
        if (origin?.replaced === undefined) expect(charactersLost(text, after)).toBe(0);
        expect([...readEntries(after, shape).keys()]).toEqual([...before.keys(), ...adds.map(({ name }) => name)]);
        expect(edited(after, removes, { removeEmptyContainer: origin ?? false }).text).toBe(text);
        expect(edited(after, removes.toReversed(), { removeEmptyContainer: origin ?? false }).text).toBe(text);
      } catch (error) {
        if (!isHostFileError(error)) throw error; // rejecting an unusual layout is fine
      }
    });
    fc.assert(law, { numRuns });
  });
});

function anyText(dialect: DialectCase) {
  const older = fc.array(anyFields(dialect), { maxLength: 4 });
  return fc.tuple(anyDocument(dialect.document), anyLayout, older).map(([made, choices, entries]) => ({
    text: dialect.write(made, choices),
    names: made.names,
    /** Further entries, which are added before the test begins. */
    older: entries.map((entry, index): EntryEdit => ({ type: 'add', name: `old ${index}`, entry })),
  }));
}

function anyFields({ hasNull }: DialectCase): fc.Arbitrary<EntryFields> {
  return anyEntry({ nulls: hasNull }).map(({ name: _, ...fields }) => fields);
}

interface Choice {
  readonly type: EntryEdit['type'];
  readonly at: number;
  readonly fields: EntryFields;
  readonly unset: readonly string[];
}

function anyEdits(dialect: DialectCase): fc.Arbitrary<readonly Choice[]> {
  const choice = fc.record({
    type: fc.constantFrom('add' as const, 'remove' as const, 'update' as const),
    at: fc.nat(),
    fields: anyFields(dialect),
    unset: fc.array(
      anyName.filter((key) => key !== 'name'),
      { maxLength: 2 },
    ),
  });
  return fc.array(choice, { maxLength: 12, size: 'max' });
}

/** Adds only missing entries and updates only existing ones. */
function sensible(choices: readonly Choice[], present: readonly string[]): readonly EntryEdit[] {
  const names = new Set(present);
  return choices.map(({ type, at, fields, unset }, index): EntryEdit => {
    const name = [...names][at % Math.max(1, names.size)];
    if (type === 'add' || name === undefined) {
      names.add(`new ${index}`);
      return { type: 'add', name: `new ${index}`, entry: fields };
    }
    if (type === 'remove') {
      names.delete(name);
      return { type, name };
    }
    const set = Object.entries(fields).map(([key, value]) => ({ path: [key], value }));
    const known = ['command', 'args', 'env', 'url', ...unset].filter((key) => !Object.hasOwn(fields, key));
    return { type, name, set, unset: known.map((key) => [key]) };
  });
}

/** `undefined` if the edit is rejected, which is fine for an unusual layout. */
function orRefused(work: () => string): string | undefined {
  try {
    return work();
  } catch (error) {
    if (!isHostFileError(error)) throw error;
    return undefined;
  }
}

/**
 * Compares without white space: a new comma is spaced like existing ones, which an earlier edit can change. In TOML,
 * the owner of a comment also depends on the text below it.
 */
function expectSame({ shape }: DialectCase, together: string, oneByOne: string): void {
  if (shape.dialect === 'toml') {
    expect(readEntries(together, shape)).toEqual(readEntries(oneByOne, shape));
    expect(commentsIn(together)).toEqual(expect.arrayContaining([...commentsIn(oneByOne)]));
  } else expect(unspaced(together)).toEqual(unspaced(oneByOne));
}

function unspaced(text: string): string {
  return text.replace(/\s+/g, '');
}
