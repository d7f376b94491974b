import type { TextRange } from '../text.js';

// Keys of services, by their prefixes. Parts before other text are bounded: a text that repeats the prefix would take
// quadratic time.
const tokenShapes = [
  'gh[opsur]_[A-Za-z0-9]{20,}', // GitHub
  String.raw`github_pat_\w{20,}`,
  String.raw`gl(?:pat|dt|ptt|rt|ft|soat|cbt)-[\w-]{16,}`, // GitLab
  String.raw`sk-(?=[\w-]{0,200}\d)[\w-]{16,}`, // OpenAI, Anthropic, OpenRouter
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}', // Stripe
  'whsec_[A-Za-z0-9+/=]{16,}',
  'xox[a-z]-[A-Za-z0-9-]{10,}', // Slack
  String.raw`xapp-\d-[A-Za-z0-9-]{10,}`,
  '(?:AKIA|ASIA)[A-Z0-9]{16}', // AWS
  String.raw`AIza[\w-]{30,}`, // Google
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  'npm_[A-Za-z0-9]{30,}',
  String.raw`pypi-[\w-]{30,}`,
  'hf_[A-Za-z0-9]{20,}', // Hugging Face
  '(?:secret|ntn)_[A-Za-z0-9]{30,}', // Notion
  'lin_api_[A-Za-z0-9]{20,}', // Linear
  String.raw`tvly-[\w-]{16,}`, // Tavily
  'fc-[a-f0-9]{32}', // Firecrawl
  'pplx-[A-Za-z0-9]{20,}', // Perplexity
  'gsk_[A-Za-z0-9]{20,}', // Groq
  'dop_v1_[a-f0-9]{32,}', // DigitalOcean
  String.raw`SG\.[\w-]{16,100}\.[\w-]{16,}`, // SendGrid
  'sbp_[a-f0-9]{32,}', // Supabase
  String.raw`eyJ[\w-]{8,500}\.eyJ[\w-]{8,500}\.[\w-]{8,}`, // JSON Web Token
].join('|');

const tokenPattern = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${tokenShapes})[\w.+/=-]*`, 'g');
// To its end, or to that of the text.
const privateKeyPattern = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\s\S])*/g;

const secretWords = 'token|secret|password|passwd|passphrase|pass|credentials?|pat|auth';
const secretKeys = '(?:api|access|auth|private|secret|signing|encryption|service|account|client)key';
const otherKeys = 'public|primary|foreign|sort|partition|range|cache|row|object|group|index|idempotency|hot';
const keysOfServices = `(?!(?:${otherKeys})[_-])[a-z\\d]+[_-]key`;

// The word must end the name: `MAX_TOKENS` is no secret.
const secretNamePattern = new RegExp(`(?:^|[^A-Za-z])(?:${secretWords}|${secretKeys}|${keysOfServices})$`, 'i');
const joinedNamePattern =
  /[a-z\d](?:Token|Secret|Pass|Credentials?|(?:[aA]pi|[aA]ccess|[aA]uth|[pP]rivate|[sS]ecret)Key)$/;
const unmistakableNamePattern = /(?:password|passwd|passphrase|apikey)$/i;
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** True for a name whose value should not be in a file, such as `GITHUB_TOKEN`, `apiKey` or `Authorization`. */
export function isSecretName(name: string): boolean {
  if (name.length > 256) return false;
  const patterns = [secretNamePattern, joinedNamePattern, unmistakableNamePattern];
  return secretHeaders.has(name.toLowerCase()) || patterns.some((pattern) => pattern.test(name));
}

/**
 * True for a value that should not be in a file, by its name. `auth: disabled` is a mode, not a secret.
 *
 * @param place - `text`: name and value are words of a text, in which short ones are usually no secrets. `field`: an
 *   environment variable, option or parameter. `header`: of a request.
 */
export function isNamedSecret(name: string, value: string, place: 'text' | 'field' | 'header' = 'text'): boolean {
  if (!isSecretName(name) || isSetting(name, value.trim()) || !isWrittenOut(value, shortestIn(place, name)))
    return false;
  return !/(?:^|[^A-Za-z])auth$/i.test(name) || !wayToSignIn.test(value);
}

const wayToSignIn =
  /^(?:oauth[\d.]*|digest|kerberos|negotiate|required|optional|enabled|disabled|anonymous|api[_-]?key|\w+ auth)$/i;

/** True for a switch, and for a number of tokens, such as `MAX_TOKEN=4096`. */
function isSetting(name: string, value: string): boolean {
  if (/^(?:on|off|yes|no|[01])$/i.test(value)) return true;
  return /^\d{1,9}$/.test(value) && /(?:^|[^A-Za-z])(?:max|min|num)(?:[_.-]\w*)?token$/i.test(name);
}

function shortestIn(place: 'text' | 'field' | 'header', name: string): number {
  if (place === 'header') return 1;
  const mayBeMode = /(?:^|[^A-Za-z])(?:pass|pat|auth|credentials?)$/i.test(name);
  return place === 'field' && !mayBeMode ? 3 : 6;
}

/** Keys of a known shape, under any name. */
export function* shapedSecretsIn(text: string): Iterable<TextRange> {
  yield* matchesOf(tokenPattern, text);
  if (text.includes('-----BEGIN')) yield* matchesOf(privateKeyPattern, text);
  for (const { 1: scheme = '', 2: token = '', index } of text.matchAll(bearerPattern)) {
    const start = index + scheme.length;
    yield { start, end: start + token.length };
  }
}

// Without a digit it is usually a word: "basic authentication".
const bearerPattern = /(\b(?:bearer|basic)\s{1,20})(?=[\w.~+/-]{0,500}\d)([\w.~+/-]{8,}=*)/gi;

function* matchesOf(pattern: RegExp, text: string): Iterable<TextRange> {
  for (const { 0: found, index } of text.matchAll(pattern)) yield { start: index, end: index + found.length };
}

/** True for a placeholder, such as `<your token>` or `changeme`. */
export function isStandIn(value: string): boolean {
  return standInPattern.test(value);
}

const standInPattern =
  /^(?:<.*>|\[.*\]|\(.*\)|[*x.•_-]+|(?:your|enter|insert|replace|todo|changeme|example|dummy|placeholder).*|.*[-_ ](?:here|placeholder|example)|none|null|undefined|true|false)$/is;

/** True if a value is written in clear, and not a variable, a path or a placeholder. */
function isWrittenOut(value: string, shortest: number): boolean {
  const written = writtenPieces(value).join('').trim();
  const literal = withoutScheme(written);
  const least = literal === written ? shortest : 1;
  return (
    literal.length >= least &&
    ![pathPattern, fileNamePattern, shellVariable].some((each) => each.test(literal)) &&
    !isStandIn(literal)
  );
}

const pathPattern = /^(?:[~.]{0,2}[/\\]|[A-Za-z]:\\|file:)/;
const fileNamePattern = /^[\w./\\-]{1,200}\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|toml|ini|env|txt)$/i;
/** `$NAME`, `$env:NAME` and `%NAME%`. */
const shellVariable = /^(?:\$(?:env:)?[A-Z_][A-Z\d_]*|%[A-Z_][A-Z\d_]*%)$/;

/** The literal pieces of a value, without the word before a token. */
export function literalsOf(value: string): readonly string[] {
  return writtenPieces(value).map(withoutScheme);
}

function withoutScheme(text: string): string {
  return text.replace(/^\s*(bearer|basic|token)\b/i, '').trim();
}

/** The text between templates `${…}` and `{{…}}`, and their defaults. */
function writtenPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: template, 1: body, index } of text.matchAll(/\$\{([^}]*)\}|\{\{[^}]*\}\}/g)) {
    pieces.push(text.slice(end, index), body?.split(':-')[1] ?? '');
    end = index + template.length;
  }
  return [...pieces, text.slice(end)];
}
