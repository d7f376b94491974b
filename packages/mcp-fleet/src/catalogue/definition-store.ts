import type { SourceTool } from '../source.js';
import { digestOf } from './definition.js';
import { isToolDigests, type ToolDigest } from './records.js';

/** Texts of definitions that are kept, in characters: some 100 000 tools. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Definitions by digest, whoever they came from: hosts that run the same server share them. What was not asked for in
 * the longest time goes first, and is fetched again should anybody want it.
 */
export class DefinitionStore {
  readonly #parts = new Map<string, { readonly value: Part; readonly size: number }>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  tool(digest: string): SourceTool | undefined {
    const value = this.#use(digest);
    return value === undefined || isToolDigests(value) ? undefined : value;
  }

  page(digest: string): readonly ToolDigest[] | undefined {
    const value = this.#use(digest);
    return isToolDigests(value) ? value : undefined;
  }

  /**
   * Takes in a text that a host has sent, under the digest that it really has.
   *
   * @returns The digest; `undefined` for what is neither a tool nor a page of a list.
   */
  add(text: string): string | undefined {
    const value = parsePart(text);
    if (value === undefined) return undefined;
    const digest = digestOf(text);
    if (this.#parts.has(digest)) return digest;
    this.#parts.set(digest, { value, size: text.length });
    this.#characters += text.length;
    for (const [oldest, { size }] of this.#parts) {
      if (this.#characters <= this.#maxCharacters || oldest === digest) break;
      this.#parts.delete(oldest);
      this.#characters -= size;
    }
    return digest;
  }

  #use(digest: string): Part | undefined {
    const part = this.#parts.get(digest);
    if (part === undefined) return undefined;
    this.#parts.delete(digest);
    this.#parts.set(digest, part);
    return part.value;
  }
}

type Part = SourceTool | readonly ToolDigest[];

function parsePart(text: string): Part | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isToolDigests(value) || isTool(value) ? value : undefined;
  } catch {
    return undefined; // a host may send anything
  }
}

function isTool(value: unknown): value is SourceTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema }: { readonly name?: unknown; readonly inputSchema?: unknown } = value;
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null;
}
