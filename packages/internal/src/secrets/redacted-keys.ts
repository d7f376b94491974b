import { canonicalJson } from '../json/canonical-json.js';

/**
 * The entries under redacted keys. Equal keys are numbered, regardless of the order of entries.
 *
 * @param record - Its values are already redacted.
 */
export function withRedactedKeys(
  record: Readonly<Record<string, unknown>>,
  redact: (key: string) => string,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(record).map(([key, value]) => ({ key, shown: redact(key), value }));
  const names = new Set(entries.map(({ shown }) => shown));
  if (names.size < entries.length) numberEqual(entries, names);
  return Object.fromEntries(entries.map(({ shown, value }) => [shown, value]));
}

interface KeyedEntry {
  readonly key: string;
  shown: string;
  readonly value: unknown;
}

function numberEqual(entries: readonly KeyedEntry[], names: Set<string>): void {
  const groups = new Map<string, KeyedEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.shown);
    if (group === undefined) groups.set(entry.shown, [entry]);
    else group.push(entry);
  }
  const equal = Array.from(groups).filter(([, group]) => group.length > 1);
  for (const [name, group] of equal.sort(([one], [other]) => (one < other ? -1 : 1))) {
    let number = 2;
    for (const entry of inStableOrder(group).slice(1)) {
      while (names.has(`${name} (${number})`)) number++;
      entry.shown = `${name} (${number})`;
      names.add(entry.shown);
    }
  }
}

/** An unredacted key comes first, then the others by their values: their secrets must not decide. */
function inStableOrder(group: readonly KeyedEntry[]): readonly KeyedEntry[] {
  const keyed = group.map((entry) => ({
    entry,
    sort: `${entry.key === entry.shown ? 0 : 1}${canonicalJson(entry.value)}`,
  }));
  return keyed.sort((one, other) => (one.sort < other.sort ? -1 : 1)).map(({ entry }) => entry);
}
