import type { SourceTool } from '@x/internal/contracts';
import { parseJson } from '@x/internal/json';
import { digestOf } from './digest.js';
import { isTooDeep } from './nesting.js';
import { isToolDigests, type ToolDigest } from './records.js';

/** Texts of definitions that are kept, in characters: some 100 000 tools. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Those of them that were sent by nodes unasked and that nobody wants yet. */
const MAX_ANNOUNCED_CHARACTERS = 2 * 1024 * 1024;

/**
 * Definitions by digest, whoever they came from: nodes that run the same server share them. What was not asked for in
 * a long time goes first, and is fetched again should anybody want it. What nodes announce has room of its own until
 * then, so that none of them can fill the store with what nobody wants.
 */
export class DefinitionStore {
  readonly #wanted: Parts;
  readonly #announced: Parts;

  constructor(maxCharacters = MAX_CHARACTERS, maxAnnouncedCharacters = MAX_ANNOUNCED_CHARACTERS) {
    this.#wanted = new Parts(maxCharacters);
    this.#announced = new Parts(maxAnnouncedCharacters);
  }

  tool(digest: string): SourceTool | undefined {
    const value = this.#use(digest);
    return value === undefined || isToolDigests(value) ? undefined : value;
  }

  page(digest: string): readonly ToolDigest[] | undefined {
    const value = this.#use(digest);
    return isToolDigests(value) ? value : undefined;
  }

  has(digest: string): boolean {
    return this.#wanted.has(digest) || this.#announced.has(digest);
  }

  /**
   * Takes in a text that a node was asked for, under the digest that it really has.
   *
   * @returns The digest; `undefined` for what is neither a tool nor a page of a list.
   */
  add(text: string): string | undefined {
    return this.#wanted.add(text);
  }

  /** Takes in a text that a node has sent unasked. Returns as `add`. */
  announce(text: string): string | undefined {
    return this.#announced.add(text, this.#wanted);
  }

  #use(digest: string): Part | undefined {
    const known = this.#wanted.use(digest);
    if (known !== undefined) return known;
    const announced = this.#announced.take(digest);
    if (announced !== undefined) this.#wanted.keep(digest, { ...announced, isUsed: true });
    return announced?.value;
  }
}

type Part = SourceTool | readonly ToolDigest[];

interface Entry {
  readonly value: Part;
  readonly size: number;
  /** Whether somebody has asked for it since there was last need of room. */
  isUsed: boolean;
}

class Parts {
  readonly #entries = new Map<string, Entry>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  has(digest: string): boolean {
    return this.#entries.has(digest);
  }

  use(digest: string): Part | undefined {
    const entry = this.#entries.get(digest);
    if (entry !== undefined) entry.isUsed = true;
    return entry?.value;
  }

  take(digest: string): Entry | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    this.#characters -= entry.size;
    return entry;
  }

  /** @param others - What is known there is not taken in. */
  add(text: string, others?: Parts): string | undefined {
    const digest = digestOf(text);
    if (this.has(digest) || others?.has(digest)) return digest;
    const value = parsePart(text);
    if (value === undefined) return undefined;
    this.keep(digest, { value, size: text.length, isUsed: false });
    return digest;
  }

  keep(digest: string, entry: Entry): void {
    this.#entries.set(digest, entry);
    this.#characters += entry.size;
    if (this.#characters > this.#maxCharacters) this.#makeRoom(digest);
  }

  /** In the order in which they came; what was used since then comes to the end, and may go when it is met once more. */
  #makeRoom(newest: string): void {
    for (const [digest, entry] of this.#entries) {
      if (this.#characters <= this.#maxCharacters) return;
      if (digest === newest) continue;
      this.take(digest);
      if (!entry.isUsed) continue;
      this.#entries.set(digest, { ...entry, isUsed: false });
      this.#characters += entry.size;
    }
  }
}

function parsePart(text: string): Part | undefined {
  const value = parseJson(text); // a node may send anything
  if (!isToolDigests(value) && !isTool(value)) return undefined;
  return isTooDeep(text, value) ? undefined : value;
}

function isTool(value: unknown): value is SourceTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema }: { readonly name?: unknown; readonly inputSchema?: unknown } = value;
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null;
}
