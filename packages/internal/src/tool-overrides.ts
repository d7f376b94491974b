import type { ToolOverride, ToolOverrides } from './contracts.js';
import { isRecord } from './json/json-values.js';
import { checkOption, type OptionCheck, refuseUnknown } from './options.js';
import { quote } from './text.js';

const checks: ReadonlyMap<string, OptionCheck> = new Map([
  ['title', { kind: 'text' }],
  ['description', { kind: 'text' }],
  ['hidden', { kind: 'flag' }],
]);
const names = [...checks.keys()];

interface OverridesPlace {
  /** Precedes messages. */
  readonly place: string;
  readonly option: 'tools' | 'toolOverrides';
  /** Called for each invalid part, which is left out. May throw. */
  readonly refuse: (fault: TypeError, tool?: string) => void;
}

export function resolveOverrides(given: unknown, { place, option, refuse }: OverridesPlace): ToolOverrides | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given)) {
    const remedy = Array.isArray(given) ? '. A list of the tools that are offered is "allowedTools"' : '';
    refuse(new TypeError(`${place}${option} must be an object, such as { search: { description: "…" } }${remedy}`));
    return undefined;
  }
  const read = Object.entries(given).flatMap(([tool, override]): [string, ToolOverride][] => {
    if (override === undefined) return [];
    const where = `${option}[${quote(tool)}]`;
    const refusePart = (fault: TypeError) => refuse(fault, tool);
    if (isRecord(override)) return [[tool, readOverride(override, { place, where, refuse: refusePart })]];
    refusePart(new TypeError(`${place}${where} must be an object with title, description or hidden`));
    return [];
  });
  return Object.freeze(Object.fromEntries(read));
}

function readOverride(
  given: Readonly<Record<string, unknown>>,
  { place, where, refuse }: Pick<OverridesPlace, 'place' | 'refuse'> & { readonly where: string },
): ToolOverride {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    try {
      const check = checks.get(name);
      if (check === undefined) refuseUnknown(name, names, { place, where: `${where}.` });
      else checkOption(`${place}${where}.${name}`, check, value);
      read[name] = value;
    } catch (fault) {
      refuse(fault as TypeError);
    }
  }
  return Object.freeze(read);
}
