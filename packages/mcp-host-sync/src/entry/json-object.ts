import type { EntryFields } from '../edit/document-shape.js';

/** A copy without some fields. */
export function without(fields: EntryFields, names: ReadonlySet<string>): EntryFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}
