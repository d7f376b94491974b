import type { Dialect, LocatedChange } from '../dialect.js';
import { unsupported } from '../document-fault.js';
import { insertEntry, putField } from './insert-toml.js';
import { dataOfToml, parseToml } from './parse-toml.js';
import { removeAt, removeEntry } from './remove-toml.js';

export const tomlDialect: Dialect = {
  read: (text) => dataOfToml(text, parseToml(text)),
  locate: (text, { keyPath, collection }, change, removal): LocatedChange => {
    if (collection !== 'map') throw unsupported('A list of servers is not edited in TOML');
    const program = parseToml(text);
    const path = [...keyPath, change.name];
    switch (change.type) {
      case 'insert':
        return insertEntry(text, program, keyPath, change.name, change.entry);
      case 'remove':
        return { splices: removeEntry(text, program, path, removal) };
      case 'set':
        return { splices: putField(text, program, path, change.path, change.value) };
      case 'unset':
        return { splices: removeAt(text, program, [...path, ...change.path]) };
    }
  },
};
