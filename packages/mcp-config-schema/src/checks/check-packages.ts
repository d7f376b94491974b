import type { ConfigFile } from '../config-file.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { splitCommand } from '../servers/split-command.js';

/** Warns when `package` names another package than the one that the command starts: one of the two is out of date. */
export function checkPackages(files: readonly ConfigFile[]): void {
  for (const { source, section, servers } of files) {
    for (const [name, entry] of servers) {
      const started = entry.package === undefined ? undefined : packageStartedBy(wordsOf(entry));
      if (entry.package === undefined || started === undefined || isSamePackage(entry.package, started)) continue;
      const message = `"package" is ${entry.package}, but the command starts ${started}`;
      const hint = 'make both say the same; hints how to install the server come from "package"';
      const fault = { code: 'package-mismatch', severity: 'warning', message, hint } as const;
      source.report({ ...fault, package: entry.package, started }, [section, name, 'package']);
    }
  }
}

function wordsOf({ command, args = [] }: McpServerEntry): readonly string[] {
  if (typeof command !== 'string') return [...(command ?? []), ...args];
  if (args.length > 0) return [command, ...args];
  const split = splitCommand(command);
  return 'words' in split ? split.words : [];
}

/** What a package runner is told to run: its options that take a value, and the words before the package. */
interface Runner {
  readonly before: readonly string[];
  /** Options whose value is the package. */
  readonly packageOptions: readonly string[];
  /** Options with a value that is not the package. */
  readonly otherOptions: readonly string[];
}

const npx: Runner = {
  before: [],
  packageOptions: ['-p', '--package'],
  otherOptions: ['-c', '--call', '-w', '--workspace', '--registry', '--prefix', '--cache'],
};
const uvx: Runner = {
  before: [],
  packageOptions: ['--from'],
  otherOptions: ['-p', '--python', '--with', '--index-url', '--index', '-i', '--directory', '--refresh-package'],
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
  ['uv', [{ ...uvx, before: ['tool', 'run'] }]],
  ['pipx', [pipx]],
]);

/** The package that a command line runs, where its program is one that runs packages. */
function packageStartedBy([program = '', ...words]: readonly string[]): string | undefined {
  const name = program.replace(/^.*[/\\]/, '').replace(/\.(cmd|exe|ps1)$/i, '');
  const runner = runners.get(name)?.find(({ before }) => before.every((word, index) => words[index] === word));
  return runner && packageIn(words.slice(runner.before.length), runner);
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

/** Only a name from a registry: a path, a URL or a template may well be the same package. */
function asPackage(word: string | undefined): string | undefined {
  return word !== undefined &&
    /^(@[\w.~-]+\/)?[\w.~-]+(\[[\w,-]+\])?(@[\w.^~+-]+)?$/.test(word) &&
    !word.startsWith('.')
    ? word
    : undefined;
}

/** Versions count only where both have one. */
function isSamePackage(one: string, other: string): boolean {
  const [oneName, oneVersion] = nameAndVersion(one);
  const [otherName, otherVersion] = nameAndVersion(other);
  return (
    oneName === otherName && (oneVersion === undefined || otherVersion === undefined || oneVersion === otherVersion)
  );
}

/** Python takes `_`, `.` and `-`, and capitals and small letters, for the same. */
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
