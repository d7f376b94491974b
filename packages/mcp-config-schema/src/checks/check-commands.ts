import { isOwnGateway } from '@x/internal/launch';
import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ConfigFault, ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/server-files.js';
import { commandWords, splitTemplate } from '../servers/split-template.js';

export function checkCommands(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, { command, args }] of serverParts) {
      const isSplit = typeof command === 'string' && args === undefined;
      const found = isSplit ? faultOfLine(command) : faultOfProgram(command);
      if (found !== undefined) source.report(found.fault, [section, name, ...found.path]);
    }
  }
}

interface CommandFault {
  readonly fault: ConfigFault;
  readonly path: ConfigPath;
}

/** Shell splitting drops the backslashes of a Windows path. */
function faultOfLine(command: string): CommandFault | undefined {
  if (!command.includes('\\')) return undefined;
  const split = splitTemplate(command);
  const [dropped] = 'dropped' in split ? split.dropped : [];
  if (dropped === undefined) return undefined;
  const message = `The backslash before ${quoted(dropped)} is dropped, because the command is split as a shell would`;
  const hint = 'write the command as a list of words, or quote the path inside the text';
  return { fault: { code: 'lost-backslash', severity: 'warning', message, hint }, path: ['command'] };
}

/** A text that is not split is the name of a program. */
function faultOfProgram(command: McpServerEntry['command']): CommandFault | undefined {
  const program = typeof command === 'string' ? command : command?.[0];
  if (program === undefined || !hasArguments(program)) return undefined;
  const message = 'This whole text is the name of a program, and it seems to contain arguments';
  const hint = 'write only the program as "command", and its arguments as the list "args"';
  const path = typeof command === 'string' ? ['command'] : ['command', 0];
  return { fault: { code: 'unsplit-command', severity: 'warning', message, hint }, path };
}

/** Paths may contain spaces: `C:\Program Files\nodejs\node.exe` is a program, `npx -y server` is not. */
function hasArguments(program: string): boolean {
  const [first = '', ...rest] = program.trim().split(/\s+/);
  if (rest.length === 0) return false;
  if (rest.some((word) => word.startsWith('-'))) return true;
  return !/[/\\]/.test(first) && !/\.(exe|cmd|bat|com|app)$/i.test(program);
}

export function checkGateway(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      const variables = Object.keys(entry.env ?? {});
      const headers = Object.keys(entry.headers ?? {});
      if (!isOwnGateway({ words: commandWords(entry), variables, headers })) continue;
      const message = 'This server is a gateway of mcpx. mcpx leaves it out, because it would start itself';
      const hint = 'keep the entry in a file that only other apps read, or remove it';
      source.report({ code: 'own-gateway', severity: 'warning', message, hint }, [section, name]);
    }
  }
}

export function checkPackages(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, entry] of serverParts) {
      const started = entry.package === undefined ? undefined : packageStartedBy(commandWords(entry));
      if (entry.package === undefined || started === undefined || isSamePackage(entry.package, started)) continue;
      const message = `"package" is ${entry.package}, but the command starts ${started}`;
      const hint = 'use the same package in both; install hints come from "package"';
      const fault = { code: 'package-mismatch', severity: 'warning', message, hint } as const;
      source.report({ ...fault, package: entry.package, started }, [section, name, 'package']);
    }
  }
}

/** Words before the package, and options with a value. */
interface Runner {
  readonly before: readonly string[];
  /** Options whose value is the package. */
  readonly packageOptions: readonly string[];
  readonly otherOptions: readonly string[];
  /** Also runs programs of a project, whose names need not be those of packages. */
  readonly runsPrograms?: boolean;
}

const npx: Runner = {
  before: [],
  packageOptions: ['-p', '--package'],
  otherOptions: ['-c', '--call', '-w', '--workspace', '--registry', '--prefix', '--cache', '-C', '--dir'],
};
const uvx: Runner = {
  before: [],
  packageOptions: ['--from'],
  otherOptions: [
    ...['-p', '--python', '--with', '--with-editable', '--index-url', '--index', '-i', '--directory', '--project'],
    ...['--refresh-package', '--cache-dir', '--config-file', '--env-file', '--extra', '--group'],
  ],
};
const pipx: Runner = { before: ['run'], packageOptions: ['--spec'], otherOptions: ['--python', '--index-url', '-i'] };

const runners: ReadonlyMap<string, readonly Runner[]> = new Map([
  ['npx', [npx]],
  ['bunx', [npx]],
  ['pnpx', [npx]],
  ['npm', ['exec', 'x'].map((before) => ({ ...npx, before: [before] }))],
  ['pnpm', [{ ...npx, before: ['dlx'] }]],
  ['yarn', [{ ...npx, before: ['dlx'] }]],
  ['bun', [{ ...npx, before: ['x'] }]],
  ['uvx', [uvx]],
  [
    'uv',
    [
      { ...uvx, before: ['tool', 'run'] },
      { ...uvx, before: ['run'], packageOptions: [], runsPrograms: true },
    ],
  ],
  ['pipx', [pipx]],
]);

/** `undefined` for other programs. */
function packageStartedBy(words: readonly string[]): string | undefined {
  const [program = '', ...rest] = withoutStarter(words);
  for (const runner of runners.get(nameOfProgram(program)) ?? []) {
    const after = withoutWords(rest, runner);
    if (after === undefined) continue;
    const started = packageIn(after, runner);
    return runner.runsPrograms && started !== undefined && !mayBeNamedAfterPackage(started) ? undefined : started;
  }
  return undefined;
}

function nameOfProgram(program: string): string {
  return program.replace(/^.*[/\\]/, '').replace(/\.(cmd|exe|ps1)$/i, '');
}

/** Drops a program that only starts another one: `cmd /c …`, `env NAME=value …`. */
function withoutStarter(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words;
  const name = nameOfProgram(program).toLowerCase();
  if (name === 'cmd') {
    const runs = rest.findIndex((word) => /^\/[ck]$/i.test(word));
    return runs === -1 || rest.slice(0, runs).some((word) => !word.startsWith('/')) ? words : rest.slice(runs + 1);
  }
  if (name !== 'env') return words;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? '';
    if (/^(-u|-C|--unset|--chdir)$/.test(word)) index += 1;
    else if (word !== '--' && !word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word)) return rest.slice(index);
  }
  return [];
}

/** Drops the words of a runner, such as `tool run`. Options may precede them. */
function withoutWords(words: readonly string[], { before, otherOptions }: Runner): readonly string[] | undefined {
  let rest = words;
  for (const expected of before) {
    let index = 0;
    while (rest[index]?.startsWith('-')) index += otherOptions.includes(rest[index] ?? '') ? 2 : 1;
    if (rest[index] !== expected) return undefined;
    rest = rest.slice(index + 1);
  }
  return rest;
}

function packageIn(words: readonly string[], { packageOptions, otherOptions }: Runner): string | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const [option = '', value] = word.split('=', 2);
    if (packageOptions.includes(option)) return asPackage(value ?? words[index + 1]);
    if (otherOptions.includes(option)) index += value === undefined ? 1 : 0;
    else if (word === '--') return asPackage(words[index + 1]);
    else if (!word.startsWith('-')) return asPackage(word);
  }
  return undefined;
}

/** Excludes interpreters and files. */
function mayBeNamedAfterPackage(program: string): boolean {
  return !/^(python[\d.]*|pypy[\d.]*|node|deno|bun|npx|mcp|fastmcp|uvicorn|gunicorn|hypercorn)$|\.\w+$/i.test(program);
}

/** A path, URL or template may be the same package. */
function asPackage(word: string | undefined): string | undefined {
  return word !== undefined &&
    /^(@[\w.~-]+\/)?[\w.~-]+(\[[\w,-]+\])?(@[\w.^~+-]+)?$/.test(word) &&
    !word.startsWith('.')
    ? word
    : undefined;
}

function isSamePackage(one: string, other: string): boolean {
  const [oneName, oneVersion] = nameAndVersion(one);
  const [otherName, otherVersion] = nameAndVersion(other);
  return (
    oneName === otherName && (oneVersion === undefined || otherVersion === undefined || oneVersion === otherVersion)
  );
}

/** Python treats `_`, `.` and `-`, and upper and lower case, as equal. */
function nameAndVersion(text: string): readonly [string, string | undefined] {
  const [, name = text, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(text) ?? [];
  return [
    name
      .replace(/\[.*\]$/, '')
      .replace(/[_.-]+/g, '-')
      .toLowerCase(),
    version,
  ];
}
