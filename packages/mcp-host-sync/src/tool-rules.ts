import type { HostAdapter } from './adapters/host-adapter.js';
import { isObject, type JsonValue } from './edit/document.js';
import { readEntries } from './edit/edit-entries.js';
import { isHostFileError } from './host-error.js';

interface ToolRules {
  /** Of the file. */
  readonly key: string;
  readonly rules: ReadonlyMap<string, JsonValue>;
}

/** Rules for tools in a host's file, outside of the entries. */
export function toolRulesIn(text: string, adapter: HostAdapter): readonly ToolRules[] {
  return (adapter.toolRules ?? []).map((key) => ({ key, rules: rulesAt(key, text, adapter) }));
}

function rulesAt(key: string, text: string, { dialect }: HostAdapter): ReadonlyMap<string, JsonValue> {
  try {
    return readEntries(text, { dialect, keyPath: [key], collection: 'map' });
  } catch (error) {
    // No rules for single servers: one value applies to all tools, and other shapes are invalid for the host, too.
    if (isHostFileError(error) && error.code === 'unsupported-shape') return new Map();
    throw error;
  }
}

/**
 * True if rules outside of the entries restrict a server's tools. Patterns match `<server>_<tool>`; `*` is any text and
 * `?` any character.
 */
export function restrictsServer(rules: ReadonlyMap<string, JsonValue>, server: string): boolean {
  // Hosts replace these characters in names for models.
  const prefix = `${server.replace(/[^A-Za-z0-9_-]/g, '_')}_`;
  for (const [pattern, rule] of rules) {
    if (isRestriction(rule) && (pattern === server || mayMatch(pattern, prefix))) return true;
  }
  return false;
}

/** `false`, `"deny"` and `"ask"`, also among several rules per argument of a tool. */
function isRestriction(rule: JsonValue): boolean {
  return isObject(rule) ? Object.values(rule).some(isRestriction) : rule !== true && rule !== 'allow';
}

/** True if the pattern matches a text that starts with the prefix. */
function mayMatch(written: string, prefix: string): boolean {
  const pattern = written.replace(/\*+/g, '*');
  // Pattern positions that the characters so far can reach.
  const reached = (place: number) => (pattern[place] === '*' ? [place, place + 1] : [place]);
  let places = new Set(reached(0));
  for (const character of prefix) {
    const next = [...places].flatMap((place) => {
      const wanted = pattern[place];
      if (wanted === '*') return reached(place);
      return wanted === '?' || wanted === character ? reached(place + 1) : [];
    });
    places = new Set(next);
  }
  return places.size > 0;
}
