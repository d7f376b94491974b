import type { ToolLists } from '../adapters/host-adapter.js';
import { isList } from '../edit/data/json-value.js';
import type { EntryFields } from '../edit/document-shape.js';
import type { HostServer } from '../host-server.js';
import type { EntryReading } from './entry-reading.js';

/** Tools that the host makes available. Never allows more than the host, so an unreadable list is an error. */
export function readToolLists(
  entry: EntryFields,
  reading: EntryReading,
): Pick<HostServer, 'allowedTools' | 'deniedTools'> {
  const { tools = {} } = reading.form.format;
  const allowed = listAt(tools.allowed, entry, reading);
  const denied = listAt(tools.denied, entry, reading);
  return {
    ...(allowed === undefined || allowsAll(allowed, tools)
      ? {}
      : { allowedTools: exactNames(allowed, tools, reading) }),
    ...(denied === undefined || denied.length === 0 ? {} : { deniedTools: denied }),
  };
}

/** The list in the first present spelling. */
function listAt(
  spellings: readonly string[] = [],
  entry: EntryFields,
  reading: EntryReading,
): readonly string[] | undefined {
  const field = spellings.find((spelling) => entry[spelling] !== undefined && entry[spelling] !== null);
  const value = field === undefined ? undefined : entry[field];
  if (field === undefined || value === undefined) return undefined;
  const names = isList(value) ? value.filter((name) => typeof name === 'string') : [];
  const isPlain = isList(value) && names.length === value.length && names.every((name) => /^[^$]+$/.test(name));
  return isPlain ? names : reading.reject(`${field} is not a list of plain tool names`);
}

function allowsAll(allowed: readonly string[], { star, emptyAllowsAll }: ToolLists): boolean {
  return (emptyAllowsAll === true && allowed.length === 0) || (star !== undefined && allowed.includes('*'));
}

/** `*` matches any text in the common form, so a literal `*` of the host would allow more tools. */
function exactNames(allowed: readonly string[], { star }: ToolLists, reading: EntryReading): readonly string[] {
  if (star === 'any-text') return allowed;
  const exact = allowed.filter((name) => !name.includes('*'));
  if (exact.length < allowed.length) {
    reading.reportUnsupported(
      'This host does not support "*" in the list of allowed tools; names with it are left out',
    );
  }
  return exact;
}
