import type { RemoteFormat } from '../adapters/host-adapter.js';
import { isList, isObject } from '../edit/data/json-value.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import type { EntryForm } from './entry-form.js';

/** Fields with a value that are not read, such as `requestOptions.timeout`. */
export function unreadFields(entry: EntryFields, { format, toggle }: EntryForm): readonly string[] {
  const { stdio, http, sse, byName, nameField, timeout, tools } = format;
  const remotes = [http, sse].filter((remote) => remote !== undefined);
  const read = new Set<string | undefined>([
    'type',
    nameField,
    toggle?.field,
    timeout?.field,
    ...[stdio.command, stdio.args, stdio.env, stdio.cwd],
    ...remotes.flatMap(({ url, urlAlternatives = [], headers: [field] }) => [url, ...urlAlternatives, field]),
    ...[byName?.env, byName?.headers, byName?.bearer],
    ...[...(tools?.allowed ?? []), ...(tools?.denied ?? [])],
  ]);
  const beside = Object.keys(entry).filter((field) => !read.has(field) && hasValue(entry[field]));
  return [...new Set([...beside, ...remotes.flatMap((remote) => besideHeaders(entry, remote))])];
}

function besideHeaders(entry: EntryFields, { headers: [field, inner] }: RemoteFormat): readonly string[] {
  const holder = entry[field];
  if (inner === undefined || !isObject(holder)) return [];
  const others = Object.keys(holder).filter((key) => key !== inner && hasValue(holder[key]));
  return others.map((key) => `${field}.${key}`);
}

function hasValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (isList(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}
