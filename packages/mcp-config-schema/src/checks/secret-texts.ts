import { hasSecretShape, isNamedSecret, isSecretName, isStandIn } from './secret-shapes.js';

/** A value in a text that is known for a secret by the name before it. */
export interface NamedSecret {
  readonly name: string;
  /** Where the name starts. */
  readonly nameStart: number;
  /** Where the value starts and ends. */
  readonly start: number;
  readonly end: number;
  /** A `:` or a `=` says whose value it is, and not only that it follows. */
  readonly isAssigned: boolean;
}

// A name and what comes between it and its value: `name: `, `"name": "`, `--name=`, `--name `, `"--name", "`.
const beforeValue = /([\w.-]{2,80})(["']?\s{0,20}[:=]\s{0,20}|["']?[\s,]{1,20})(?=[^\s,{}[\]])/g;
// As much of a value as it takes to judge it: values that are none would otherwise be read again for each name in them.
const valueHead =
  /"(?:[^"\\]|\\.){0,200}"?|'[^']{0,200}'?|\$\{[^}\n]{0,200}\}[^\s,]{0,200}|[^\s"',{}[\]][^,{}[\]\n]{0,200}/y;
const restOfValue = { '"': /(?:[^"\\]|\\.)*"?/y, "'": /[^']*'?/y, plain: /[^,{}[\]\n]*/y } as const;

/** Every value under the name of a secret, as in `API_KEY=…`, `Authorization: Bearer …`, `--password …`, `"token": "…"`. */
export function* namedSecretsIn(text: string): Iterable<NamedSecret> {
  const pattern = new RegExp(beforeValue);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [before, name = '', between = ''] = match;
    const nameStart = match.index;
    const start = nameStart + before.length;
    const head = isSecretName(bare(name)) ? (matchAt(valueHead, text, start) ?? '') : '';
    const isSecret = isNamedSecret(bare(name), head.replace(/^["']|["']$/g, ''));
    // A value that is no secret may itself be the name of one, as in `args: [--token, …]`.
    pattern.lastIndex = nameStart + name.length;
    if (!isSecret) continue;
    const end = endOfValue(text, start, head);
    yield { name, nameStart, start, end, isAssigned: /[:=]/.test(between) };
    pattern.lastIndex = end;
  }
}

function bare(name: string): string {
  return name.replace(/^-+/, '');
}

function endOfValue(text: string, start: number, head: string): number {
  const end = start + head.length;
  if (head.length <= 200) return end;
  const kind = head[0] === '"' || head[0] === "'" ? head[0] : 'plain';
  return end + (matchAt(restOfValue[kind], text, end)?.length ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A secret that a text holds, whatever it is the value of. */
export interface HeldSecret {
  /** The name before it, if it is known by that. */
  readonly name?: string;
}

/**
 * The first secret in a text: a key of a known shape, an address with a password or a telling parameter, or a value
 * under a telling name, as in `API_KEY=…` and `X-Api-Key: …`.
 */
export function secretIn(text: string): HeldSecret | undefined {
  if (text.length < shortest) return undefined;
  if (hasSecretShape(text) || hasPasswordInUrl(text)) return {};
  const isAddress = text.includes('://');
  for (const [, name = '', value = ''] of isAddress ? text.matchAll(parameter) : []) {
    if (isNamedSecret(name, value)) return { name };
  }
  const rest = isAddress ? text.replace(query, ' ') : text;
  for (const { name, nameStart, isAssigned } of namedSecretsIn(rest)) {
    const isPartOfName = /[/@\\]/.test(rest.charAt(nameStart - 1)); // as in the image `acme/token:latest`
    if (isAssigned && !isPartOfName) return { name };
  }
  return undefined;
}

/** Nothing that is known here is shorter; most words of most commands are. */
const shortest = 8;
const query = /\?[^#\s"']*/g;
const parameter = /[?&]([\w.-]{1,80})=([^&#\s"']*)/g;
const passwordInUrl = /:\/\/[^\s/?#:@]{0,80}:([^\s/?#@]+)(?=@)/g;

function hasPasswordInUrl(text: string): boolean {
  for (const [, password = ''] of text.matchAll(passwordInUrl)) {
    if (!/^(\$\{|\{\{)/.test(password) && !isStandIn(password)) return true;
  }
  return false;
}

/** A word of a command line that holds a secret. */
export interface SecretWord extends HeldSecret {
  readonly index: number;
}

/** The words of a command line that hold secrets, by themselves or because of the option before them. */
export function secretsInWords(words: readonly string[]): readonly SecretWord[] {
  return words.flatMap((word, index) => {
    const option = /^--?([\w.-]{2,80})$/.exec(words[index - 1] ?? '')?.[1];
    const isItsValue = option !== undefined && !word.startsWith('-') && isNamedSecret(option, word);
    const held = isItsValue ? { name: option } : secretIn(word);
    return held === undefined ? [] : [{ index, ...held }];
  });
}
