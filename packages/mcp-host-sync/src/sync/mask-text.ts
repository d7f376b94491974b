import { isSecretName, maskSecrets } from '@x/internal/secrets';
import type { JsonValue } from '../edit/document.js';

// Masking for display: hiding too much is better than too little.

export const mask = '***';
const soundsSecret =
  /token|secret|passw|passphrase|credential|authori[sz]ation|bearer|cookie|session|signature|(?:api|private|access|auth)[-_ ]?key/i;
const shortSecret = /(?:^|[^A-Za-z])(?:pwd|pass|pat|auth)$/i;

export function isHiddenName(name: string): boolean {
  return soundsSecret.test(name) || shortSecret.test(name) || isSecretName(name);
}

/** Masks a command line: values after options for secrets, and secrets within words. */
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

/** Shows references and header names. */
function maskHeader(word: string, masked: string): string {
  const [name = ''] = /^[\w-]+: ?/.exec(word) ?? [];
  return isReferenceOnly(word.slice(name.length)) ? masked : name + mask;
}

function isSecretOption(option: string): boolean {
  return isHiddenName(option) || /auth|key|cred/i.test(option);
}

/** The `-p` option of `mysql` and similar programs. Excludes ports and whole words. */
function isAttachedPassword(word: string): boolean {
  return (
    /^-p[^\s=:/]{4,}$/.test(word) && !/^-p(?:\d+|(?:ort|ath|rint|refix|roject|rofile|ackage|lugin|roxy)s?)$/.test(word)
  );
}

/** Masks secrets within a text: `user:password@`, query parameters, `Password=…;`, known key formats. */
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
// A quoted value, or the text up to a separator.
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

/** `${NAME}`, `${env:NAME}`, `${{ secrets.NAME }}` or `{env:NAME}`, optionally after an authorization scheme. */
function isReferenceOnly(value: string): boolean {
  const [, reference] =
    /^["']?(?:Bearer |Basic |token )?(\$\{[^{}]*\}|\$\{\{[^{}]*\}\}|\{env:\w+\})["']?$/i.exec(value) ?? [];
  return reference !== undefined && !reference.includes(':-');
}
