import { isForbiddenKey } from '@x/internal/json';
import { textLimits } from '@x/internal/syntax';
import { quoted } from '@x/internal/text';
import type { ConfigFault, ConfigPath } from '../issues.js';

/** Values of a text with their positions, the same for all parsers. */
export type SourceNode = SourceMap | SourceList | SourceScalar;

export interface SourceMap {
  readonly kind: 'map';
  readonly start: number;
  /** Excludes repeated and forbidden keys, which are reported while the tree is built. */
  readonly entries: ReadonlyMap<string, SourceEntry>;
}

export interface SourceEntry {
  readonly keyStart: number;
  readonly node: SourceNode;
}

interface SourceList {
  readonly kind: 'list';
  readonly start: number;
  readonly items: readonly SourceNode[];
}

interface SourceScalar {
  readonly kind: 'scalar';
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

export type ReportFault = (fault: ConfigFault, offset: number, path?: ConfigPath) => void;

export function forbiddenKey(key: string): ConfigFault {
  const message = `${quoted(key)} cannot be used as a key`;
  return { code: 'forbidden-key', severity: 'error', message, key, hint: 'choose another name' };
}

/** @param first - Position of the existing key. */
export function repeatedKey(key: string, first: { readonly line: number; readonly column: number }): ConfigFault {
  const message = `${quoted(key)} is already set on line ${first.line}`;
  return { code: 'duplicate-key', severity: 'error', message, key, first, hint: 'keep one of the two' };
}

export class EntryCollector {
  readonly #entries = new Map<string, SourceEntry>();
  readonly #path: ConfigPath;
  readonly #report: ReportFault;
  readonly #positionAt: (offset: number) => { line: number; column: number };

  constructor(path: ConfigPath, report: ReportFault, positionAt: (offset: number) => { line: number; column: number }) {
    this.#path = path;
    this.#report = report;
    this.#positionAt = positionAt;
  }

  get entries(): ReadonlyMap<string, SourceEntry> {
    return this.#entries;
  }

  /** Calls `readNode` only for accepted keys. */
  add(key: string, keyStart: number, readNode: () => SourceNode): void {
    const path = [...this.#path, key];
    const earlier = this.#entries.get(key);
    if (isForbiddenKey(key)) {
      this.#report(forbiddenKey(key), keyStart, path);
    } else if (earlier !== undefined) {
      this.#report(repeatedKey(key, this.#positionAt(earlier.keyStart)), keyStart, path);
    } else {
      this.#entries.set(key, { keyStart, node: readNode() });
    }
  }

  /** Adds an entry of a YAML merge key (`<<`) unless the key exists. */
  addInherited(key: string, entry: SourceEntry): void {
    if (!this.#entries.has(key)) this.#entries.set(key, entry);
  }
}

export const tooDeep: ConfigFault = {
  code: 'too-deep',
  severity: 'error',
  message: `Mappings and lists are nested more than ${textLimits.depth} levels deep`,
  limit: textLimits.depth,
};

export function dataOf(node: SourceNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(dataOf);
    case 'map':
      return Object.fromEntries(Array.from(node.entries, ([key, entry]) => [key, dataOf(entry.node)]));
  }
}

export function* stringsOf(node: SourceNode): Iterable<string> {
  if (node.kind === 'scalar') {
    if (typeof node.value === 'string') yield node.value;
    return;
  }
  const children = node.kind === 'list' ? node.items : Array.from(node.entries.values(), (entry) => entry.node);
  for (const child of children) yield* stringsOf(child);
}
