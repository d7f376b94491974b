import type { ControlBase } from './control-base.js';

/** What commands and other programs refer to an entry by. */
const identityKeys: ReadonlySet<string> = new Set(['name', 'server', 'tool', 'uri', 'uriTemplate', 'state']);

/** A tool, resource or prompt of a list with known secrets starred out, but for the names that it is referred to by. */
export function hiddenEntry<Entry extends object>(
  entry: Entry,
  { redactData }: Pick<ControlBase, 'redactData'>,
): Entry {
  const isKept = ([key]: readonly [string, unknown]): boolean => identityKeys.has(key);
  const fields = Object.entries(entry);
  const hidden = redactData(Object.fromEntries(fields.filter((field) => !isKept(field))));
  return { ...hidden, ...Object.fromEntries(fields.filter(isKept)) } as Entry;
}
