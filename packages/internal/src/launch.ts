import { split } from 'shlex';
import { inSingleQuotes } from './text.js';

/** The environment variable and the header that mark an entry as our own gateway. */
export const gatewayMarker = { env: 'MCPX_GATEWAY', header: 'X-Mcpx-Gateway' } as const;

export type ServerLaunch =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly transport: 'http' | 'sse'; readonly headers?: Readonly<Record<string, string>> | undefined };

/** An entry, as far as it identifies our own gateway. */
export interface LaunchParts {
  /** Program and arguments. Empty for an entry with an address. */
  readonly words: readonly string[];
  /** Names of environment variables. */
  readonly variables: readonly string[];
  readonly headers: readonly string[];
}

/** True if an entry runs `mcpx serve`, also through a launcher such as `npx`, or has the marker. */
export function isOwnGateway({ words, variables, headers }: LaunchParts): boolean {
  if (variables.includes(gatewayMarker.env)) return true;
  if (headers.some((name) => name.toLowerCase() === gatewayMarker.header.toLowerCase())) return true;
  return isGateway(words) && !isRemoteGateway(words);
}

/**
 * True if an entry runs `mcpx serve --names nested` on another machine. That gateway leaves out entries of the same
 * kind, so two machines do not start each other without end.
 */
function isRemoteGateway(words: readonly string[]): boolean {
  const sent = sentWords(words);
  return (
    isOverSsh(words) && isGateway(words) && sent.some((word, at) => word === '--names' && sent[at + 1] === 'nested')
  );
}

function isGateway(words: readonly string[]): boolean {
  const sent = sentWords(words);
  return sent.some((word, index) => isGatewayProgram(word) && sent.slice(index + 1).includes('serve'));
}

/** The shell of another machine splits words once more. */
function sentWords(words: readonly string[]): readonly string[] {
  return isOverSsh(words) ? words.flatMap((word) => word.split(/[\s=]+/)) : words;
}

const isOverSsh = ([program = '']: readonly string[]) => /^ssh(\.exe)?$/i.test(fileOf(program));

/** True if a server of a loaded config, or of a host's file, is our own gateway. */
export function isGatewayServer(server: ServerLaunch): boolean {
  if (server.transport !== 'stdio') {
    return isOwnGateway({ words: [], variables: [], headers: Object.keys(server.headers ?? {}) });
  }
  const words = [server.command, ...(server.args ?? [])];
  return isOwnGateway({ words, variables: Object.keys(server.env ?? {}), headers: [] });
}

/** True if a server of a loaded config is the gateway of another machine, over ssh. */
export function startsRemoteGateway(server: ServerLaunch): boolean {
  return server.transport === 'stdio' && isRemoteGateway([server.command, ...(server.args ?? [])]);
}

function isGatewayProgram(word: string): boolean {
  if (/^mcpx(\.cmd|\.exe|\.ps1)?$/i.test(fileOf(word))) return true;
  if (/(^|[\\/])mcp-cli[\\/]dist[\\/]bin\.js$/.test(word)) return true;
  return /(^|[\\/])@[\w-]+[\\/]mcp-cli(@[\w.-]+)?([\\/]|$)/.test(word);
}

function fileOf(word: string): string {
  return word.split(/[\\/]/).at(-1) ?? '';
}

export type SplitCommand =
  | {
      readonly words: readonly string[];
      /** Characters whose backslash is dropped, as by a shell. */
      readonly dropped: readonly string[];
    }
  | { readonly problem: string };

/**
 * Splits a command line by the quoting rules of a POSIX shell. Everything but quotes and backslashes is ordinary text.
 */
export function splitCommand(command: string): SplitCommand {
  const dropped: string[] = [];
  const plain = command.replace(pieces, (piece, inDouble?: string, escaped?: string) => {
    if (piece === '$') return '\\$';
    if (inDouble !== undefined) return inSingleQuotes(inDouble.replace(/\\([$`"\\\n])/g, unescaped));
    if (escaped !== undefined && /\w/.test(escaped)) dropped.push(escaped);
    return piece;
  });
  try {
    return { words: split(plain), dropped };
  } catch {
    // The library reports two faults: an unclosed quote, and a trailing backslash.
    const endsWithBackslash = /(^|[^\\])(\\\\)*\\$/.test(command);
    return { problem: endsWithBackslash ? 'ends with a backslash' : 'has a quote that is not closed' };
  }
}

// Quoted texts, escaped characters, and a "$" before a quote. The library receives only single quotes: after double
// quotes it removes backslashes from the whole word, and it reads $'…' in its own way.
const pieces = /'[^']*'|"([^"\\]*(?:\\.[^"\\]*)*)"|\\(.)|\$(?=['"])/gs;

function unescaped(_piece: string, character: string): string {
  return character === '\n' ? '' : character;
}

/** A server as far as it decides how to install it. */
export interface InstallableServer {
  readonly name: string;
  readonly command: string;
  /** NPM package, or package of the language of a runner such as `uvx`. */
  readonly package?: string | undefined;
}

/** Instructions for a server whose program is missing. */
export function installHint(server: InstallableServer): string {
  const program = programOf(server.command);
  const runner = runners.get(program);
  const install = server.package === undefined ? undefined : `${runner?.install ?? 'npm install -g'} ${server.package}`;
  if (runner === undefined) return install ?? `install ${server.command}, or correct the command of ${server.name}`;
  const { comesWith } = runner;
  const first =
    comesWith.toLowerCase() === program ? `install ${comesWith}` : `install ${comesWith}, which has ${program}`;
  return install === undefined ? first : `${first}; then ${install}`;
}

/** The package that npm downloads when the server starts; `undefined` for other programs. */
export function npmPackageOf(server: InstallableServer): string | undefined {
  return runners.get(programOf(server.command)) === node ? server.package : undefined;
}

function programOf(command: string): string {
  return command.replace(/^.*[/\\]/, '').replace(/\.(cmd|exe)$/i, '');
}

interface Runner {
  readonly install: string;
  readonly comesWith: string;
}

const node: Runner = { install: 'npm install -g', comesWith: 'Node.js' };
const bun: Runner = { install: 'bun add -g', comesWith: 'Bun' };
const uv: Runner = { install: 'uv tool install', comesWith: 'uv' };

const runners: ReadonlyMap<string, Runner> = new Map([
  ['npx', node],
  ['npm', node],
  ['bunx', bun],
  ['bun', bun],
  ['uvx', uv],
  ['uv', uv],
  ['pipx', { install: 'pipx install', comesWith: 'pipx' }],
]);
