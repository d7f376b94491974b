import type { RemoteFormat } from '../adapters/host-adapter.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import { isObject } from '../edit/json-value.js';
import type { EntryReading } from './entry-reading.js';

export interface RemoteFields {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const httpWords = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote']);

/** The remote half of an entry; `undefined` when there is no url, or one that the host would not take. */
export function readRemote(entry: EntryFields, reading: EntryReading): RemoteFields | undefined {
  const { http, sse } = reading.form.format;
  const urlOf = (format: RemoteFormat | undefined) =>
    [format?.url, ...(format?.urlAlternatives ?? [])].map((field) => field && entry[field]).find(isPresent);
  const transport = transportOf(entry, urlOf(http), urlOf(sse), reading);
  if (transport === undefined) return undefined;

  const format = reading.form.format[transport] ?? http ?? sse;
  const url = urlOf(format);
  if (format === undefined || typeof url !== 'string') return reading.misunderstood('The url is no text');
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
  if (typeof type === 'string') return reading.misunderstood(`A url does not go with the type of the entry`);
  if (http?.url !== sse?.url) return httpUrl === undefined ? 'sse' : 'http';
  if (untypedUrl === 'refused') return reading.misunderstood('This host refuses a url without a type');
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
