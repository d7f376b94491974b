import type { HostDialect, JsonValue } from '../edit/document.js';

/** Platform name of Node.js. */
export type HostPlatform = 'darwin' | 'linux' | 'win32';

/** `local`: settings of one user for one project, in a user file. */
export type HostScope = 'user' | 'project' | 'local';

/** What an adapter states about a host's file. `off` is a disabled server. */
export type HostFact =
  | 'place'
  | 'stdio'
  | 'args'
  | 'env'
  | 'cwd'
  | 'http'
  | 'sse'
  | 'headers'
  | 'variables'
  | 'off'
  | 'timeout'
  | 'tools';

/** Description of one file of one host, as plain data. */
export interface HostAdapter {
  readonly id: string;
  /** Common name of a host's files, such as `cursor`. */
  readonly family: string;
  readonly name: string;
  readonly scope: HostScope;
  /**
   * Possible paths per platform, in order of preference. A path starts with `{home}`, `{project}`, `{config}`
   * (`$XDG_CONFIG_HOME` or `{home}/.config`), `{data}` (`$XDG_DATA_HOME` or `{home}/.local/share`), `{appData}` or
   * `{localAppData}`. `*` matches any text within one segment, and `{newest}` the newest version.
   */
  readonly paths: Readonly<Partial<Record<HostPlatform, readonly string[]>>>;
  /** Item of `paths` to create if no file exists. Default: the first one without `*`. */
  readonly createAt?: string;
  /** Environment variables that move the file. The first set one counts. */
  readonly overrides?: readonly PathOverride[];
  /** Setting of the host that moves the file. It counts if it is an absolute path. */
  readonly movedBy?: MovingSetting;
  /** Id of the host that replaces this one. */
  readonly replacedBy?: string;
  /** Condition under which the host reads the file, as a sentence. Reported with new entries. */
  readonly condition?: { readonly says: string; readonly hint: string };
  readonly dialect: HostDialect;
  /** New documents get the first layout. */
  readonly layouts: readonly [HostLayout, ...HostLayout[]];
  /** Index of a document's layout, from the values at key paths. Default: 0. */
  readonly pickLayout?: (entriesAt: EntriesAt) => number;
  /** `drop`: the host ignores a file with a byte order mark. */
  readonly byteOrderMark?: 'drop';
  /** Where the host keeps which servers are off, besides their entries. Read, never written. */
  readonly switches?: readonly OffSwitch[];
  /** Top-level keys of maps with tool rules, by patterns of `<server>_<tool>`. Reported, not read. */
  readonly toolRules?: readonly string[];
  /** Top-level key of a list with the values that the host asks its user for. */
  readonly inputsKey?: string;
  /** Facts that the program's source shows. All others are from its documentation, or were seen in the program. */
  readonly fromSource?: readonly HostFact[];
  readonly entry: EntryFormat;
}

export interface MovingSetting {
  /** Path of a JSON file per platform, as in `paths`. */
  readonly file: Readonly<Partial<Record<HostPlatform, string>>>;
  /** Top-level key with a directory. */
  readonly key: string;
  /** `{value}` is the directory. */
  readonly path: string;
}

export interface OffSwitch {
  /** Id of the host whose file has the list, or is in the folder that `file` starts from. */
  readonly beside: string;
  readonly file?: string;
  /** `{repository}` is the root of the project's git repository, on Windows with forward slashes. */
  readonly keyPath: readonly string[];
  /**
   * `off`: list of servers that are off; `on`: list of the only ones that are on; `states`: map of names in lower case to
   * `{ enabled }`.
   */
  readonly lists: 'off' | 'on' | 'states';
}

export interface PathOverride {
  readonly variable: string;
  /** `{value}` is the value of the variable. */
  readonly path: string;
  readonly platform?: HostPlatform;
}

export interface HostLayout {
  /** `{repository}` is the root of the project's git repository, on Windows with forward slashes. */
  readonly keyPath: readonly string[];
  readonly collection: 'map' | 'sequence-by-name';
  /** Toggle of this layout, if it differs from that of `entry`. */
  readonly toggle?: ToggleField;
  /** Time limit of this layout, if it differs from that of `entry`. */
  readonly timeout?: TimeoutField;
}

export type EntriesAt = (keyPath: readonly string[]) => ReadonlyMap<string, JsonValue>;

export interface EntryFormat {
  /** Field that repeats the server's name. */
  readonly nameField?: string;
  readonly stdio: StdioFormat;
  /** Missing: the host does not support the transport. */
  readonly http?: RemoteFormat;
  readonly sse?: RemoteFormat;
  /** Field with the type. Default `type`. */
  readonly typeField?: 'transport';
  /** Meaning of a `url` without a type. Default `http`. */
  readonly untypedUrl?: 'http' | 'sse' | 'refused';
  readonly toggle?: ToggleField;
  readonly timeout?: TimeoutField;
  /** Fields with available tools. */
  readonly tools?: ToolLists;
  readonly variables: VariableSupport;
  /** Fields with names of environment variables instead of values. */
  readonly byName?: ByNameFields;
  /** Fields with the variable of the whole `Authorization` header. Read, never written. */
  readonly authorizationFrom?: readonly string[];
  /** Fields that belong to the host and its user: approvals, tool filters, OAuth state. Preserved, never compared. */
  readonly hostFields: readonly string[];
  /** Fields of a new entry. Afterwards they count as `hostFields`. */
  readonly initial?: Readonly<Record<string, JsonValue>>;
  /** Object that may contain the listed fields. With `type`, only an object of this type has them. */
  readonly nested?: { readonly field: string; readonly fields: readonly string[]; readonly type?: string };
  readonly serverName?: { readonly pattern: RegExp; readonly says: string };
  /** `cmd`: on Windows, batch files such as npx need `cmd /c`. */
  readonly windowsShims?: 'cmd';
  readonly commandWithoutSpaces?: true;
}

interface StdioFormat {
  /** Value of `type`. Missing: no `type` is written. */
  readonly type?: string;
  readonly command: string;
  /** `list`: command and arguments form one list. Default `text`. */
  readonly commandShape?: 'text' | 'list';
  /** The host splits the text of the command into words as a shell does: always, or only without arguments. */
  readonly splitsText?: 'alone' | 'always';
  /** The host joins command and arguments with blanks, and a shell runs the line: `/bin/sh`, or `cmd.exe` on Windows. */
  readonly runsInShell?: true;
  readonly args: string;
  /** Writes `args` even if empty. */
  readonly argsRequired?: true;
  readonly env: string;
  /**
   * Treatment of an empty variable. `inherited`: the host passes on its own variable of this name, and fails without
   * one; `dropped`: the server does not get the variable. Default: passed on.
   */
  readonly emptyEnv?: 'inherited' | 'dropped';
  /** Variables that the host never sets, in any case of letters. */
  readonly ignoredEnv?: readonly string[];
  readonly cwd?: string;
}

export interface RemoteFormat {
  readonly type?: string;
  /** Position of `type`. Default `first`. */
  readonly typePosition?: 'first' | 'after-url';
  readonly url: string;
  /** Further names of the field `url` that the host reads. */
  readonly urlAlternatives?: readonly string[];
  /** Path of the field with the headers. */
  readonly headers: readonly [string, ...string[]];
}

export interface ToggleField {
  readonly field: string;
  /** Key of the state, if the field is an object of the host. Needs `always`. */
  readonly key?: string;
  readonly means: 'enabled' | 'disabled';
  /** The field is written for enabled servers, too. */
  readonly always?: true;
}

export interface TimeoutField {
  readonly field: string;
  /** Key of the limit, if the field is an object. */
  readonly key?: string;
  /** `s`: whole seconds, rounded up; `s-fractions`: with decimals. */
  readonly unit: 'ms' | 's' | 's-fractions';
  readonly range?: readonly [number, number];
  readonly remoteOnly?: true;
}

export interface ToolLists {
  /** Field that contains the lists. Default: the entry. */
  readonly inside?: string;
  /** Names of the field with the only available tools. */
  readonly allowed?: readonly string[];
  /** Names of the field with unavailable tools. */
  readonly denied?: readonly string[];
  /** Meaning of `*` in `allowed`. `all`: alone, every tool; `any-text`: any part of a name. Default: literal. */
  readonly star?: 'all' | 'any-text';
  /** An empty list allows all tools. Default: none. */
  readonly emptyAllowsAll?: true;
  /** The lists are read, never written. */
  readonly readOnly?: true;
}

export interface ByNameFields {
  /** Field with names of variables that the server gets. */
  readonly env?: string;
  readonly from: 'environment' | 'keyring';
  /** Field that maps headers to variable names. */
  readonly headers?: string;
  /** Field with the variable of the bearer token. */
  readonly bearer?: string;
  /**
   * Fields that put the token of `bearer` elsewhere: the name of a header, and its text as a format string of Python with
   * `{token}`. Read, never written.
   */
  readonly bearerPlace?: { readonly header: string; readonly format: string };
}

/**
 * Syntax of environment variables in a host's file.
 *
 * | syntax | spelling |
 * | --- | --- |
 * | `brace` | `${NAME}` |
 * | `brace-or-env` | `${NAME}`; also `$env:NAME` if it is the whole text |
 * | `env-prefix` | `${env:NAME}` |
 * | `single-brace` | `{env:NAME}` |
 * | `shell` | `${NAME}`; also reads `$NAME` |
 * | `secrets` | `${{ secrets.NAME }}` |
 */
export type VariableSyntax = 'brace' | 'brace-or-env' | 'env-prefix' | 'single-brace' | 'shell' | 'secrets';

export type EntryField = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

/** Variables that a host replaces when it reads an entry. */
export interface VariableSupport {
  /** Missing: texts are literal. */
  readonly syntax?: VariableSyntax;
  /** The host supports `${NAME:-default}`. */
  readonly defaults?: true;
  /** Fields with replacement. Default: all. */
  readonly fields?: readonly EntryField[];
  /** Fields in which the host replaces variables only in a text that begins with `$`. */
  readonly fromStart?: readonly EntryField[];
  /** Fields in which a text that begins with `$` and not with `${` names a variable as a whole. Read, never written. */
  readonly bareName?: readonly EntryField[];
  /** Fields whose replaced text goes through a shell: read, never written. */
  readonly inShell?: readonly EntryField[];
  /** Replaces only variables that the entry sets in `env` or names in `byName.env`. */
  readonly onlyOwn?: true;
  /** Not confirmed: read, never written; similar literals are rejected. */
  readonly unverified?: true;
  /** The host has no known syntax for a literal `$`. */
  readonly noLiteralDollar?: true;
}

export const mcpServersMap: readonly [HostLayout] = [{ keyPath: ['mcpServers'], collection: 'map' }];
export const serversMap: readonly [HostLayout] = [{ keyPath: ['servers'], collection: 'map' }];

export const plainStdio = { command: 'command', args: 'args', env: 'env' } as const satisfies StdioFormat;

export const plainRemote = { url: 'url', headers: ['headers'] } as const satisfies RemoteFormat;

export function typed<const Type extends string>(type: Type) {
  return { type, ...plainRemote } as const satisfies RemoteFormat;
}

export function everywhere(...paths: readonly string[]): HostAdapter['paths'] {
  return { darwin: paths, linux: paths, win32: paths };
}

/** File in the application data folder, such as `Code/User/…`. */
export function inAppFolder(path: string): HostAdapter['paths'] {
  return {
    darwin: [`{home}/Library/Application Support/${path}`],
    linux: [`{home}/.config/${path}`],
    win32: [`{appData}/${path}`],
  };
}
