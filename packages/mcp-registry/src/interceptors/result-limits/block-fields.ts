import type { ContentBlock } from '@x/internal/contracts';
import { estimateTokens } from './token-estimate.js';
import { sizeWithin } from './value-size.js';

/** Tokens that a client may spend to separate a block from the next. */
export const TOKENS_PER_BLOCK = 2;

/** Tokens of what a block has besides its text or data. Infinite if that is surely too long. */
export function fieldTokens(block: ContentBlock, maxTokens: number): number {
  const { text: _text, data: _data, resource, ...fields } = block as Readonly<Record<string, unknown>>;
  if (block.type === 'text' && Object.keys(fields).length === 1) return 0;
  const { text: _inner, blob: _blob, ...rest } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  const all = resource === undefined ? fields : { ...fields, resource: rest };
  // A token has up to eight characters, and a field 80 in memory.
  if (sizeWithin(all, maxTokens * 80) > maxTokens * 80) return Number.POSITIVE_INFINITY;
  return estimateTokens(JSON.stringify(all));
}

/** Allows blocks with all their fields until their tokens are used up. */
export class FieldBudget {
  #left: number;

  constructor(tokens: number) {
    this.#left = tokens;
  }

  affords(block: ContentBlock): boolean {
    const tokens = fieldTokens(block, this.#left);
    if (tokens > this.#left) return false;
    this.#left -= tokens;
    return true;
  }
}
