import type { ToolDefinition } from '../catalog/tool-view.js';
import { findEncodedText } from './encoded-text.js';
import { type FindingDraft, GRAVITY } from './finding-draft.js';
import { findHiddenMarkup } from './hidden-markup.js';
import { findHiddenText } from './hidden-text.js';
import { findMixedScripts } from './mixed-scripts.js';
import { findInstructions } from './model-instructions.js';
import { findPossibleNames, type PossibleName } from './possible-names.js';
import { collectTexts, type ToolText } from './tool-texts.js';

const MAX_FINDINGS = 30;

export interface ToolScan {
  readonly findings: readonly FindingDraft[];
  /** Words that are findings if another server has such a tool. */
  readonly possibleNames: readonly PossibleName[];
}

// Definitions are frozen.
const scans = new WeakMap<ToolDefinition, { readonly redact: Redact; readonly scan: ToolScan }>();

type Redact = (text: string) => string;
const asItIs: Redact = (text) => text;

/** Findings in one definition. A pure function of the text: no network, clock or model. */
export function scanTool(tool: ToolDefinition, redact: Redact = asItIs): ToolScan {
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
  what: 'more text than is looked at: only the first 100 000 characters and 5 000 values were',
};
