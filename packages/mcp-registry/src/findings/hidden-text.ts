import { escapeCharacter } from '@x/internal/text';
import { type FindingDraft, type FindingSeverity, GRAVITY } from './tool-finding.js';
import type { ToolText } from './tool-texts.js';

type HiddenCode = 'control-characters' | 'bidi-characters' | 'invisible-characters';

// As in `escapeHidden`, without tabs and line feeds. A single variation selector belongs to the character before it.
const SUSPECT = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
    '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]' +
    '|[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]{2,}',
  'gu',
);
/** Texts without further scan: nearly all. */
const PLAIN = /^[\t\n\r\u0020-\u007e]*$/;
const MIN_RUN = 4;

/** Invisible characters, with at most one finding per code. */
export function findHiddenText({ field, text, excerpt }: ToolText): readonly FindingDraft[] {
  if (PLAIN.test(text)) return [];
  const found = new Map<HiddenCode, Found>();
  let end = -1;
  let run = 0;
  for (const match of text.matchAll(SUSPECT)) {
    const [characters] = match;
    run = match.index === end ? run + 1 : 1;
    end = match.index + characters.length;
    const judged = judge(characters, text, match.index);
    if (judged === undefined) continue;
    const severity = field === 'name' || run >= MIN_RUN ? 'high' : judged.severity;
    record(found, judged.code, { severity, at: match.index, characters });
  }
  return Array.from(found, ([code, each]) => toDraft(code, each, { field, text, excerpt }));
}

interface Found {
  severity: FindingSeverity;
  at: number;
  count: number;
  readonly kinds: Set<string>;
}

function record(
  found: Map<HiddenCode, Found>,
  code: HiddenCode,
  { severity, at, characters }: { severity: FindingSeverity; at: number; characters: string },
): void {
  const before = found.get(code) ?? { severity, at, count: 0, kinds: new Set() };
  before.count++;
  if (GRAVITY[severity] > GRAVITY[before.severity]) before.severity = severity;
  if (before.kinds.size < 5) before.kinds.add(escapeCharacter(characters));
  found.set(code, before);
}

function toDraft(
  code: HiddenCode,
  { severity, at, count, kinds }: Found,
  { field, text, excerpt }: Omit<ToolText, 'isProse'>,
) {
  const smuggled = code === 'invisible-characters' ? readTags(text) : '';
  const says = smuggled === '' ? '' : `; as text, they say ${JSON.stringify(smuggled)}`;
  const what = `${DESCRIPTIONS[code]}: ${[...kinds].join(' ')} (${count} in all)${says}`;
  return { code, severity, field, what, at, excerpt: excerpt(at) };
}

const DESCRIPTIONS: Record<HiddenCode, string> = {
  'control-characters': 'control characters or escape sequences, which a terminal obeys',
  'bidi-characters': 'characters that change the order in which text is shown',
  'invisible-characters': 'characters that do not show',
};

interface Judged {
  readonly code: HiddenCode;
  readonly severity: FindingSeverity;
}

/** `undefined` for legitimate uses. */
function judge(characters: string, text: string, at: number): Judged | undefined {
  const code = characters.codePointAt(0) ?? 0;
  if (code < 0xa0) return { code: 'control-characters', severity: isObeyed(code) ? 'high' : 'medium' };
  if (code === 0x2028 || code === 0x2029) return { code: 'control-characters', severity: 'low' };
  if (code === 0x200e || code === 0x200f || code === 0x061c) return { code: 'bidi-characters', severity: 'low' };
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) {
    return { code: 'bidi-characters', severity: 'high' };
  }
  if (isVariationSelector(code)) return { code: 'invisible-characters', severity: 'high' };
  if (code >= 0xe0000) return isFlagTag(text, at) ? undefined : { code: 'invisible-characters', severity: 'high' };
  if (code === 0x200c || code === 0x200d) {
    return joinsLetters(text, at) ? undefined : { code: 'invisible-characters', severity: 'medium' };
  }
  if (code === 0xfeff && at === 0) return undefined; // byte order mark
  return { code: 'invisible-characters', severity: code === 0xad ? 'low' : 'medium' };
}

/** Bell, backspace, shift, escape, delete, and one-byte escape sequences. */
function isObeyed(code: number): boolean {
  return code === 7 || code === 8 || code === 0x0e || code === 0x0f || code === 0x1b || code >= 0x7f;
}

function isVariationSelector(code: number): boolean {
  return (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
}

/** Joiners are spelling in Persian and Indic scripts, and part of emoji. */
function joinsLetters(text: string, at: number): boolean {
  const before = lastCharacter(text.slice(Math.max(0, at - 2), at));
  return JOINED.some((kind) => kind.test(before));
}

const JOINED = [
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u,
  /\ufe0f/u,
  /[\u0600-\u08ff]/u,
  /[\u0900-\u0dff]/u,
  /[\u1000-\u109f]/u,
];

function lastCharacter(text: string): string {
  return Array.from(text).at(-1) ?? '';
}

/** The flags of England, Scotland and Wales consist of a black flag and tags. */
function isFlagTag(text: string, at: number): boolean {
  const start = Math.max(0, at - 14);
  return /\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6}$/u.test(text.slice(start, at));
}

/** Tags are an invisible copy of ASCII. */
function readTags(text: string): string {
  const tags = text.match(/[\u{e0020}-\u{e007e}]/gu)?.slice(0, 200) ?? [];
  return tags.map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
}

// Bounded repetitions, so that a scan takes linear time.
const COMMENT = /<!--|^[ \t]{0,3}\[(?:\/\/|comment)\]:[ \t]{0,10}[#<("']/im;
const UNSHOWN =
  /<[a-z][^<>]{0,200}\b(?:display\s{0,5}:\s{0,5}none|visibility\s{0,5}:\s{0,5}hidden|font-size\s{0,5}:\s{0,5}0|opacity\s{0,5}:\s{0,5}0(?!\.))/i;
const FAR_AWAY = /[^\S\n]{80}|\n(?:[^\S\n]{0,200}\n){20}/;

/** Text that disappears when rendered. */
export function findHiddenMarkup({ field, text, isProse, excerpt }: ToolText): readonly FindingDraft[] {
  if (!isProse) return [];
  const drafts: FindingDraft[] = [];
  const comment = COMMENT.exec(text);
  if (comment !== null) {
    drafts.push(draft('hidden-markup', 'medium', 'a comment, which is not shown where it is rendered', comment.index));
  }
  const unshown = UNSHOWN.exec(text);
  if (unshown !== null) drafts.push(draft('hidden-markup', 'high', 'markup whose style hides it', unshown.index));
  const far = FAR_AWAY.exec(text.trimEnd());
  if (far !== null) {
    drafts.push(
      draft('pushed-out-of-sight', 'medium', 'so much white space that what follows is out of sight', far.index),
    );
  }
  return drafts;

  function draft(
    code: FindingDraft['code'],
    severity: FindingDraft['severity'],
    what: string,
    at: number,
  ): FindingDraft {
    return { code, severity, field, what, at, excerpt: excerpt(at) };
  }
}
