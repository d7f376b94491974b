import type { Dialect, EntryChange, LocatedChange, Removal } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import type { DocumentShape } from '../document-shape.js';
import { insertEntry, putField } from './insert-toml.js';
import { dataOfToml, parseToml } from './parse-toml.js';
import { removeAt, removeEntry } from './remove-toml.js';
import { TomlOutline } from './toml-outline.js';

export const tomlDialect: Dialect = {
  open: (text) => {
    const program = parseToml(text);
    let outline: TomlOutline | undefined;
    return {
      read: () => dataOfToml(text, program),
      locate: (shape, change, removal) => {
        outline ??= new TomlOutline(program);
        return locate(text, outline, shape, change, removal);
      },
    };
  },
};

function locate(
  text: string,
  outline: TomlOutline,
  { keyPath, collection }: DocumentShape,
  change: EntryChange,
  removal: Removal,
): LocatedChange {
  if (collection !== 'map') throw unsupported('Lists of servers cannot be edited in TOML');
  const path = [...keyPath, change.name];
  switch (change.type) {
    case 'insert':
      return insertEntry(text, outline, keyPath, change.name, change.entry);
    case 'remove':
      return { splices: removeEntry(text, outline, path, removal) };
    case 'set':
      return putField(text, outline, path, change.path, change.value);
    case 'unset':
      return { splices: removeAt(text, outline, [...path, ...change.path]) };
  }
}
