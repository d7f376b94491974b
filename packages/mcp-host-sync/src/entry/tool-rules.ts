import type { JsonValue } from '../edit/document-shape.js';
import { isObject } from '../edit/json-value.js';

/**
 * Whether rules that stand outside of the entries keep a tool of a server back, or ask before it is used. They name
 * tools by patterns of `<server>_<tool>`, in which `*` is any text and `?` any character.
 */
export function restrictsServer(rules: ReadonlyMap<string, JsonValue>, server: string): boolean {
  // As hosts clean names, so that a model can be given them.
  const prefix = `${server.replace(/[^A-Za-z0-9_-]/g, '_')}_`;
  for (const [pattern, rule] of rules) {
    if (isRestriction(rule) && (pattern === server || mayMatch(pattern, prefix))) return true;
  }
  return false;
}

/** `false`, `"deny"` and `"ask"`, also as one of several rules for what a tool is given. */
function isRestriction(rule: JsonValue): boolean {
  return isObject(rule) ? Object.values(rule).some(isRestriction) : rule !== true && rule !== 'allow';
}

/** Whether a pattern matches any text that begins with the prefix. */
function mayMatch(written: string, prefix: string): boolean {
  const pattern = written.replace(/\*+/g, '*');
  // Where in the pattern what was read of the prefix can have led to. A `*` can also stand for no text.
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
