import type { TextRange } from '../text.js';
import { namedSecretsIn } from './named-secrets.js';
import { isNamedSecret, isStandIn, shapedSecretsIn } from './secret-shapes.js';

interface FoundSecret {
  /** The name before it, if that identifies it. */
  readonly name?: string;
}

export function secretIn(text: string, place?: 'field'): FoundSecret | undefined {
  for (const { name } of secretsIn(text, place)) return name === undefined ? {} : { name };
  return undefined;
}

/**
 * The secrets in a text, by kind and then by position: known shapes, passwords and parameters of URLs, named values. In a
 * `field`, such as an argument, values may be short.
 */
export function* secretsIn(text: string, place?: 'field'): Iterable<FoundSecret & TextRange> {
  if (text.length < shortest) return;
  yield* shapedSecretsIn(text);
  const isAddress = text.includes('://');
  if (isAddress) yield* secretsInAddresses(text);
  const rest = isAddress ? text.replace(query, (found) => ' '.repeat(found.length)) : text;
  for (const { name, nameStart, isAssigned, start, end } of namedSecretsIn(rest, place)) {
    const isPartOfName = /[/@\\]/.test(rest.charAt(nameStart - 1)); // as in the image `acme/token:latest`
    if (isAssigned && !isPartOfName) yield { name, start, end };
  }
}

/** All known secrets are longer. */
const shortest = 8;
const query = /\?[^#\s"']*/g;
const parameter = /([?&]([\w.-]{1,80})=)([^&#\s"']*)/g;
const passwordInUrl = /(:\/\/[^\s/?#:@]{0,80}:)([^\s/?#@]+)(?=@)/g;

function* secretsInAddresses(text: string): Iterable<FoundSecret & TextRange> {
  for (const { 1: before = '', 2: password = '', index } of text.matchAll(passwordInUrl)) {
    const start = index + before.length;
    if (!/^(\$\{|\{\{)/.test(password) && !isStandIn(password)) yield { start, end: start + password.length };
  }
  for (const { 1: before = '', 2: name = '', 3: value = '', index } of text.matchAll(parameter)) {
    const start = index + before.length;
    if (isNamedSecret(name, value, 'field')) yield { name, start, end: start + value.length };
  }
}

interface SecretWord extends FoundSecret {
  readonly index: number;
  readonly text: string;
  /** True if the whole word is the secret. */
  readonly isWhole: boolean;
}

export function secretsInWords(words: readonly string[]): readonly SecretWord[] {
  return words.flatMap((text, index) => {
    const option = /^--?([\w.-]{2,80})$/.exec(words[index - 1] ?? '')?.[1];
    const isWhole = option !== undefined && !text.startsWith('-') && isNamedSecret(option, text, 'field');
    const found = isWhole ? { name: option } : secretIn(text, /\s/.test(text) ? undefined : 'field');
    return found === undefined ? [] : [{ ...found, index, text, isWhole }];
  });
}
