import { gatewayMarker } from '@x/internal/launch';
import { createRedactor } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import { structuredPatch } from 'diff';
import { type DocumentShape, type EntryFields, isList, isObject, type JsonValue } from '../edit/document.js';
import { itemTableLines, tableLines } from '../edit/toml/insert-toml.js';
import { blockLines, itemLines } from '../edit/yaml/insert-yaml.js';
import type { EntryForm } from '../entry/entry-form.js';
import { isReference } from '../variables/host-text.js';
import { isHiddenName, mask, maskParts, maskWords } from './mask-text.js';

interface EntryDiff extends MaskOptions {
  readonly file: string;
  readonly shape: DocumentShape;
  readonly name: string;
  readonly before: EntryFields | undefined;
  readonly after: EntryFields | undefined;
}

/** Unified diff of one entry in the syntax of its file, with masked secrets. */
export function entryDiff({ file, shape, name, before, after, ...options }: EntryDiff): string {
  const masked = (entry: EntryFields | undefined) => entry && maskEntry(entry, { file, ...options });
  const shownAfter = masked(after);
  const marked = before && after && shownAfter ? markChanges(before, after, shownAfter) : shownAfter;
  const text = (entry: JsonValue | undefined) =>
    isObject(entry) ? `${entryLines(entry, shape, name).join('\n')}\n` : '';
  const { hunks } = structuredPatch('', '', text(masked(before)), text(marked), undefined, undefined, { context: 3 });
  if (hunks.length === 0) return '';

  const place = printable([...shape.keyPath, name].join(' › '));
  const shown = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@ ${place}`,
    ...changed.map(printable),
  ]);
  return [`--- ${printable(file)}`, `+++ ${printable(file)}`, ...shown].join('\n');
}

/** Range of lines in a hunk. An empty one gives the preceding line. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function entryLines(
  entry: EntryFields,
  { dialect, keyPath, collection }: DocumentShape,
  name: string,
): readonly string[] {
  switch (dialect) {
    case 'toml':
      return collection === 'map' ? tableLines([...keyPath, name], entry, '') : itemTableLines(keyPath, entry, '');
    case 'yaml':
      return collection === 'map' ? blockLines(name, entry, '', '  ') : itemLines(entry, '', '  ');
    default:
      return JSON.stringify(entry, null, 2).split('\n');
  }
}

interface MaskOptions {
  readonly form: EntryForm;
  /** Values to mask everywhere, in any encoding. */
  readonly secrets: readonly string[];
  /** The entry contains values of variables at unknown positions. */
  readonly hidesAll: boolean;
}

/** Values of the environment and headers, and texts that look secret, become `***`. */
function maskEntry(entry: EntryFields, options: MaskOptions & { readonly file: string }): EntryFields {
  const masked = maskTexts(entry, options, []);
  return maskTexts(entry, options, [options.file, ...textsIn(masked)]);
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return isList(value) || isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** @param visible - A hidden value that is the directory of one of these hides nothing. */
function maskTexts(
  entry: EntryFields,
  { form, secrets, hidesAll }: MaskOptions,
  visible: readonly string[],
): EntryFields {
  const redactor = createRedactor(secrets);
  const hidden = new Set([
    form.format.stdio.env,
    ...[form.format.http, form.format.sse].map((remote) => remote?.headers.at(-1)),
  ]);
  const { bearerPlace, ...byName } = form.format.byName ?? {};
  const names = new Set<string>([...Object.values(byName), ...Object.values(bearerPlace ?? {})]);
  const isHiddenKey = (key: string) => !names.has(key) && (hidden.has(key) || isHiddenName(key));
  const walk = (value: JsonValue, isHidden: boolean): JsonValue => {
    if (isList(value)) return maskWords(value, (item) => walk(item, isHidden));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [
          key,
          walk(inner, key !== gatewayMarker.env && (isHidden || isHiddenKey(key))),
        ]),
      );
    }
    if (typeof value !== 'string') return isHidden && typeof value === 'number' ? mask : value;
    // Known values first: a pattern may mask only part of one.
    const isShown = isHidden && isDirectoryOf(value, visible) && !secrets.includes(value);
    return isHidden && !isShown ? maskText(value, form) : printable(maskParts(redactor.redact(value)));
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, walk(value, hidesAll || isHiddenKey(key))]),
  );
}

function isDirectoryOf(text: string, paths: readonly string[]): boolean {
  const isAbsolute = /^(?:\/|[A-Za-z]:[\\/])/.test(text);
  return isAbsolute && paths.some((path) => path.startsWith(text) && /^(?:$|[\\/])/.test(path.slice(text.length)));
}

/** Marks secrets that changed. Masked values would look equal. */
function markChanges(before: JsonValue, after: JsonValue, masked: JsonValue): JsonValue {
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
