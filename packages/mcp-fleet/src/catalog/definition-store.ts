import type { SourceTool } from '@x/internal/contracts';
import { parseJson } from '@x/internal/json';
import { digestOf, isTooDeep } from './definition.js';
import { isToolDigests, type ToolDigest } from './records.js';

/** Capacity in characters: about 100 000 tools. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Capacity for announced definitions that have not been used. */
const MAX_ANNOUNCED_CHARACTERS = 2 * 1024 * 1024;

/**
 * Definitions by digest. Evicts the least recently used. Unused announcements have a capacity of their own, so that no
 * node can fill the store.
 */
export class DefinitionStore {
  readonly #requested: Parts;
  readonly #announced: Parts;

  constructor(maxCharacters = MAX_CHARACTERS, maxAnnouncedCharacters = MAX_ANNOUNCED_CHARACTERS) {
    this.#requested = new Parts(maxCharacters);
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
    return this.#requested.has(digest) || this.#announced.has(digest);
  }

  /**
   * Stores a requested text under its actual digest.
   *
   * @returns The digest; `undefined` unless the text is a tool or a page.
   */
  add(text: string): string | undefined {
    return this.#requested.add(text);
  }

  announce(text: string): string | undefined {
    return this.#announced.add(text, this.#requested);
  }

  #use(digest: string): Part | undefined {
    const known = this.#requested.use(digest);
    if (known !== undefined) return known;
    const announced = this.#announced.remove(digest);
    if (announced !== undefined) this.#requested.store(digest, { ...announced, isUsed: true });
    return announced?.value;
  }
}

type Part = SourceTool | readonly ToolDigest[];

interface Entry {
  readonly value: Part;
  readonly size: number;
  /** True if it was read since the last eviction. */
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

  remove(digest: string): Entry | undefined {
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    this.#entries.delete(digest);
    this.#characters -= entry.size;
    return entry;
  }

  add(text: string, others?: Parts): string | undefined {
    const digest = digestOf(text);
    if (this.has(digest) || others?.has(digest)) return digest;
    const value = parsePart(text);
    if (value === undefined) return undefined;
    this.store(digest, { value, size: text.length, isUsed: false });
    return digest;
  }

  store(digest: string, entry: Entry): void {
    this.#entries.set(digest, entry);
    this.#characters += entry.size;
    if (this.#characters > this.#maxCharacters) this.#makeRoom(digest);
  }

  /** Second-chance eviction: in insertion order; a used entry moves to the end once. */
  #makeRoom(newest: string): void {
    for (const [digest, entry] of this.#entries) {
      if (this.#characters <= this.#maxCharacters) return;
      if (digest === newest) continue;
      this.remove(digest);
      if (!entry.isUsed) continue;
      this.#entries.set(digest, { ...entry, isUsed: false });
      this.#characters += entry.size;
    }
  }
}

function parsePart(text: string): Part | undefined {
  const value = parseJson(text);
  if (!isToolDigests(value) && !isTool(value)) return undefined;
  return isTooDeep(text, value) ? undefined : value;
}

function isTool(value: unknown): value is SourceTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema }: { readonly name?: unknown; readonly inputSchema?: unknown } = value;
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null;
}
