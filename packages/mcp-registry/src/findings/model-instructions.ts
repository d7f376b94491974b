import type { FindingDraft } from './finding-draft.js';
import { INSTRUCTION_RULES } from './instruction-rules.js';
import type { ToolText } from './tool-texts.js';

/** Sentences that address the model, with at most one finding per rule. */
export function findInstructions({ field, text, excerpt }: ToolText): readonly FindingDraft[] {
  return INSTRUCTION_RULES.flatMap(({ rule, severity, what, pattern }): FindingDraft[] => {
    const match = pattern.exec(text);
    if (match === null) return [];
    const { index: at } = match;
    return [{ code: 'model-instruction', severity, field, what: `text that ${what}`, at, excerpt: excerpt(at), rule }];
  });
}
