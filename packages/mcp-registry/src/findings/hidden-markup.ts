import type { FindingDraft } from './finding-draft.js';
import type { ToolText } from './tool-texts.js';

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
