import type { RemoteFormat } from '../adapters/host-adapter.js';
import { isObject } from '../edit/data/json-value.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import type { EntryReading } from './entry-reading.js';

export interface RemoteFields {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const httpWords = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote']);

/** `undefined` if the entry has no URL or one that the host rejects. */
export function readRemote(entry: EntryFields, reading: EntryReading): RemoteFields | undefined {
  const { http, sse } = reading.form.format;
  const urlOf = (format: RemoteFormat | undefined) =>
    [format?.url, ...(format?.urlAlternatives ?? [])].map((field) => field && entry[field]).find(isPresent);
  const transport = transportOf(entry, urlOf(http), urlOf(sse), reading);
  if (transport === undefined) return undefined;

  const format = reading.form.format[transport] ?? http ?? sse;
  const url = urlOf(format);
  if (format === undefined || typeof url !== 'string') return reading.reject('The url is not text');
  return { transport, url: reading.text(url, 'url'), headers: readHeaders(entry, format, reading) };
}

function transportOf(
  entry: EntryFields,
  httpUrl: JsonValue | undefined,
  sseUrl: JsonValue | undefined,
  reading: EntryReading,
): 'http' | 'sse' | undefined {
  const { http, sse, untypedUrl = 'http' } = reading.form.format;
  if (httpUrl === undefined && sseUrl === undefined) return undefined;

  const { type } = entry;
  if (type === 'sse') return 'sse';
  if (typeof type === 'string' && httpWords.has(type)) return 'http';
  if (typeof type === 'string') return reading.reject(`The type of the entry does not allow a url`);
  if (http?.url !== sse?.url) return httpUrl === undefined ? 'sse' : 'http';
  if (untypedUrl === 'refused') return reading.reject('This host requires a type for a url');
  return untypedUrl;
}

function readHeaders(
  entry: EntryFields,
  format: RemoteFormat,
  reading: EntryReading,
): Readonly<Record<string, string>> {
  const { byName } = reading.form.format;
  let literal: JsonValue | undefined = entry;
  for (const key of format.headers) literal = isObject(literal) ? literal[key] : undefined;

  const named = byName?.headers === undefined ? undefined : entry[byName.headers];
  const bearer = byName?.bearer === undefined ? undefined : entry[byName.bearer];
  return {
    ...reading.mapping(literal, 'headers', format.headers.join('.')),
    ...Object.fromEntries(
      Object.entries(isObject(named) ? named : {}).map(([header, variable]) => [header, `\${${String(variable)}}`]),
    ),
    ...(typeof bearer === 'string' ? { Authorization: `Bearer \${${bearer}}` } : {}),
  };
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
