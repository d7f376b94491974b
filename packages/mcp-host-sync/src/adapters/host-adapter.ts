import type { HostDialect, JsonValue } from '../edit/document-shape.js';
import type { VariableSupport } from '../variables/variable-support.js';

/** A system by the name that Node has for it. */
export type HostPlatform = 'darwin' | 'linux' | 'win32';

/** `local` is a person's own settings for one project, kept in a file of that person. */
export type HostScope = 'user' | 'project' | 'local';

/** Everything that is known about one file of one host. Data, so that it can be compared, listed and corrected. */
export interface HostAdapter {
  readonly id: string;
  /** What the files of one host have in common: `cursor` for `cursor-user` and `cursor-project`. */
  readonly family: string;
  readonly name: string;
  readonly scope: HostScope;
  /**
   * Where the file may be, most wanted first; a platform that is missing has no such file. `{home}`, `{project}`,
   * `{config}` (`$XDG_CONFIG_HOME` or `{home}/.config`), `{appData}` and `{localAppData}` start a path; `*` stands
   * for any text within one segment.
   */
  readonly paths: Readonly<Partial<Record<HostPlatform, readonly string[]>>>;
  /** The path of `paths` to create when there is no file yet. Default: the first one without `*`. */
  readonly createAt?: string;
  /** Environment variables that move the file; the first one that is set counts. */
  readonly overrides?: readonly PathOverride[];
  /** The host that took this one's place, where the file is still read but no longer by current versions. */
  readonly replacedBy?: string;
  readonly dialect: HostDialect;
  /** Most hosts know one layout; a new document gets the first. */
  readonly layouts: readonly [HostLayout, ...HostLayout[]];
  /** Tells which layout a document has, by looking at what stands at a key path. Default: the first. */
  readonly pickLayout?: (entriesAt: EntriesAt) => number;
  /** `drop`: the host loses its servers, or does not read the file, when it starts with a byte order mark. */
  readonly byteOrderMark?: 'drop';
  /** Top keys of maps that say which tools may be used, by patterns of `<server>_<tool>`. Told of, and not read. */
  readonly toolRules?: readonly string[];
  readonly entry: EntryFormat;
}

export interface PathOverride {
  readonly variable: string;
  /** `{value}` is what the variable holds. */
  readonly path: string;
  readonly platform?: HostPlatform;
}

export interface HostLayout {
  /** `{project}` is the absolute path of the project. */
  readonly keyPath: readonly string[];
  readonly collection: 'map' | 'sequence-by-name';
  /** Where this layout turns servers on and off, when it differs from the entry's own. */
  readonly toggle?: ToggleField;
}

export type EntriesAt = (keyPath: readonly string[]) => ReadonlyMap<string, JsonValue>;

/** How one server is written down. */
export interface EntryFormat {
  /** The field that repeats the server's name. */
  readonly nameField?: string;
  readonly stdio: StdioFormat;
  /** Missing: the host cannot hold such a server. */
  readonly http?: RemoteFormat;
  readonly sse?: RemoteFormat;
  /** What a `url` without a type means to the host. Default `http`. */
  readonly untypedUrl?: 'http' | 'sse' | 'refused';
  readonly toggle?: ToggleField;
  readonly timeout?: TimeoutField;
  /** Which tools of the server the host offers. Read, and never written. */
  readonly tools?: ToolLists;
  readonly variables: VariableSupport;
  /** Fields that hold names of environment variables instead of values. */
  readonly byName?: ByNameFields;
  /**
   * Fields that belong to the host or to whoever clicks in it, from the moment the entry exists: approvals, tool
   * filters, OAuth state. They are kept and never compared.
   */
  readonly hostFields: readonly string[];
  /** Fields that the host wants in every new entry, and that are its own from then on. */
  readonly initial?: Readonly<Record<string, JsonValue>>;
  /** An object that may hold the named fields instead of the entry itself. */
  readonly nested?: { readonly field: string; readonly fields: readonly string[] };
  readonly serverName?: { readonly pattern: RegExp; readonly says: string };
  /** `cmd`: on Windows, batch shims such as npx have to be started through `cmd /c`. */
  readonly windowsShims?: 'cmd';
  readonly commandWithoutSpaces?: true;
}

export interface StdioFormat {
  /** The type word that is written. Missing: none is. */
  readonly type?: string;
  readonly command: string;
  /** `list`: command and arguments in one list. Default `text`. */
  readonly commandShape?: 'text' | 'list';
  /** A text without arguments is a command line, which the host splits into words. A list of words is read as well. */
  readonly splitsText?: true;
  readonly args: string;
  /** Written even when it is empty. */
  readonly argsRequired?: true;
  readonly env: string;
  readonly cwd?: string;
}

export interface RemoteFormat {
  readonly type?: string;
  /** Where the type stands. Default `first`. */
  readonly typePlace?: 'first' | 'after-url';
  readonly url: string;
  /** Other spellings that the host reads. */
  readonly urlAlternatives?: readonly string[];
  /** A path, for headers that are nested. */
  readonly headers: readonly [string, ...string[]];
}

export interface ToggleField {
  readonly field: string;
  readonly means: 'enabled' | 'disabled';
  /** Written for servers that are enabled, too, as the host's own writer does. */
  readonly always?: true;
}

export interface TimeoutField {
  readonly field: string;
  /** `s` in whole seconds, rounded up, unless the host takes fractions. */
  readonly unit: 'ms' | 's' | 's-fractions';
  readonly range?: readonly [number, number];
  readonly remoteOnly?: true;
}

export interface ToolLists {
  /** The only tools that are offered, in each spelling that the host reads. */
  readonly allowed?: readonly string[];
  /** Tools that are not offered. */
  readonly denied?: readonly string[];
  /** What a `*` in `allowed` stands for. Default: nothing, names are exact. `all`: only alone, for every tool. */
  readonly star?: 'all' | 'any-text';
  /** An empty list of allowed tools allows all of them. Default: none. */
  readonly emptyAllowsAll?: true;
}

export interface ByNameFields {
  /** A list of variable names that are passed on to the server. */
  readonly env: string;
  /** Where the host finds their values. */
  readonly from: 'environment' | 'keyring';
  /** Header to variable name. */
  readonly headers?: string;
  /** The variable whose value is sent as bearer token. */
  readonly bearer?: string;
}
