import type { AuthReference, SecretReference } from '../config.js';
import type { DeclaredServer } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import type { SecretValue } from '../schema/fields.js';
import { type Expand, type ExpandedText, expandIn, type TemplateScope } from './expand-in.js';
import { splitTemplate } from './split-template.js';

/** Command or URL of a server, with words split and templates expanded. */
type Launch = (StdioLaunch | HttpLaunch) & {
  /** Texts with the value of a variable. */
  readonly sensitive?: readonly ConfigPath[];
  readonly unsetVariables?: readonly string[];
};

interface StdioLaunch {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface HttpLaunch {
  readonly transport: 'http';
  readonly type?: 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth?: AuthReference;
}

export interface LaunchScope extends TemplateScope {
  /** `warning` keeps a server with unset variables. A disabled server is kept in any case. */
  readonly unsetVariables: 'error' | 'warning';
}

export function resolveLaunch(server: DeclaredServer, scope: LaunchScope): Launch | undefined {
  const faultsBefore = server.source.issueCount;
  const texts = new LaunchTexts(server, scope);
  const launch = server.entry.url === undefined ? stdioLaunch(server, texts) : httpLaunch(server, texts);
  if (launch === undefined || server.source.issueCount > faultsBefore + texts.waived) return undefined;
  return {
    ...launch,
    ...(texts.sensitive.length > 0 && { sensitive: texts.sensitive }),
    ...(texts.unset.size > 0 && { unsetVariables: [...texts.unset] }),
  };
}

/** Reports template faults of an otherwise invalid entry, which may have a command and a URL. */
export function checkLaunchTexts(server: DeclaredServer, scope: LaunchScope): void {
  const texts = new LaunchTexts(server, scope);
  texts.words();
  texts.values('env');
  texts.optional('cwd');
  texts.optional('url');
  texts.values('headers');
}

class LaunchTexts {
  readonly sensitive: ConfigPath[] = [];
  readonly keepsVariables: boolean;
  readonly unset = new Set<string>();
  /** Number of reported unset variables that the server is kept with. */
  waived = 0;
  readonly #server: DeclaredServer;
  readonly #expand: Expand;

  constructor(server: DeclaredServer, scope: LaunchScope) {
    this.#server = server;
    const onUnset = (name: string): void => {
      this.waived += 1;
      this.unset.add(name);
    };
    const isKept = scope.unsetVariables === 'warning' || server.entry.disabled === true;
    this.#expand = expandIn(server.source, { ...scope, onUnset: isKept ? onUnset : undefined });
    this.keepsVariables = scope.variables === 'keep';
  }

  words(): readonly string[] {
    const { path, entry } = this.#server;
    const { command = [], args = [] } = entry;
    const commandPath = [...path, 'command'];
    const ofCommand =
      typeof command === 'string'
        ? this.#expand(this.#commandWords(command), commandPath)
        : this.#items(command, commandPath);
    const words = [...ofCommand, ...this.#items(args, [...path, 'args'])];
    return words.map((word, index) => this.#keep(word, index === 0 ? ['command'] : ['args', index - 1]));
  }

  /** Excludes secret references, which are resolved later. */
  values(key: 'env' | 'headers'): Record<string, string> {
    const values: Readonly<Record<string, SecretValue>> = this.#server.entry[key] ?? {};
    return Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const text = typeof value === 'string' ? value : this.keepsVariables ? asVariable(value) : undefined;
        return text === undefined ? [] : [[name, this.#one(text, [key, name])]];
      }),
    );
  }

  optional(key: 'cwd' | 'url'): string | undefined {
    const text = this.#server.entry[key];
    return text === undefined ? undefined : this.#one(text, [key]);
  }

  #commandWords(command: string): readonly string[] {
    if (this.#server.entry.args !== undefined) return [command];
    const split = splitTemplate(command);
    if ('words' in split) return split.words;
    refuse(this.#server, ['command'], `a command line that a shell could read; this one ${split.problem}`);
    return [];
  }

  #items(texts: readonly string[], path: ConfigPath): readonly ExpandedText[] {
    return texts.flatMap((text, index) => this.#expand([text], [...path, index]));
  }

  #one(text: string, place: ConfigPath): string {
    const [expanded] = this.#expand([text], [...this.#server.path, ...place]);
    return expanded === undefined ? '' : this.#keep(expanded, place);
  }

  #keep({ text, isSensitive }: ExpandedText, place: ConfigPath): string {
    if (isSensitive) this.sensitive.push(place);
    return text;
  }
}

function stdioLaunch(server: DeclaredServer, texts: LaunchTexts): StdioLaunch | undefined {
  const [command, ...args] = texts.words();
  const env = texts.values('env');
  const cwd = texts.optional('cwd');
  if (command === undefined || command.trim() === '') {
    if (command !== undefined)
      refuse(server, ['command'], 'a command that is not empty after its variables are expanded');
    return undefined;
  }
  return { transport: 'stdio', command, args, env, ...(cwd === undefined ? {} : { cwd }) };
}

function httpLaunch(server: DeclaredServer, texts: LaunchTexts): HttpLaunch {
  const { source, entry } = server;
  const faultsBefore = source.issueCount;
  const url = texts.optional('url') ?? '';
  const isExpanded = source.issueCount === faultsBefore;
  if (isExpanded && !isHttpUrl(url) && !(texts.keepsVariables && url.includes('${')))
    refuse(server, ['url'], 'an http:// or https:// address');

  const headers = texts.values('headers');
  for (const [name, value] of Object.entries(headers)) {
    // Often a variable that was read from a file with its line end.
    if (/[\r\n\0]/.test(value)) refuse(server, ['headers', name], 'text without line ends');
  }
  const { type, auth } = entry;
  return { transport: 'http', ...(type === 'sse' && { type }), url, headers, ...(auth === undefined ? {} : { auth }) };
}

/** `URL` accepts and drops NUL, which is never intended. */
function isHttpUrl(url: string): boolean {
  return !url.includes('\0') && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function refuse({ source, path, name }: DeclaredServer, place: readonly [string, string?], expected: string): void {
  const [key, inner] = place;
  const subject = inner === undefined ? `The ${key} of server "${name}"` : `${inner} in the ${key} of server "${name}"`;
  const message = `${subject} must be ${expected}`;
  const steps = inner === undefined ? [key] : [key, inner];
  source.report({ code: 'invalid-value', severity: 'error', message, expected }, [...path, ...steps]);
}

/** `undefined` if there are none. */
export function secretReferences(
  { source, path, entry }: DeclaredServer,
  { keepsVariables }: { readonly keepsVariables: boolean },
): readonly SecretReference[] | undefined {
  const section = entry.url === undefined ? 'env' : 'headers';
  const found = Object.entries(entry[section] ?? {}).flatMap(([key, value]): SecretReference[] => {
    if (typeof value === 'string' || (keepsVariables && asVariable(value) !== undefined)) return [];
    const place = [...path, section, key];
    return [{ key, reference: value.secret_ref, source: source.position(place), path: place }];
  });
  return found.length === 0 ? undefined : found;
}

/** The variable for a reference: `${NAME}` for `env:NAME`. */
function asVariable({ secret_ref }: { readonly secret_ref: string }): string | undefined {
  const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(secret_ref)?.[1];
  return name === undefined ? undefined : `\${${name}}`;
}
