import type { HostAdapter, HostLayout } from './adapters/host-adapter.js';
import type { DocumentShape } from './edit/document-shape.js';
import { readEntries } from './edit/edit-entries.js';
import { type EntryForm, entryForm } from './entry/entry-form.js';

export interface DocumentLayout {
  readonly shape: DocumentShape;
  readonly form: EntryForm;
}

/**
 * Determines which of a host's layouts a document has.
 *
 * @throws {HostFileError} `unreadable-document`, `unsupported-shape`
 */
export function documentLayout(adapter: HostAdapter, text: string, project: string | undefined): DocumentLayout {
  const pick = adapter.pickLayout?.((keyPath) =>
    readEntries(text, { dialect: adapter.dialect, keyPath, collection: 'map' }),
  );
  const layout: HostLayout = adapter.layouts[pick ?? 0] ?? adapter.layouts[0];
  const keyPath = layout.keyPath.map((key) => (key === '{project}' ? (project ?? key) : key));
  const { nameField } = adapter.entry;
  const shape: DocumentShape = {
    dialect: adapter.dialect,
    keyPath,
    collection: layout.collection,
    ...(nameField === undefined || layout.collection === 'map' ? {} : { nameField }),
  };
  return { shape, form: entryForm(adapter.entry, layout) };
}
