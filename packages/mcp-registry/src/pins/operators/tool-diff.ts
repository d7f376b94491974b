import { canonicalJson, isSameJson } from '@x/internal/json';
import { escapeHidden } from '@x/internal/text';
import { structuredPatch } from 'diff/lib/patch/create.js';
import { PINNED_FIELDS, type PinnedDefinition } from '../pinned-definition.js';

const CONTEXT_LINES = 3;
/** Beyond this number of edits, common lines are not searched. */
const MAX_EDITS = 2_000;
const MAX_LINES = 5_000;
const MAX_LINE_LENGTH = 160;
const CONTINUED = '  ↳ ';

/**
 * A unified diff per field; empty only for equal definitions. Schemas are indented JSON with sorted keys. Long lines
 * are folded after sentences.
 *
 * @param redact - As in `DiffOptions`.
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
  // Different texts may fold to equal lines.
  const shown = lines.length > 0 ? lines : [`-${canonicalJson(before)}`, `+${canonicalJson(after)}`];
  // A hidden character may be the only change.
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

function marked(mark: string, text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => mark + line);
}

/** Unified diffs count the line before an empty side. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function cutLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines that differ`];
}

/** Each line ends with a line feed, because a missing one would be a difference. */
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
