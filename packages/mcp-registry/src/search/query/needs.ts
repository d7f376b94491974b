import { actionOf } from '../words/actions.js';
import { STOP_WORDS, VAGUE_WORDS } from '../words/stop-words.js';
import { TASK_VERBS } from '../words/task-verbs.js';
import { splitRuns } from '../words/tokenize.js';
import { maskLiterals } from './keyword-query.js';

const MAX_NEEDS = 6;
/** "read and write files" names one object twice, so it is one need. */
const MIN_WORDS = 2;

const COURTESY =
  /^(?:(?:also|can|could|finally|first|help|i|just|kindly|like|me|need|next|now|please|then|to|us|want|will|would|you)\b[\s,]*)*/i;
const TRAIL = /(?:\.? (?:also|finally|next|then),?|[.;,])$/i;
const JOINT = /(?<=[.!?;]) |\n|,? (?:and )?then[ ,]|,? and |, /gi;

/**
 * Splits a task where a sentence or clause begins with a verb: `read a.csv and plot it`. A comma alone splits only a list
 * that has an "and" as well, because models write synonyms between commas.
 *
 * @returns At most 6 parts in order; none for a single need.
 */
export function splitNeeds(query: string): readonly string[] {
  const text = query.trim().replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '));
  const masked = maskLiterals(text);
  const hasAnd = / (?:and|then) /i.test(masked);
  const joints = Array.from(masked.matchAll(JOINT)).filter(([joint]) => hasAnd || joint.trim() !== ',');
  const starts = [0, ...joints.map(({ index, 0: joint }) => index + joint.length)];
  const needs: string[] = [];
  let from = 0;
  let hasVerb = false;
  for (const [at, start] of starts.entries()) {
    if (!isNeed(text.slice(start, joints[at]?.index))) continue;
    if (hasVerb && needs.length < MAX_NEEDS - 1) {
      needs.push(
        text
          .slice(from, joints[at - 1]?.index)
          .trim()
          .replace(TRAIL, ''),
      );
      from = start;
    }
    hasVerb = true;
  }
  return needs.length === 0 ? [] : [...needs, text.slice(from).trim().replace(TRAIL, '')];
}

function isNeed(clause: string): boolean {
  const verb = /^[a-z]+/i.exec(clause.replace(COURTESY, ''))?.[0].toLowerCase() ?? '';
  if (actionOf(verb) === undefined && !TASK_VERBS.has(verb)) return false;
  const words = splitRuns(clause).flatMap((run) => run.words);
  return words.filter((word) => !STOP_WORDS.has(word) && !VAGUE_WORDS.has(word)).length >= MIN_WORDS;
}
