import type { ToolDefinition } from '../catalog/tool-view.js';
import { findHiddenMarkup, findHiddenText } from './hidden-text.js';
import { findMixedScripts } from './look-alike-letters.js';
import { findInstructions } from './model-instructions.js';
import { findPossibleNames, type PossibleName } from './other-tools.js';
import { type FindingDraft, GRAVITY } from './tool-finding.js';
import { collectTexts, type ToolText } from './tool-texts.js';

const MAX_FINDINGS = 30;

export interface ToolScan {
  readonly findings: readonly FindingDraft[];
  /** Words that are findings if another server has such a tool. */
  readonly possibleNames: readonly PossibleName[];
}

// A cache: definitions are frozen.
const scans = new WeakMap<ToolDefinition, { readonly redact: Redact; readonly scan: ToolScan }>();

type Redact = (text: string) => string;
const unchanged: Redact = (text) => text;

/** A pure function of the text: no network, clock or model. */
export function scanTool(tool: ToolDefinition, redact: Redact = unchanged): ToolScan {
  const known = scans.get(tool);
  if (known?.redact === redact) return known.scan;
  const { texts, isWhole } = collectTexts(tool, redact);
  const found = worstOf(texts.flatMap(scanText));
  const scan = { findings: isWhole ? found : [...found, TOO_LONG], possibleNames: findPossibleNames(texts) };
  scans.set(tool, { redact, scan });
  return scan;
}

/** Many minor findings must not displace a severe one. */
function worstOf(found: readonly FindingDraft[]): readonly FindingDraft[] {
  if (found.length <= MAX_FINDINGS) return found;
  return found.toSorted((one, other) => GRAVITY[other.severity] - GRAVITY[one.severity]).slice(0, MAX_FINDINGS);
}

function scanText(text: ToolText): readonly FindingDraft[] {
  return [
    ...findHiddenText(text),
    ...findMixedScripts(text),
    ...findHiddenMarkup(text),
    ...findInstructions(text),
    ...findEncodedText(text),
  ];
}

const TOO_LONG: FindingDraft = {
  code: 'not-scanned-whole',
  severity: 'medium',
  field: '',
  what: 'more text than is scanned: only the first 100 000 characters and 5 000 values were',
};

/** Base64, hexadecimal digits or escapes of bytes. */
const ENCODED = /(?<![\w+/=-])[A-Za-z0-9+/]{120}|(?<![\w+/=-])(?:[0-9a-f]{2}[ :,]?){80}|(?:\\x[0-9a-f]{2}){20}/gi;
const ADDRESS_WITH_DATA =
  /\bhttps?:\/\/[^\s?#"'<>]{1,200}[?#][^\s"'<>]{0,200}?[\w.-]{1,40}=(?:\$?\{|<|%7b|\[(?!\])|\$[a-z_])/i;

/** Only in prose, because defaults and examples are often encoded. */
function findEncodedText({ field, text, isProse, excerpt }: ToolText): readonly FindingDraft[] {
  if (!isProse) return [];
  const drafts: FindingDraft[] = [];
  const encoded = firstEncoded(text);
  if (encoded !== undefined) {
    drafts.push({
      code: 'encoded-text',
      severity: 'medium',
      field,
      what: 'a long encoded text, which a model can read and people cannot',
      at: encoded,
      excerpt: excerpt(encoded),
    });
  }
  const address = ADDRESS_WITH_DATA.exec(text);
  if (address !== null) {
    drafts.push({
      code: 'data-in-address',
      severity: 'low',
      field,
      what: 'a web address with a place for data in it',
      at: address.index,
      excerpt: excerpt(address.index),
    });
  }
  return drafts;
}

/** One long word, path or number has no digits or no letters. */
function firstEncoded(text: string): number | undefined {
  for (const { 0: found, index } of text.matchAll(ENCODED)) {
    if (/[0-9]/.test(found) && /[a-z]/i.test(found)) return index;
  }
  return undefined;
}
