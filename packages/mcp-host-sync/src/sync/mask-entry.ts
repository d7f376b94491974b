import { createRedactor } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import { isList, isObject } from '../edit/data/json-value.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import type { EntryForm } from '../entry/entry-form.js';
import { isReference } from '../variables/host-text.js';
import { isHiddenName, mask, maskParts, maskWords } from './mask-text.js';

export interface MaskOptions {
  readonly form: EntryForm;
  /** Values to mask everywhere, in any encoding. */
  readonly secrets: readonly string[];
  /** The entry contains values of variables at unknown positions. */
  readonly hidesAll: boolean;
}

/** Values of the environment and headers, and texts that look secret, become `***`. */
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
    // Known values first: a pattern may mask only part of one.
    return isHidden ? maskText(value, form) : printable(maskParts(redactor.redact(value)));
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, walk(value, hidesAll || isHiddenKey(key))]),
  );
}

/** Marks secrets that changed. Masked values would look equal. */
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

/** Shows references and the scheme in front of a token. */
function maskText(text: string, { format }: EntryForm): string {
  const [, scheme = '', rest = ''] = /^(Bearer |Basic |token )?(.*)$/is.exec(text) ?? [];
  const isShown = text === '' || isReference(rest, format.variables, 'env');
  return isShown ? printable(scheme + rest) : mask;
}
