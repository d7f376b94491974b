import { createRedactor } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import { isList, isObject } from '../edit/json-value.js';
import type { EntryForm } from '../entry/entry-form.js';
import { isReference } from '../variables/host-text.js';
import { isHiddenName, mask, maskParts, maskWords } from './mask-text.js';

export interface MaskOptions {
  readonly form: EntryForm;
  /** Values that must not be shown wherever they stand, however they are encoded. */
  readonly secrets: readonly string[];
  /** Values of variables were written into the entry, and it is not known any more where. */
  readonly hidesAll: boolean;
}

/** A copy for people: literal values of the environment and of headers, and whatever else looks secret, are `***`. */
export function maskEntry(entry: EntryFields, { form, secrets, hidesAll }: MaskOptions): EntryFields {
  const redactor = createRedactor(secrets);
  const hidden = new Set([
    form.format.stdio.env,
    ...[form.format.http, form.format.sse].map((remote) => remote?.headers.at(-1)),
  ]);
  const names = new Set(Object.values(form.format.byName ?? {}));
  const isHiddenKey = (key: string) => !names.has(key) && (hidden.has(key) || isHiddenName(key));
  const walk = (value: JsonValue, isHidden: boolean): JsonValue => {
    if (isList(value)) return maskWords(value, (item) => walk(item, isHidden));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, walk(inner, isHidden || isHiddenKey(key))]),
      );
    }
    if (typeof value !== 'string') return isHidden && typeof value === 'number' ? mask : value;
    // Known values first: what is cut off one by a pattern would leave the rest of it unknown.
    return isHidden ? maskText(value, form) : printable(maskParts(redactor.redact(value)));
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, walk(value, hidesAll || isHiddenKey(key))]),
  );
}

/** Secrets of `after` that differ from those of `before` at the same place say so, or the change could not be seen. */
export function markChanges(before: JsonValue, after: JsonValue, masked: JsonValue): JsonValue {
  if (isList(masked) && isList(before) && isList(after)) {
    return masked.map((item, index) => markChanges(before[index] ?? null, after[index] ?? null, item));
  }
  if (isObject(masked) && isObject(before) && isObject(after)) {
    return Object.fromEntries(
      Object.entries(masked).map(([key, item]) => [key, markChanges(before[key] ?? null, after[key] ?? null, item)]),
    );
  }
  const isChanged =
    typeof masked === 'string' && masked.includes(mask) && typeof before === 'string' && before !== after;
  return isChanged ? `${masked} (changed)` : masked;
}

/** References are no secrets, nor is the word before a token. */
function maskText(text: string, { format }: EntryForm): string {
  const [, scheme = '', rest = ''] = /^(Bearer |Basic |token )?(.*)$/is.exec(text) ?? [];
  const isShown = text === '' || isReference(rest, format.variables, 'env');
  return isShown ? printable(scheme + rest) : mask;
}
