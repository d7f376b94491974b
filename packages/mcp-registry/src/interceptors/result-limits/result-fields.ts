import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type Fields, fieldsOfResult, isPlain, payloadOf } from './result-text.js';
import { estimateTokens } from './token-estimate.js';
import { sizeWithin } from './value-size.js';

/** Tokens that a client may spend to separate a block from the next. */
export const TOKENS_PER_BLOCK = 2;

/** A token has up to eight characters, and a field 80 in memory. */
const SIZE_PER_TOKEN = 80;

/**
 * Tokens of the fields of a block besides its text or data. 0 for blocks that are text as a whole. Infinite if that is
 * surely too long.
 */
export function fieldTokens(block: ContentBlock, maxTokens: number): number {
  const payload = isPlain(block) ? undefined : payloadOf(block);
  return payload === undefined ? 0 : jsonTokens(payload.fields, maxTokens);
}

/** The same for the fields of a result besides its content. */
export function resultFieldTokens(result: ToolCallResult, maxTokens: number): number {
  const fields = fieldsOfResult(result);
  return Object.keys(fields).length === 0 ? 0 : jsonTokens(fields, maxTokens);
}

function jsonTokens(value: unknown, maxTokens: number): number {
  if (sizeWithin(value, maxTokens * SIZE_PER_TOKEN) > maxTokens * SIZE_PER_TOKEN) return Number.POSITIVE_INFINITY;
  return estimateTokens(JSON.stringify(value));
}

/** Allows fields until their tokens are used up. */
export class FieldBudget {
  left: number;

  constructor(tokens: number) {
    this.left = tokens;
  }

  /** True for a block whose fields stay. */
  affords(block: ContentBlock): boolean {
    return this.#spend(fieldTokens(block, this.left));
  }

  /** The fields of a result that stay, and the entries of its `_meta`, short ones first. */
  select({ _meta: meta, ...others }: Fields): Fields {
    const fields = this.#shortest(others);
    if (!isRecord(meta)) return fields;
    const entries = this.#shortest(meta);
    return Object.keys(entries).length === 0 ? fields : { ...fields, _meta: entries };
  }

  #shortest(fields: Fields): Fields {
    const maxSize = this.left * SIZE_PER_TOKEN;
    const entries = Object.entries(fields).map((entry) => ({ entry, size: sizeWithin(entry, maxSize) }));
    entries.sort((a, b) => a.size - b.size);
    const tooLong = entries.findIndex(({ entry }) => !this.#spend(jsonTokens(entry, this.left)));
    return Object.fromEntries((tooLong < 0 ? entries : entries.slice(0, tooLong)).map(({ entry }) => entry));
  }

  #spend(tokens: number): boolean {
    if (tokens > this.left) return false;
    this.left -= tokens;
    return true;
  }
}
