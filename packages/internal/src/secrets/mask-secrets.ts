import type { TextRange } from '../text.js';
import { namedSecretsIn } from './named-secrets.js';
import { isNamedSecret, isSecretName, shapedSecretsIn } from './secret-shapes.js';

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
    if (isLikelyRandom(run)) yield { start: index, end: index + run.length };
  }
}

function isLikelyRandom(run: string): boolean {
  return /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && run.split('/').length <= 4;
}

/** Quotes stay, to show that there is a value. */
function starred(value: string): string {
  return value.replace(/[^"'\s]/g, '*');
}

// A key alone, with the beginning of its value, or with the mark of a block of text.
const keyLine =
  /^([ \t]*(?:-[ \t]+)*)["']?([\w.-]{2,200})["']?[ \t]*:((?:[ \t]+[&!]\S*)*)(?:[ \t]*|[ \t]+[|>][-+\d]{0,2}[ \t]*|[ \t]+[^\s"'[{|>#&!][^\n]*?)(?:[ \t]+#[^\n]*)?\r?$/gm;
// An option as an item of a list, and the first line of the next item.
const optionLine = /^[ \t]*-[ \t]+["']?--?([\w.-]{2,200})["']?[ \t]*\r?\n([ \t]*)-[ \t]+[^\s"'[{][^\n]*$/gm;

/** Lines of YAML that are the value of a secret named above them: a text or a list. */
function* secretBlocksIn(text: string): Iterable<TextRange> {
  let end = 0;
  for (const { 0: line, 1: indent = '', 2: name = '', index } of text.matchAll(keyLine)) {
    if (index < end || !isSecretName(name)) continue;
    const opensBlock = /:[^#]*[ \t][|>][-+\d]{0,2}[ \t]*(?:#.*)?\r?$/.test(line);
    const hasValue = !opensBlock && !/:(?:[ \t]+[&!]\S*)*[ \t]*(?:#.*)?\r?$/.test(line);
    const block = linesBelow(text, index + line.length, indent, !opensBlock && !hasValue);
    if (block === undefined || !isNamedSecret(name, textOf(line, block, text, hasValue))) continue;
    yield block;
    end = block.end;
  }
  for (const { 0: lines, 1: name = '', 2: indent = '', index } of text.matchAll(optionLine)) {
    const block = isSecretName(name) ? linesBelow(text, index + lines.length, indent, false) : undefined;
    if (block !== undefined && isNamedSecret(name, text.slice(block.start, block.end))) yield block;
  }
}

function textOf(line: string, { start, end }: TextRange, text: string, hasValue: boolean): string {
  const below = text.slice(start, end).replace(/^-[ \t]+/, '');
  return hasValue ? `${line.slice(line.indexOf(':') + 1).trim()} ${below}` : below;
}

/** The deeper indented lines. None for a mapping. */
function linesBelow(text: string, lineEnd: number, indent: string, mayBeList: boolean): TextRange | undefined {
  const column = indent.length;
  const ownColumn = indent.search(/\S|$/);
  let start: number | undefined;
  let end = lineEnd;
  for (let at = lineEnd + 1; at > 0 && at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline;
    const first = firstVisible(text, at, next);
    if (first < next) {
      const isItem = mayBeList && first - at >= ownColumn && text[first] === '-';
      if (first - at <= column && !isItem) break;
      if (start === undefined && mayBeList && isMapping(text.slice(first, Math.min(next, first + 300))))
        return undefined;
      start ??= first;
      end = next;
    }
    at = next + 1;
  }
  return start === undefined ? undefined : { start, end };
}

function firstVisible(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && /\s/.test(text.charAt(at))) at++;
  return at;
}

function isMapping(line: string): boolean {
  return /^(?:-[ \t]+)*(?:[{[]|(?:"[^"]*"|'[^']*'|[^\s"':,{}[\]#]+)[ \t]*:(?:\s|$))/.test(line);
}
