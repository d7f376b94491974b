import { isSecretName, isWrittenOut, maskTokens } from './secret-shapes.js';

// A name and what follows it: `name: value`, `"name": "value"`, `--name=value`, `--name value`, `"--name", "value"`.
const namedValue =
  /([\w.-]{2,80})(["']?\s{0,20}[:=]\s{0,20}|["']?[\s,]{1,20})("(?:[^"\\]|\\.)*"?|'[^']*'?|\$\{[^}\n]*\}[^\s,]*|[^\s"',{}[\]][^,{}[\]\n]*)/g;
const userInfo = /(:\/\/[^\s/:@]{0,80}:)([^\s/@]+)(?=@)/g;
const longRun = /[A-Za-z0-9+/=_-]{40,}/g;

/**
 * A line of a text with every secret in it starred out, one star a character so that columns stay where they are. Made
 * for showing lines to people: it would rather hide too much than too little.
 */
export function maskSecrets(line: string): string {
  const masked = maskTokens(line, starred)
    .replace(userInfo, (_, before: string, password: string) => before + starred(password))
    .replace(longRun, (run) => (looksRandom(run) ? starred(run) : run));
  return maskNamedValues(masked);
}

function maskNamedValues(line: string): string {
  let masked = '';
  let end = 0;
  for (namedValue.lastIndex = 0; ; ) {
    const match = namedValue.exec(line);
    if (match === null) return masked + line.slice(end);
    const [, name = '', between = '', value = ''] = match;
    const start = match.index + name.length + between.length;
    const isSecret = isSecretName(name.replace(/^-+/, '')) && isWrittenOut(value.replace(/^["']|["']$/g, ''));
    // A value that is no secret may itself be the name of one, as in `args: [--token, …]`.
    if (!isSecret) {
      namedValue.lastIndex = match.index + name.length;
      continue;
    }
    masked += line.slice(end, start) + starred(value);
    end = start + value.length;
    namedValue.lastIndex = end;
  }
}

function looksRandom(run: string): boolean {
  return /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && run.split('/').length <= 4;
}

/** Quotes stay, so that it can be seen that there is a value. */
function starred(value: string): string {
  return value.replace(/[^"'\s]/g, '*');
}
