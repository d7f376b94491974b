import { splitCommand } from '@x/internal/launch';
import { printable } from '@x/internal/text';
import type { HostAdapter } from '../adapters/host-adapter.js';
import { isList, isObject } from '../edit/data/json-value.js';
import type { EntryFields, JsonValue } from '../edit/document-shape.js';
import type { HostIssue } from '../host-issue.js';
import type { HostServer } from '../host-server.js';
import { type EntryForm, flattened, switchedOn } from './entry-form.js';
import { EntryReading } from './entry-reading.js';
import { readRemote } from './read-remote.js';
import { readToolLists } from './read-tool-lists.js';
import { bridgedServer } from './remote-bridge.js';
import { fromUnit } from './scalar-fields.js';
import { unreadFields } from './unread-fields.js';
import { withoutCmd } from './windows-shims.js';

/** The server of an entry; `undefined` after an error in `issues`. */
export interface ReadEntry {
  readonly server: HostServer | undefined;
  readonly issues: readonly HostIssue[];
}

/** Converts an entry to the common form. Reports entries that cannot be converted. */
export function readEntry(name: string, value: JsonValue, adapter: HostAdapter, form: EntryForm): ReadEntry {
  const reading = new EntryReading(name, adapter, form);
  const server = isObject(value) ? serverOf(flattened(value, form), reading) : undefined;
  if (!isObject(value)) reading.reject('The entry is not a map');
  return { server: reading.isRefused ? undefined : server, issues: reading.issues };
}

function serverOf(entry: EntryFields, reading: EntryReading): HostServer | undefined {
  const { stdio } = reading.form.format;
  const command = entry[stdio.command];
  const remote = readRemote(entry, reading);
  const isStdio = command !== undefined && command !== null;
  if (isStdio && remote !== undefined) return reading.reject('The entry has both a command and a url');
  if (isStdio) return withCommonFields(stdioServer(entry, command, reading), entry, reading);
  if (remote !== undefined) return withCommonFields({ name: reading.name, ...remote }, entry, reading);
  return reading.isRefused ? undefined : reading.reject('The entry has neither a command nor a url');
}

function stdioServer(entry: EntryFields, command: JsonValue, reading: EntryReading): HostServer {
  const { format } = reading.form;
  const list = isList(command) ? command : wordsOf(command, entry, reading);
  const texts = list.filter((word) => typeof word === 'string');
  if (texts.length !== list.length || texts.length === 0) reading.reject(`${format.stdio.command} is not text`);

  const [program = '', ...rest] = texts;
  const words = withoutWrapper(
    [
      reading.text(program, 'command'),
      ...rest.map((word) => reading.text(word, 'args')),
      ...reading.texts(entry[format.stdio.args], 'args', format.stdio.args),
    ],
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
    env: { ...reading.mapping(entry[format.stdio.env], 'env', format.stdio.env), ...namedVariables(entry, reading) },
    ...(typeof cwd === 'string' ? { cwd: reading.text(cwd, 'cwd') } : {}),
  };
}

function wordsOf(command: JsonValue, entry: EntryFields, reading: EntryReading): readonly JsonValue[] {
  const { stdio } = reading.form.format;
  const args = entry[stdio.args];
  const hasArgs = isList(args) && args.length > 0;
  if (stdio.splitsText !== true || typeof command !== 'string' || hasArgs) return [command];
  const split = splitCommand(command);
  if ('problem' in split) return reading.reject(`${stdio.command} ${split.problem}`) ?? [command];
  return split.words;
}

function withoutWrapper(words: readonly string[], { form }: EntryReading): readonly string[] {
  return form.format.windowsShims === 'cmd' ? withoutCmd(words) : words;
}

/** `NAME: ${NAME}` for each variable that the host passes on by name. */
function namedVariables(entry: EntryFields, reading: EntryReading): Readonly<Record<string, string>> {
  const { byName } = reading.form.format;
  const names = byName === undefined ? undefined : entry[byName.env];
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
  const { timeout } = form.format;
  const limit = timeout === undefined ? undefined : entry[timeout.field];
  return {
    ...server,
    enabled: switchedOn(entry, form) ?? true,
    ...readToolLists(entry, reading),
    ...(timeout !== undefined && typeof limit === 'number' ? { timeoutMs: fromUnit(limit, timeout) } : {}),
  };
}
