import type { Data } from './data/data-tree.js';
import type { Dialect, OpenText } from './dialect.js';

interface Opened {
  readonly dialect: Dialect;
  readonly text: string;
  readonly open: OpenText;
  data?: Data;
}

/** The last opened text, until a garbage collection. A sync reads the same text up to five times. */
let last: WeakRef<Opened> | undefined;

/** Content of a text. @throws {DocumentFault} */
export function contentOf(dialect: Dialect, text: string): Data {
  const opened = lastOpened(dialect, text) ?? { dialect, text, open: dialect.open(text) };
  opened.data ??= opened.open.read();
  last = new WeakRef(opened);
  return opened.data;
}

/** Opens a text for one edit: locating changes caches positions that another shape does not share. @throws {DocumentFault} */
export function openForEdit(dialect: Dialect, text: string): OpenText {
  const opened = lastOpened(dialect, text);
  last = undefined;
  if (opened === undefined) return dialect.open(text);
  const { open, data } = opened;
  return { read: () => data ?? open.read(), locate: open.locate };
}

function lastOpened(dialect: Dialect, text: string): Opened | undefined {
  const opened = last?.deref();
  return opened?.dialect === dialect && opened.text === text ? opened : undefined;
}
