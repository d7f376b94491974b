import type { ToolLists } from '../adapters/host-adapter.js';
import type { EntryFields } from '../edit/document-shape.js';
import { isList } from '../edit/json-value.js';
import type { HostServer } from '../host-server.js';
import type { EntryReading } from './entry-reading.js';

/** Which tools the host offers. Never more of them than there: what is not understood refuses the whole entry. */
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

/** Of several spellings, the first that is there, as the host has it. */
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
  return isPlain ? names : reading.misunderstood(`${field} is no list of plain names of tools`);
}

function allowsAll(allowed: readonly string[], { star, emptyAllowsAll }: ToolLists): boolean {
  return (emptyAllowsAll === true && allowed.length === 0) || (star !== undefined && allowed.includes('*'));
}

/** Here a `*` is any text: where it is not, a name that holds one would allow more than it does there. */
function exactNames(allowed: readonly string[], { star }: ToolLists, reading: EntryReading): readonly string[] {
  if (star === 'any-text') return allowed;
  const exact = allowed.filter((name) => !name.includes('*'));
  if (exact.length < allowed.length) {
    reading.notCarried(
      'A "*" in the list of allowed tools means nothing to this host, and names with one are left out',
    );
  }
  return exact;
}
