// Word, digits, capitals, other letters of Latin scripts, blanks, marks, and all else, one by one.
const PIECE =
  / ?([a-z]+)|([0-9]+)|([A-Z]+)|([\u00c0-\u052f\u0590-\u074f\u0900-\u0dff]+)|(\s+)|([!-/:-@[-`{-~]+)|([\s\S])/g;

/** Tokens of a text, of common encodings of models. Seldom too few: texts that compress well are overestimated. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece, word, digits, capitals, letters, blanks, marks] of text.matchAll(PIECE)) {
    const { length } = piece;
    if (word !== undefined) tokens += word.length > 20 ? word.length / 1.9 : 1 + Math.floor((word.length - 1) / 7);
    else if (digits !== undefined) tokens += 0.2 + Math.ceil(length / 3);
    else if (capitals !== undefined) tokens += length > 20 ? length / 1.7 : 0.6 + length / 3;
    else if (letters !== undefined) tokens += 0.4 + length / 2;
    else if (blanks !== undefined) tokens += 1;
    else if (marks !== undefined) tokens += Math.ceil(length / 2);
    else tokens += costOf(piece.charCodeAt(0));
  }
  return tokens;
}

/** Of one UTF-16 unit outside of the common alphabets. */
function costOf(unit: number): number {
  const isIdeograph = unit >= 0x3000 && unit <= 0xd7ff;
  return isIdeograph ? 1 : 2;
}

const STEP = 64;

/** How many characters from `start` on are at most so many tokens. At least one step. */
export function lengthWithin(text: string, start: number, maxTokens: number): number {
  let tokens = 0;
  for (let at = start; at < text.length; at += STEP) {
    tokens += estimateTokens(text.slice(at, at + STEP));
    if (tokens > maxTokens) return Math.max(at - start, STEP);
  }
  return text.length - start;
}

/** As `lengthWithin`, for the end of a text. */
export function lengthWithinAtEnd(text: string, maxTokens: number): number {
  let tokens = 0;
  for (let end = text.length; end > 0; end -= STEP) {
    tokens += estimateTokens(text.slice(Math.max(0, end - STEP), end));
    if (tokens > maxTokens) return Math.max(text.length - end, STEP);
  }
  return text.length;
}

/** Not inside of a surrogate pair: one less, if necessary. */
export function betweenCharacters(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  const isInside = before >= 0xd800 && before <= 0xdbff && isLowSurrogate(text.charCodeAt(at));
  return isInside ? at - 1 : at;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
