import { maskTokens } from './secret-shapes.js';
import { namedSecretsIn } from './secret-texts.js';

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
  for (const secret of namedSecretsIn(line)) {
    masked += line.slice(end, secret.start) + starred(line.slice(secret.start, secret.end));
    end = secret.end;
  }
  return masked + line.slice(end);
}

function looksRandom(run: string): boolean {
  return /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && run.split('/').length <= 4;
}

/** Quotes stay, so that it can be seen that there is a value. */
function starred(value: string): string {
  return value.replace(/[^"'\s]/g, '*');
}
