import { splitCommand } from '@x/internal/launch';
import { printable } from '@x/internal/text';
import type { HostAdapter, HostPlatform, RemoteFormat, ToolLists } from '../adapters/host-adapter.js';
import { type EntryFields, isList, isObject, type JsonValue } from '../edit/document.js';
import type { HostIssue } from '../host-issue.js';
import type { HostServer } from '../host-server.js';
import { formatText, PartList, type TextParts } from '../variables/text-parts.js';
import { type EntryForm, enabledState, flattened } from './entry-form.js';
import { EntryReading } from './entry-reading.js';
import { timeoutOf } from './scalar-fields.js';
import { lineShell, wordsOfLine } from './shell-line.js';
import { bridgedServer, withoutCmd } from './wrapped-commands.js';

/** The server of an entry; `undefined` after an error in `issues`. */
interface ReadEntry {
  readonly server: HostServer | undefined;
  readonly issues: readonly HostIssue[];
}

/** Converts an entry to the common form. Reports entries that cannot be converted. */
export function readEntry(
  name: string,
  value: JsonValue,
  adapter: HostAdapter,
  form: EntryForm,
  platform: HostPlatform,
): ReadEntry {
  const reading = new EntryReading(name, adapter, form, platform);
  const server = isObject(value) ? serverOf(flattened(value, form), reading) : undefined;
  if (!isObject(value)) reading.reject('The entry is not a map');
  return { server: reading.isRefused ? undefined : server, issues: reading.issues };
}

function serverOf(entry: EntryFields, reading: EntryReading): HostServer | undefined {
  const { stdio } = reading.form.format;
  const command = entry[stdio.command];
  reading.own = reading.form.format.variables.onlyOwn === true ? ownVariables(entry, reading) : undefined;
  const remote = readRemote(entry, reading);
  // Some apps keep an empty command beside a url.
  const isStdio = command !== undefined && command !== null && command !== '';
  if (isStdio && remote !== undefined) return reading.reject('The entry has both a command and a url');
  if (isStdio) return withCommonFields(stdioServer(entry, command, reading), entry, reading);
  if (remote !== undefined) return withCommonFields({ name: reading.name, ...remote }, entry, reading);
  return reading.isRefused ? undefined : reading.reject('The entry has neither a command nor a url');
}

function stdioServer(entry: EntryFields, command: JsonValue, reading: EntryReading): HostServer {
  const { format } = reading.form;
  const words = withoutWrapper(
    format.stdio.runsInShell === true ? wordsInShell(entry, command, reading) : plainWords(entry, command, reading),
    reading,
  );
  const bridged = format.http === undefined || format.sse === undefined ? bridgedServer(words) : undefined;
  if (bridged !== undefined && entry[format.stdio.env] === undefined) {
    return { name: reading.name, transport: format.http === undefined ? 'http' : 'sse', ...bridged };
  }
  const [started = '', ...args] = words;
  const cwd = format.stdio.cwd === undefined ? undefined : entry[format.stdio.cwd];
  return {
    name: reading.name,
    transport: 'stdio',
    command: started,
    args,
    env: { ...environment(entry, reading), ...namedVariables(entry, reading) },
    ...(typeof cwd === 'string' ? { cwd: reading.text(cwd, 'cwd') } : {}),
  };
}

function plainWords(entry: EntryFields, command: JsonValue, reading: EntryReading): readonly string[] {
  const { stdio } = reading.form.format;
  const list = isList(command) ? command : wordsOf(command, entry, reading);
  const texts = list.filter((word) => typeof word === 'string');
  if (texts.length !== list.length || texts.length === 0) reading.reject(`${stdio.command} is not text`);
  return [...commonWords(texts, reading), ...reading.texts(entry[stdio.args], 'args', stdio.args)];
}

function wordsInShell(entry: EntryFields, command: JsonValue, reading: EntryReading): readonly string[] {
  const { stdio } = reading.form.format;
  if (typeof command !== 'string') return reading.reject(`${stdio.command} is not text`) ?? [];
  const line = [command, ...reading.plainTexts(entry[stdio.args], stdio.args)].join(' ');
  const words = wordsOfLine(line, lineShell(reading.platform));
  return commonWords(
    words ?? reading.reject(`${stdio.command} and ${stdio.args} are a line for cmd.exe`) ?? [],
    reading,
  );
}

function commonWords([program = '', ...rest]: readonly string[], reading: EntryReading): readonly string[] {
  return [reading.text(program, 'command'), ...rest.map((word) => reading.text(word, 'args'))];
}

function wordsOf(command: JsonValue, entry: EntryFields, reading: EntryReading): readonly JsonValue[] {
  const { stdio } = reading.form.format;
  const args = entry[stdio.args];
  const hasArgs = isList(args) && args.length > 0;
  const isSplit = stdio.splitsText === 'always' || (stdio.splitsText === 'alone' && !hasArgs);
  if (!isSplit || typeof command !== 'string') return [command];
  const split = splitCommand(command);
  if ('problem' in split) return reading.reject(`${stdio.command} ${split.problem}`) ?? [command];
  return split.words;
}

function withoutWrapper(words: readonly string[], { form }: EntryReading): readonly string[] {
  return form.format.windowsShims === 'cmd' ? withoutCmd(words) : words;
}

function environment(entry: EntryFields, reading: EntryReading): Readonly<Record<string, string>> {
  const { env: field, emptyEnv } = reading.form.format.stdio;
  const value = entry[field];
  if (emptyEnv !== 'inherited' || !isObject(value)) return reading.mapping(value, 'env', field);
  const isInherited = (text: JsonValue) => text === '' || text === null;
  const given = Object.entries(value).filter(([, text]) => !isInherited(text));
  const inherited = Object.keys(value).filter((name) => isInherited(value[name] ?? null));
  return {
    ...reading.mapping(Object.fromEntries(given), 'env', field),
    ...Object.fromEntries(inherited.map((name) => [name, `\${${name}}`])),
  };
}

function ownVariables(entry: EntryFields, { form }: EntryReading): ReadonlyMap<string, string | undefined> {
  const { stdio, byName } = form.format;
  const set = entry[stdio.env];
  const named = byName?.env === undefined ? undefined : entry[byName.env];
  return new Map([
    ...(isList(named) ? named.map((name) => [String(name), undefined] as const) : []),
    ...Object.entries(isObject(set) ? set : {}).map(([name, value]) => [name, String(value)] as const),
  ]);
}

/** `NAME: ${NAME}` for each variable that the host passes on by name. */
function namedVariables(entry: EntryFields, reading: EntryReading): Readonly<Record<string, string>> {
  const { byName } = reading.form.format;
  const names = byName?.env === undefined ? undefined : entry[byName.env];
  if (names === undefined || names === null) return {};
  if (!isList(names)) return reading.reject(`${byName?.env} is not a list`) ?? {};
  return Object.fromEntries(
    names.flatMap((name) => (typeof name === 'string' ? [[name, `\${${name}}`] as const] : [])),
  );
}

function withCommonFields(server: HostServer, entry: EntryFields, reading: EntryReading): HostServer {
  const { form } = reading;
  const unread = unreadFields(entry, form);
  if (unread.length > 0)
    reading.reportUnsupported(`These fields have no counterpart and are not read: ${unread.map(printable).join(', ')}`);
  const timeoutMs = form.timeout && timeoutOf(entry, form.timeout);
  return {
    ...server,
    enabled: enabledState(entry, form) ?? !saysOff(entry),
    ...readToolLists(entry, reading),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** True if the user meant to switch off a server in a field that the host may not read. */
function saysOff({ enabled, disabled }: EntryFields): boolean {
  return enabled === false || disabled === true;
}

interface RemoteFields {
  readonly transport: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const httpWords = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'streamable', 'remote']);

/** `undefined` if the entry has no URL or one that the host rejects. */
function readRemote(entry: EntryFields, reading: EntryReading): RemoteFields | undefined {
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
  const { http, sse, typeField = 'type', untypedUrl = 'http' } = reading.form.format;
  if (httpUrl === undefined && sseUrl === undefined) return undefined;

  const type = entry[typeField];
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
  const { byName, authorizationFrom = [] } = reading.form.format;
  let literal: JsonValue | undefined = entry;
  for (const key of format.headers) literal = isObject(literal) ? literal[key] : undefined;

  const named = byName?.headers === undefined ? undefined : entry[byName.headers];
  const whole = authorizationFrom.map((name) => entry[name]).find(isPresent);
  const given = {
    ...reading.mapping(literal, 'headers', format.headers.join('.')),
    ...Object.fromEntries(
      Object.entries(isObject(named) ? named : {}).map(([header, variable]) => [header, `\${${String(variable)}}`]),
    ),
  };
  return {
    ...given,
    ...bearerHeader(entry, given, reading),
    ...(typeof whole === 'string' ? { Authorization: `\${${whole}}` } : {}),
  };
}

/** The header of the token in a variable. Where it has a place of its own, a header of that name in the entry wins. */
function bearerHeader(
  entry: EntryFields,
  given: Readonly<Record<string, string>>,
  reading: EntryReading,
): Readonly<Record<string, string>> {
  const { bearer, bearerPlace } = reading.form.format.byName ?? {};
  const variable = bearer === undefined ? undefined : entry[bearer];
  if (typeof variable !== 'string' || variable === '') return {};
  if (bearerPlace === undefined) return { Authorization: `Bearer \${${variable}}` };
  const textOf = (field: string, standard: string) => {
    const value = entry[field];
    return typeof value === 'string' && value !== '' ? value : standard;
  };
  const header = textOf(bearerPlace.header, 'Authorization');
  if (Object.keys(given).some((name) => name.toLowerCase() === header.toLowerCase())) return {};
  const parts = tokenParts(textOf(bearerPlace.format, 'Bearer {token}'), variable);
  const text = parts && formatText(parts);
  if (text === undefined) {
    const field = bearerPlace.format;
    return reading.reject(`${field} must be a text with {token}, without a format of its own or a "$" before it`) ?? {};
  }
  return { [header]: text };
}

/** Parts of a format string of Python, with `{{` and `}}` for braces. `undefined` without `{token}`, and with other fields. */
function tokenParts(format: string, variable: string): TextParts | undefined {
  const parts = new PartList();
  for (const [piece] of format.matchAll(/\{\{|\}\}|\{token\}|[^{}]+|[{}]/g)) {
    if (piece === '{' || piece === '}') return undefined;
    if (piece === '{token}') parts.addVariable({ name: variable });
    else parts.addLiteral(piece === '{{' || piece === '}}' ? piece.slice(1) : piece);
  }
  return parts.list.some(({ kind }) => kind === 'variable') ? parts.list : undefined;
}

function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Tools that the host makes available. Never allows more than the host, so an unreadable list is an error. */
function readToolLists(entry: EntryFields, reading: EntryReading): Pick<HostServer, 'allowedTools' | 'deniedTools'> {
  const { tools = {} } = reading.form.format;
  const holder = tools.inside === undefined ? entry : entry[tools.inside];
  const lists = isObject(holder) ? holder : {};
  const allowed = listAt(tools.allowed, lists, reading);
  const denied = listAt(tools.denied, lists, reading);
  return {
    ...(allowed === undefined || allowsAll(allowed, tools)
      ? {}
      : { allowedTools: exactNames(allowed, tools, reading) }),
    ...(denied === undefined || denied.length === 0 ? {} : { deniedTools: denied }),
  };
}

/** The list in the first present spelling. */
function listAt(
  spellings: readonly string[] = [],
  entry: EntryFields,
  reading: EntryReading,
): readonly string[] | undefined {
  const field = spellings.find((spelling) => entry[spelling] !== undefined && entry[spelling] !== null);
  const value = field === undefined ? undefined : entry[field];
  if (field === undefined || value === undefined) return undefined;
  const names = isList(value) ? value.filter((name) => typeof name === 'string') : [];
  const isPlain = isList(value) && names.length === value.length && names.every((name) => /^[^$]+$/.test(name));
  return isPlain ? names : reading.reject(`${field} is not a list of plain tool names`);
}

function allowsAll(allowed: readonly string[], { star, emptyAllowsAll }: ToolLists): boolean {
  return (emptyAllowsAll === true && allowed.length === 0) || (star !== undefined && allowed.includes('*'));
}

/** `*` matches any text in the common form, so a literal `*` of the host would allow more tools. */
function exactNames(allowed: readonly string[], { star }: ToolLists, reading: EntryReading): readonly string[] {
  if (star === 'any-text') return allowed;
  const exact = allowed.filter((name) => !name.includes('*'));
  if (exact.length < allowed.length) {
    reading.reportUnsupported(
      'This host does not support "*" in the list of allowed tools; names with it are left out',
    );
  }
  return exact;
}

/** Fields with a value that are not read, such as `requestOptions.timeout`. */
function unreadFields(entry: EntryFields, { format, toggle, timeout }: EntryForm): readonly string[] {
  const { stdio, http, sse, byName, authorizationFrom = [], nameField, tools } = format;
  const remotes = [http, sse].filter((remote) => remote !== undefined);
  const read = new Set<string | undefined>([
    format.typeField ?? 'type',
    nameField,
    toggle?.field,
    timeout?.field,
    ...[stdio.command, stdio.args, stdio.env, stdio.cwd],
    ...remotes.flatMap(({ url, urlAlternatives = [], headers: [field] }) => [url, ...urlAlternatives, field]),
    ...[byName?.env, byName?.headers, byName?.bearer, ...authorizationFrom],
    ...Object.values(byName?.bearerPlace ?? {}),
    ...(tools?.inside === undefined ? [...(tools?.allowed ?? []), ...(tools?.denied ?? [])] : [tools.inside]),
  ]);
  const beside = Object.keys(entry).filter((field) => !read.has(field) && hasValue(entry[field]));
  const inside = remotes.flatMap(({ headers: [field, inner] }) => besideKey(entry, field, inner));
  const objects = new Map<string, string[]>();
  const addKeys = (field: string | undefined, ...keys: readonly (string | undefined)[]): void => {
    if (field === undefined || keys[0] === undefined) return;
    objects.set(field, [...(objects.get(field) ?? []), ...keys.filter((key) => key !== undefined)]);
  };
  addKeys(tools?.inside, ...(tools?.allowed ?? []), ...(tools?.denied ?? []));
  addKeys(timeout?.field, timeout?.key);
  addKeys(toggle?.field, toggle?.key);
  const besideKeys = [...objects].flatMap(([field, keys]) => besideKey(entry, field, ...keys));
  return [...new Set([...beside, ...inside, ...besideKeys])];
}

function besideKey(entry: EntryFields, field: string, ...inner: readonly (string | undefined)[]): readonly string[] {
  const holder = entry[field];
  if (inner[0] === undefined || !isObject(holder)) return [];
  const others = Object.keys(holder).filter((key) => !inner.includes(key) && hasValue(holder[key]));
  return others.map((key) => `${field}.${key}`);
}

function hasValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (isList(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}
