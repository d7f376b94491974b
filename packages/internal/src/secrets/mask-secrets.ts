import type { TextRange } from '../text/text-range.js';
import { namedSecretsIn } from './named-secrets.js';
import { secretBlocksIn } from './secret-blocks.js';
import { shapedSecretsIn } from './secret-shapes.js';

/**
 * A text with every secret in it starred out, one star a character so that lines and columns stay where they are. A
 * secret is known by its shape, or by the name before it, which may stand on a line above. Made for showing lines to
 * people: it would rather hide too much than too little.
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
// The secret itself, where a reference to it should be.
const noReference = /(secret_ref["']?[ \t]{0,20}[:=][ \t]{0,20}["']?)(?![a-z][a-z0-9+.-]{0,80}:)([^\s"',{}[\]]+)/g;
const longRun = /[A-Za-z0-9+/=_-]{40,}/g;

/** The second group of a pattern, behind the first. */
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

/** Quotes stay, so that it can be seen that there is a value. */
function starred(value: string): string {
  return value.replace(/[^"'\s]/g, '*');
}
