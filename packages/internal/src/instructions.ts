import type { OptionRows } from './options.js';
import { toTerminalText } from './terminal-text.js';
import { quote, startOf } from './text.js';
import type { ServerInstructions } from './views/view-keys.js';

/** Options of a text of instructions. */
export interface InstructionsOptions {
  /** Maximum length of the text, in characters. Default 4 000; 0 leaves everything out. */
  readonly maxCharacters?: number | undefined;
}

export const instructionsRows = {
  maxCharacters: { kind: 'number', of: 'characters', min: 0, max: 1_000_000, default: 4_000 },
} as const satisfies OptionRows<InstructionsOptions>;

/** Of one server, in characters: as of a description. */
const MAX_OF_SERVER = 32_768;
/** A server with less room is left out. */
const LEAST = 80;
const INTRODUCTION = 'Instructions of the servers behind these tools, in their own words:';
const CUT = ' […]';

interface Part {
  readonly heading: string;
  readonly body: string;
}

/**
 * One text with the instructions of several servers. A short one leaves its room to longer ones. Each line of a server
 * begins with `>`, so no server can speak as another one.
 */
export function composeInstructions(servers: readonly ServerInstructions[], maxCharacters: number): string {
  const parts = servers.map(toPart).filter(({ body }) => body !== '');
  const kept = fittingParts(parts, maxCharacters);
  if (kept.length === 0) return '';
  const note = noteFor(parts.length - kept.length);
  const room = maxCharacters - INTRODUCTION.length - note.length - total(kept.map(({ heading }) => heading));
  const lengths = shares(kept, room);
  const texts = kept.map((part) => part.heading + cut(part.body, lengths.get(part) ?? 0));
  return INTRODUCTION + texts.join('') + note;
}

function toPart({ server, text }: ServerInstructions): Part {
  const start = startOf(text, MAX_OF_SERVER);
  const lines = toTerminalText(start, { lines: 'keep' })
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .split('\n');
  const plain = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const whole = start === text ? plain : cutEnd(plain) + CUT;
  const body = whole.replace(/^/gm, '> ').replace(/^> $/gm, '>');
  return { heading: `\n\n${quote(server)}:\n`, body: plain === '' ? '' : body };
}

/** The first ones, if not all fit. */
function fittingParts(parts: readonly Part[], maxCharacters: number): readonly Part[] {
  let used = INTRODUCTION.length;
  const ends = parts.map(({ heading, body }) => (used += heading.length + Math.min(body.length, LEAST)));
  const fits = (end: number, index: number) => end + noteFor(parts.length - index - 1).length <= maxCharacters;
  return parts.slice(0, ends.findLastIndex(fits) + 1);
}

function noteFor(others: number): string {
  return others === 0 ? '' : `\n\n${others} more ${others === 1 ? 'server has' : 'servers have'} instructions.`;
}

/** Equal shares of the room, of which short bodies take only what they need. */
function shares(parts: readonly Part[], room: number): ReadonlyMap<Part, number> {
  let [left, waiting] = [room, parts.length];
  const shortestFirst = parts.toSorted((one, other) => one.body.length - other.body.length);
  return new Map(
    shortestFirst.map((part) => {
      const length = Math.min(part.body.length, Math.floor(left / waiting));
      left -= length;
      waiting -= 1;
      return [part, length];
    }),
  );
}

/** Cuts after a word if there is one near the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return cutEnd(startOf(text, length - CUT.length)) + CUT;
}

/** Without half a word, spaces and `>` at the end. Patterns that end in `+$` would take quadratic time. */
function cutEnd(start: string): string {
  const word = start.search(/\s\S*$/);
  let end = word > start.length * 0.7 ? word : start.length;
  while (end > 0 && /[\s>]/.test(start.charAt(end - 1))) end -= 1;
  return start.slice(0, end);
}

function total(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
