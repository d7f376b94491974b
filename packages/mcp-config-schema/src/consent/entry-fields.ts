import type { ServerEntry, WrittenLaunch } from '../written-launch.js';

/** A field of an entry that requires consent. */
interface AgreedField {
  /** Value in the digest of a launch. Equivalent spellings give the same value. */
  readonly agreed: (entry: WrittenLaunch, runsIn: string | undefined) => unknown;
  /** Lines for display, as in the file: variables and references by name. */
  readonly lines: (entry: WrittenLaunch, runsIn: string | undefined) => readonly string[];
}

/**
 * Every field of a server's entry. Consent is required for fields that change the program, its directory, the address,
 * the data sent there, calls made without a request, or what models and other nodes get of the server. `free` fields
 * only change when, how long and how often an approved launch runs.
 */
const fields: Readonly<Record<keyof ServerEntry, AgreedField | 'free'>> = {
  command: {
    agreed: ({ command }) => command,
    lines: ({ words }) => (words.length === 0 ? [] : [line('runs', ...words.map(shownWord))]),
  },
  args: { agreed: ({ args }) => args, lines: () => [] }, // shown after the command
  cwd: {
    agreed: (_, runsIn) => runsIn,
    lines: (_, runsIn) => (runsIn === undefined ? [] : [line('in', shownWord(runsIn))]),
  },
  env: { agreed: ({ env }) => env, lines: ({ env }) => pairs('env', env) },
  url: { agreed: ({ url }) => url, lines: ({ url }) => (url === undefined ? [] : [line('connects', shownWord(url))]) },
  headers: { agreed: ({ headers }) => headers, lines: ({ headers }) => pairs('header', headers) },
  auth: { agreed: ({ auth }) => auth, lines: signInLines },
  health_check: { agreed: ({ health_check: check }) => calledTool(check), lines: checkLines },
  allowed_tools: {
    agreed: ({ allowed_tools: tools }) => tools,
    lines: ({ allowed_tools: tools }) =>
      tools === undefined ? [] : [line('offers', ...(tools.length === 0 ? ['nothing'] : tools.map(shownWord)))],
  },
  denied_tools: {
    agreed: ({ denied_tools: tools }) => (tools.length === 0 ? undefined : tools),
    lines: ({ denied_tools: tools }) => (tools.length === 0 ? [] : [line('without', ...tools.map(shownWord))]),
  },
  tools: {
    agreed: ({ tools = {} }) => (Object.keys(tools).length === 0 ? undefined : tools),
    lines: ({ tools = {} }) => Object.entries(tools).flatMap(([tool, override]) => overrideLines(tool, override)),
  },
  fleet: {
    agreed: ({ fleet }) => (fleet?.placement === 'pinned' ? undefined : fleet?.placement),
    lines: ({ fleet = { placement: 'pinned' } }) =>
      fleet.placement === 'pinned' ? [] : [line('fleet', fleet.placement)],
  },
  trusted: {
    agreed: ({ trusted }) => (trusted ? true : undefined),
    lines: ({ trusted }) => (trusted ? [line('repeats', 'calls of tools that it declares as safe to repeat')] : []),
  },
  package: 'free', // a name in install hints
  protocol: 'free',
  auto_start: 'free',
  eager: 'free',
  disabled: 'free',
  restart_on_failure: 'free',
  max_restart_attempts: 'free',
  health_check_interval_seconds: 'free',
  startup_timeout_seconds: 'free',
  shutdown_timeout_seconds: 'free',
  first_run_timeout_seconds: 'free',
  idle_stop_seconds: 'free',
  memory_limit_mb: 'free',
  max_concurrent_calls: 'free',
  max_queued_calls: 'free',
  queue_timeout_seconds: 'free',
  connections: 'free',
  max_tools: 'free',
  priority: 'free',
  type: 'free',
  tags: 'free',
};

/**
 * The parts of an entry that require consent, for a digest. Contains no value of a variable or reference.
 *
 * @param runsIn - Directory of the process with links resolved. `undefined`: there is no process.
 */
export function agreedParts(entry: WrittenLaunch, runsIn: string | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(agreedFields().map(([name, field]) => [name, field.agreed(entry, runsIn)]));
}

/** The same for display. */
export function agreedLines(entry: WrittenLaunch, runsIn: string | undefined): readonly string[] {
  return agreedFields().flatMap(([, field]) => field.lines(entry, runsIn));
}

export function line(label: string, ...words: readonly string[]): string {
  return `${label.padEnd(9)}${words.join(' ')}`;
}

function agreedFields(): readonly (readonly [string, AgreedField])[] {
  return Object.entries(fields).flatMap(([name, field]) => (field === 'free' ? [] : [[name, field] as const]));
}

function pairs(label: string, values: WrittenLaunch['env'] = {}): readonly string[] {
  return Object.entries(values).map(([key, value]) =>
    typeof value === 'string'
      ? line(label, `${shownWord(key)}=${shownWord(value)}`)
      : line('secret', shownWord(key), 'from', shownWord(value.secret_ref)),
  );
}

/** A stored sign-in is sent to its address even if the entry has no `auth`. */
function signInLines({ url, auth }: WrittenLaunch): readonly string[] {
  if (url === undefined) return [];
  if (auth === undefined) return [line('sign-in', 'yours for this address, if you have one')];
  const scopes = auth.scopes.length === 0 ? [] : ['with', ...auth.scopes.map(shownWord)];
  return [line('sign-in', shownWord(auth.provider), ...scopes)];
}

function checkLines({ health_check: check }: WrittenLaunch): readonly string[] {
  const called = calledTool(check);
  if (called?.tool === undefined) return [];
  const args = called.args === undefined ? [] : ['with', shownText(JSON.stringify(called.args))];
  return [line('calls', shownWord(called.tool), ...args, 'repeatedly, as a health check')];
}

function overrideLines(
  tool: string,
  { hidden, ...texts }: NonNullable<ServerEntry['tools']>[string],
): readonly string[] {
  const shown = Object.entries(texts).flatMap(([field, text]) =>
    text === undefined ? [] : [line('says', shownWord(tool), `${field}:`, shownWord(text))],
  );
  return hidden ? [...shown, line('hides', shownWord(tool))] : shown;
}

/** `undefined` for a ping, which calls no tool. */
function calledTool(check: ServerEntry['health_check']): Pick<NonNullable<typeof check>, 'tool' | 'args'> | undefined {
  return check?.method === 'tool_call' ? { tool: check.tool, args: check.args } : undefined;
}

/**
 * A complete word for display: quoted if it could be read as several words, with all invisible and control characters
 * escaped. Paths of Windows stay plain.
 */
export function shownWord(word: string): string {
  if (/^([\w@%+=:,./~*^{}$-]+|[A-Za-z]:\\[\w@%+=:,.~\\-]*)$/.test(word)) return word;
  return `"${shownText(word.replace(/[\\"]/g, (character) => `\\${character}`))}"`;
}

/** Quoted text, such as JSON, with the same characters escaped. */
export function shownText(text: string): string {
  return text.replace(invisible, escaped).replace(manyBlanks, (blanks) => '\\u{20}'.repeat(blanks.length));
}

/** Controls, format characters, white space other than the blank, and characters without a glyph. */
const invisible = /(?! )[\p{C}\p{Z}\p{Mn}\p{Me}\p{Variation_Selector}\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Enough blanks to fill a terminal row, which would make the following text look like a new row. */
const manyBlanks = / {24,}/g;

function escaped(character: string): string {
  const known = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }[character];
  return known ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
