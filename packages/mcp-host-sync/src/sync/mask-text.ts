import { isSecretName, maskSecrets } from '@x/internal/secrets';
import type { JsonValue } from '../edit/document-shape.js';

// For showing to people, where it is better to hide too much than too little: a name need only sound like a secret.

export const mask = '***';
const soundsSecret =
  /token|secret|passw|passphrase|credential|authori[sz]ation|bearer|cookie|session|signature|(?:api|private|access|auth)[-_ ]?key/i;
const shortSecret = /(?:^|[^A-Za-z])(?:pwd|pass|pat|auth)$/i;

export function isHiddenName(name: string): boolean {
  return soundsSecret.test(name) || shortSecret.test(name) || isSecretName(name);
}

/** Command lines: what follows an option that takes a secret, besides what each word holds by itself. */
export function maskWords(words: readonly JsonValue[], maskWord: (word: JsonValue) => JsonValue): readonly JsonValue[] {
  return words.map((word, index) => {
    const masked = maskWord(word);
    if (typeof word !== 'string' || typeof masked !== 'string') return masked;
    const option = words[index - 1];
    if (typeof option === 'string' && /^--?[A-Za-z][\w.-]*$/.test(option)) {
      if (headerOption.test(option)) return maskHeader(word, masked);
      if (isSecretOption(option)) return isReferenceOnly(word) ? masked : mask;
      if (/^(?:-u|--user)$/.test(option)) return masked.replace(/^([^:\s]+:)[^/\\].*$/s, `$1${mask}`);
    }
    return isAttachedPassword(word) ? `-p${mask}` : masked;
  });
}

const headerOption = /^(?:--?header|-H)$/;

/** References are no secrets, nor is the name of a header. */
function maskHeader(word: string, masked: string): string {
  const [name = ''] = /^[\w-]+: ?/.exec(word) ?? [];
  return isReferenceOnly(word.slice(name.length)) ? masked : name + mask;
}

function isSecretOption(option: string): boolean {
  return isHiddenName(option) || /auth|key|cred/i.test(option);
}

/** As `mysql` and its like take one. Ports and whole words are none. */
function isAttachedPassword(word: string): boolean {
  return (
    /^-p[^\s=:/]{4,}$/.test(word) && !/^-p(?:\d+|(?:ort|ath|rint|refix|roject|rofile|ackage|lugin|roxy)s?)$/.test(word)
  );
}

/** What a text carries in the open: `user:password@`, telling parameters, `Password=…;`, `X-Api-Key: …`, known keys. */
export function maskParts(text: string): string {
  const shown = text
    .replace(/(:\/\/)[^/?#\s@]+@/g, `$1${mask}@`)
    .replace(/([?&#])([^?=&#\s]{1,200})=([^&#\s]*)/g, maskParameter);
  return maskSecrets(maskNamed(shown)).replace(/\*{3,}/g, mask);
}

function maskParameter(whole: string, start: string, name: string): string {
  return isHiddenName(name) || /key|auth|sig|access|code|pass/i.test(name) ? `${start}${name}=${mask}` : whole;
}

const nameBefore = /(?<![\w./@\\-])([\w.-]{2,200})(["']?[ \t]{0,20}[:=][ \t]{0,20})/g;
// In quotes, or up to what ends it in connection strings, JSON and command lines.
const valueBehind = /"(?:[^"\\]|\\.)*"?|'[^']*'?|(?:\$?\{[^{}\n]*\}|[^;&,"'{}\n])+/y;

function maskNamed(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: before, 1: name = '', index } of text.matchAll(nameBefore)) {
    const start = index + before.length;
    if (start < end || !isHiddenName(name)) continue;
    valueBehind.lastIndex = start;
    const [value] = valueBehind.exec(text) ?? [];
    if (value === undefined || isReferenceOnly(value)) continue;
    const [quote = ''] = /^["']/.exec(value) ?? [];
    shown += text.slice(end, start) + quote + mask + quote;
    end = start + value.length;
  }
  return shown + text.slice(end);
}

/** `${NAME}`, `${env:NAME}`, `${{ secrets.NAME }}`, `{env:NAME}`, also behind the word before a token. */
function isReferenceOnly(value: string): boolean {
  const [, reference] =
    /^["']?(?:Bearer |Basic |token )?(\$\{[^{}]*\}|\$\{\{[^{}]*\}\}|\{env:\w+\})["']?$/i.exec(value) ?? [];
  return reference !== undefined && !reference.includes(':-');
}
