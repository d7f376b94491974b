import { inSingleQuotes } from '@x/internal/text';
import type { HostAdapter, RemoteFormat } from '../adapters/host-adapter.js';
import type { EntryFields, JsonValue } from '../edit/document.js';
import type { HostFault, HostIssue } from '../host-issue.js';
import type { HostRemoteServer, HostServer, HostStdioServer } from '../host-server.js';
import type { VariableValues } from '../variables/host-text.js';
import type { EntryForm } from './entry-form.js';
import { EntryTexts, envByName, headersByName, namesOfVariables } from './entry-texts.js';
import {
  emptyVariableFault,
  ignoredVariableFault,
  timeoutFields,
  toggleFields,
  toolListFaults,
} from './scalar-fields.js';
import { lineShell, shellWord } from './shell-line.js';
import { bridgeWords, isShim, throughCmd } from './wrapped-commands.js';

interface WriteOptions {
  /** Writes a remote server as `npx -y mcp-remote <url>` if the host does not support it. */
  readonly bridgeRemote?: boolean | undefined;
  /**
   * Variable values for hosts that do not replace variables, written to user files only. Without them, such hosts do
   * not get servers with variables.
   */
  readonly writeSecrets?: VariableValues | undefined;
  /** The lists of tools in the host's fields. Missing: they are not written, with a warning. */
  readonly toolFields?: EntryFields | undefined;
  readonly platform: string;
  /** Folder in which hosts start the servers of a project's file. */
  readonly project?: string | undefined;
}

/** The entry; `undefined` after an error in `issues`. */
export interface WrittenEntry {
  readonly entry: EntryFields | undefined;
  readonly issues: readonly HostIssue[];
  /** Values that replaced variables. */
  readonly secrets: readonly string[];
}

export function writeEntry(
  server: HostServer,
  adapter: HostAdapter,
  form: EntryForm,
  options: WriteOptions,
): WrittenEntry {
  const faults: HostFault[] = [];
  const values = adapter.scope === 'project' ? undefined : options.writeSecrets;
  const texts = new EntryTexts(form.format.variables, values, faults);
  const fields = entryFields(server, { adapter, form, options, texts, faults });
  const issues = faults.map((fault): HostIssue => ({ ...fault, host: adapter.id, server: server.name }));
  const isRefused = faults.some((fault) => fault.severity === 'error');
  return { entry: isRefused ? undefined : fields, issues, secrets: texts.used };
}

interface Writing {
  readonly adapter: HostAdapter;
  readonly form: EntryForm;
  readonly options: WriteOptions;
  readonly texts: EntryTexts;
  readonly faults: HostFault[];
}

function entryFields(server: HostServer, writing: Writing): EntryFields {
  const { form, options, faults } = writing;
  const { serverName, nameField, initial } = form.format;
  if (serverName?.pattern.test(server.name) === false) {
    const message = `This host accepts ${serverName.says} as the name of a server`;
    faults.push({ code: 'name-not-supported', severity: 'error', message, hint: 'rename the server' });
  }
  if (options.toolFields === undefined) toolListFaults(server, faults);
  return {
    ...(nameField === undefined ? {} : { [nameField]: server.name }),
    ...(server.transport === 'stdio' ? stdioFields(server, writing) : remoteFields(server, writing)),
    ...toggleFields(server, form.toggle, faults),
    ...timeoutFields(server, form.timeout, faults),
    ...initial,
    ...options.toolFields,
  };
}

function stdioFields(server: HostStdioServer, { adapter, form, options, texts, faults }: Writing): EntryFields {
  const { stdio } = form.format;
  const command = texts.write(server.command, 'command');
  const args = (server.args ?? []).map((argument) => texts.write(argument, 'args'));
  if (form.format.commandWithoutSpaces === true && command.includes(' ')) {
    const message = 'This host cannot start a command with a space in its path';
    faults.push({ code: 'command-not-supported', severity: 'error', message });
  }
  emptyVariableFault(server, stdio.emptyEnv, faults);
  ignoredVariableFault(server, stdio.ignoredEnv, faults);
  const env = envByName(server.env ?? {}, stdio.env, form.format.byName, texts, faults);
  // No warning for project files: hosts start their servers in the project.
  if (adapter.scope === 'user') relativePathFault(server, form, faults);
  return {
    ...(stdio.type === undefined ? {} : { [form.format.typeField ?? 'type']: stdio.type }),
    ...commandFields(startedWords([command, ...args], adapter, form, options, faults), form),
    ...env,
    ...cwdFields(server, stdio.cwd, isStartedInProject(server, adapter, options), texts, faults),
  };
}

function commandFields(words: readonly string[], { format: { stdio } }: EntryForm): EntryFields {
  if (stdio.commandShape === 'list') return { [stdio.command]: [...words] };
  const [program = '', ...args] = words;
  const isSplit = /[\s'"\\]/.test(program);
  if (stdio.splitsText === 'alone' && isSplit && args.length === 0) return { [stdio.command]: [program] };
  const command = stdio.splitsText === 'always' && isSplit ? inSingleQuotes(program) : program;
  const isWritten = args.length > 0 || stdio.argsRequired === true;
  return { [stdio.command]: command, ...(isWritten ? { [stdio.args]: args } : {}) };
}

function startedWords(
  words: readonly string[],
  adapter: HostAdapter,
  form: EntryForm,
  options: WriteOptions,
  faults: HostFault[],
): readonly string[] {
  if (form.format.stdio.runsInShell !== true) return shimWords(words, adapter, form, options, faults);
  const shell = lineShell(options.platform);
  const written = words.map((word, index) => shellWord(word, shell, index === 0 ? 'program' : 'argument'));
  const positionsOf = (isMeant: (word: string | undefined, index: number) => boolean) =>
    written.flatMap((word, index) => (isMeant(word, index) ? [index === 0 ? 'command' : `args[${index - 1}]`] : []));
  const impossible = positionsOf((word) => word === undefined);
  const changed = positionsOf((word, index) => word !== words[index]);
  if (impossible.length > 0) {
    const message = `This host runs the command in cmd.exe, which would change or run characters of ${impossible.join(', ')}`;
    const hint =
      'use letters, digits, "-", "_", ".", ":" and "\\" only, such as a path without spaces, or start the server from a script';
    faults.push({ code: 'command-not-supported', severity: 'error', message, hint });
  } else if (changed.length > 0 && adapter.scope === 'project') {
    const message = `In this file ${changed.join(', ')} is quoted for /bin/sh, and on Windows this host uses cmd.exe`;
    const hint = 'for Windows, declare the server for the user instead of the project';
    faults.push({ code: 'command-not-supported', severity: 'warning', message, hint });
  }
  return written.map((word) => word ?? '');
}

/** The wrapper works on Windows only, and project files are shared across systems. */
function shimWords(
  words: readonly string[],
  adapter: HostAdapter,
  { format }: EntryForm,
  { platform }: WriteOptions,
  faults: HostFault[],
): readonly string[] {
  const [command = ''] = words;
  if (platform !== 'win32' || !isShim(command)) return words;
  if (format.windowsShims === 'cmd' && adapter.scope !== 'project') return throughCmd(words);
  if (adapter.scope === 'project') {
    const message = `${command} is a batch file on Windows, which some hosts cannot start`;
    const hint = 'if it does not start, declare the server for the user instead of the project';
    faults.push({ code: 'shim-in-project-file', severity: 'warning', message, hint });
  }
  return words;
}

function cwdFields(
  { cwd }: HostStdioServer,
  field: string | undefined,
  isDefault: boolean,
  texts: EntryTexts,
  faults: HostFault[],
): EntryFields {
  if (cwd === undefined) return {};
  if (field !== undefined) return { [field]: texts.write(cwd, 'cwd') };
  if (isDefault) return {};
  const message = 'This host has no field for the working directory, so it would start the server in another one';
  const hint =
    'remove cwd and use absolute paths, or write the gateway entry instead (mcpx sync --gateway), which sets the directory';
  faults.push({ code: 'field-not-supported', severity: 'error', message, hint });
  return {};
}

function isStartedInProject({ cwd }: HostStdioServer, { scope }: HostAdapter, { project }: WriteOptions): boolean {
  return scope !== 'user' && cwd !== undefined && cwd === project;
}

function remoteFields(server: HostRemoteServer, writing: Writing): EntryFields {
  const { form, options, texts, faults } = writing;
  const transport = server.type ?? server.transport;
  const remote = form.format[transport];
  if (remote !== undefined) return urlFields(server, remote, writing);
  if (options.bridgeRemote === true) return bridgeFields(server, writing);

  const what = transport === 'sse' ? 'SSE servers' : 'remote servers';
  const message = `The file of this host does not support ${what}`;
  const hint =
    'add it in the app, or write the gateway entry instead (mcpx sync --gateway); a program may also allow the bridge (bridgeRemote)';
  faults.push({ code: 'remote-not-supported', severity: 'error', message, hint });
  // Checks the text to report all faults at once.
  texts.write(server.url, 'url');
  return {};
}

function urlFields(server: HostRemoteServer, remote: RemoteFormat, { form, texts, faults }: Writing): EntryFields {
  const type = remote.type === undefined ? {} : { [form.format.typeField ?? 'type']: remote.type };
  const url = { [remote.url]: texts.write(server.url, 'url') };
  const start = remote.typePosition === 'after-url' ? { ...url, ...type } : { ...type, ...url };
  const { literal, fields } = headersByName(server.headers ?? {}, form.format.byName, texts);
  const isEmpty = Object.keys(literal).length === 0;
  const named = namesOfVariables([server.url, ...Object.values(server.headers ?? {})], form.format, texts, faults);
  return { ...start, ...(isEmpty ? {} : atPath(remote.headers, literal)), ...fields, ...named };
}

function bridgeFields({ url, headers = {} }: HostRemoteServer, writing: Writing): EntryFields {
  const { adapter, form, options, texts, faults } = writing;
  const written = Object.entries(headers).map(([name, value]) => [name, texts.write(value, 'args')] as const);
  if (written.length > 0) {
    const message = 'The bridge passes headers as arguments, which other programs on this machine can see';
    faults.push({ code: 'secret-in-arguments', severity: 'warning', message });
  }
  const words = bridgeWords(texts.write(url, 'args'), Object.fromEntries(written));
  const { type } = form.format.stdio;
  return {
    ...(type === undefined ? {} : { [form.format.typeField ?? 'type']: type }),
    ...commandFields(startedWords(words, adapter, form, options, faults), form),
  };
}

function atPath([first, ...rest]: readonly [string, ...string[]], value: JsonValue): EntryFields {
  const [next, ...others] = rest;
  return { [first]: next === undefined ? value : atPath([next, ...others], value) };
}

/**
 * Warns about relative paths, which depend on the folder that the host starts servers in. Counts only arguments that
 * are clearly paths.
 */
function relativePathFault(server: HostStdioServer, { format }: EntryForm, faults: HostFault[]): void {
  const positions = relativePathPositions(server, format.stdio.cwd !== undefined);
  if (positions.length === 0) return;
  const [what, which] = positions.length === 1 ? ['is a relative path', 'it'] : ['are relative paths', 'each'];
  const message = `In this server ${positions.join(', ')} ${what}, but this host chooses the folder in which servers start`;
  const directory = format.stdio.cwd === undefined ? '' : ', or set an absolute working directory';
  const hint = `write ${which} as an absolute path; in a config file {{root}} is the project folder${directory}`;
  faults.push({ code: 'command-not-supported', severity: 'warning', message, hint });
}

function relativePathPositions({ command, args = [], cwd }: HostStdioServer, isCwdWritten: boolean): readonly string[] {
  // Hosts without a field for the directory get a separate warning.
  if (cwd !== undefined) return isAbsolute(cwd) || !isCwdWritten ? [] : ['cwd'];
  const inArguments = args.flatMap((argument, index) => (isPlainlyRelative(argument) ? [`args[${index}]`] : []));
  return isRelativeProgram(command) ? ['command', ...inArguments] : inArguments;
}

/** True if the directory decides what the server runs, and the entry names none. */
export function dependsOnDirectory(server: HostServer): boolean {
  return server.transport === 'stdio' && server.cwd === undefined && relativePathPositions(server, true).length > 0;
}

/** `./data`, `..` or `--config=../settings.json`, but not `data/x`, which may be a package name. */
function isPlainlyRelative(argument: string): boolean {
  return /^(?:-[^=]*=)?\.{1,2}(?:[\\/]|$)/.test(argument);
}

/** A program with a separator is a path; others are looked up in `PATH`. */
function isRelativeProgram(command: string): boolean {
  return /[\\/]/.test(command) && !isAbsolute(command);
}

/** Absolute on any system, or after a variable or the home directory. */
function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:|~|\$\{)/.test(path);
}
