import type { TextRange } from '../text/text-range.js';
import { namedSecretsIn } from './named-secrets.js';
import { secretBlocksIn } from './secret-blocks.js';
import { shapedSecretsIn } from './secret-shapes.js';

/**
 * A text with a star for each character of a secret, recognized by its shape or by the name before it. Prefers hiding
 * too much.
 */
export function maskSecrets(text: string): string {
  const ranges = [
    ...shapedSecretsIn(text),
    ...valuesBehind(userInfo, text),
    ...valuesBehind(noReference, text),
    ...randomRunsIn(text),
    ...namedSecretsIn(text),
    ...secretBlocksIn(text),
  ];
  let masked = '';
  let end = 0;
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const start = Math.max(range.start, end);
    if (range.end <= start) continue;
    masked += text.slice(end, start) + starred(text.slice(start, range.end));
    end = range.end;
  }
  return masked + text.slice(end);
}

const userInfo = /(:\/\/[^\s/:@]{0,80}:)([^\s/@]+)(?=@)/g;
// A secret in place of a reference to it.
const noReference = /(secret_ref["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)(?![a-z][a-z0-9+.-]{0,80}:)([^\s"',{}[\]]+)/g;
const longRun = /[A-Za-z0-9+/=_-]{40,}/g;

function* valuesBehind(pattern: RegExp, text: string): Iterable<TextRange> {
  for (const { 1: before = '', 2: value = '', index } of text.matchAll(pattern)) {
    const start = index + before.length;
    yield { start, end: start + value.length };
  }
}

function* randomRunsIn(text: string): Iterable<TextRange> {
  for (const { 0: run, index } of text.matchAll(longRun)) {
    if (looksRandom(run)) yield { start: index, end: index + run.length };
  }
}

function looksRandom(run: string): boolean {
  return /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && run.split('/').length <= 4;
}

/** Quotes stay, to show that there is a value. */
function starred(value: string): string {
  return value.replace(/[^"'\s]/g, '*');
}
