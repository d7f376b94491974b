import type { ControlBase } from './control-base.js';

/** Programs refer to an entry by these fields. */
const identityKeys: ReadonlySet<string> = new Set(['name', 'server', 'tool', 'uri', 'uriTemplate', 'state']);

/** A tool, resource or prompt with known secrets redacted, except in the names that identify it. */
export function hiddenEntry<Entry extends object>(
  entry: Entry,
  { redactData }: Pick<ControlBase, 'redactData'>,
): Entry {
  const isKept = ([key]: readonly [string, unknown]): boolean => identityKeys.has(key);
  const fields = Object.entries(entry);
  const hidden = redactData(Object.fromEntries(fields.filter((field) => !isKept(field))));
  return { ...hidden, ...Object.fromEntries(fields.filter(isKept)) } as Entry;
}
