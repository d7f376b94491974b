import { canonicalJson, isSameJson } from '@x/internal/json';
import { escapeHidden } from '@x/internal/text';
import { structuredPatch } from 'diff';
import { PINNED_FIELDS, type PinnedDefinition } from './pinned-definition.js';

const CONTEXT_LINES = 3;
/** Texts with more different lines are shown one after the other: a search for common lines would cost too much. */
const MAX_EDITS = 2_000;
const MAX_LINES = 5_000;
const MAX_LINE_LENGTH = 160;
const CONTINUED = '  ↳ ';

/**
 * Two definitions as a unified diff, a field at a time; empty only if they are equal. Without `before`, everything is
 * new. Schemas are shown as indented JSON with sorted keys, so that only content differs; long lines are folded after
 * sentences, so that one new sentence is one new line.
 *
 * @param redact - Receives the value of each field before it is folded: a fold could hide a secret from it. A field
 * that differs only in what this hides is shown as two equal lines. Default: returns the value.
 */
export function toolDiff(
  before: PinnedDefinition | undefined,
  after: PinnedDefinition,
  redact: (value: unknown) => unknown = (value) => value,
): string {
  return PINNED_FIELDS.flatMap((field) => {
    const [old, next] = [before?.[field], after[field]];
    return isSameJson(old, next) ? [] : fieldDiff(field, redact(old), redact(next));
  }).join('\n');
}

function fieldDiff(field: string, before: unknown, after: unknown): readonly string[] {
  const lines = linesBetween(textOf(before), textOf(after));
  // Different texts can fold to the same lines, but as JSON they differ.
  const shown = lines.length > 0 ? lines : [`-${canonicalJson(before)}`, `+${canonicalJson(after)}`];
  // Hidden characters become visible: they may be the only change.
  return [`--- ${field} (approved)`, `+++ ${field} (offered)`, ...cutLines(shown).map(escapeHidden)];
}

function linesBetween(before: string, after: string): readonly string[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return [...marked('-', before), ...marked('+', after)];
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...lines,
  ]);
}

/** @param text - Lines that each end with a line feed. */
function marked(mark: string, text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => mark + line);
}

/** For an empty side, unified diffs give the line before, not the first one. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function cutLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines that differ`];
}

/** As lines that each end with a line feed: a missing one would be a difference of its own. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
  return `${text.split('\n').flatMap(foldLine).join('\n')}\n`;
}

function foldLine(line: string): readonly string[] {
  if (line.length <= MAX_LINE_LENGTH) return [line];
  const sentences = line.split(/(?<=[.!?;] )/u).flatMap(cutSentence);
  return sentences.map((sentence, index) => (index === 0 ? sentence : CONTINUED + sentence));
}

function cutSentence(sentence: string): readonly string[] {
  return Array.from(sentence.matchAll(new RegExp(`.{1,${MAX_LINE_LENGTH}}`, 'gsu')), ([part]) => part);
}
