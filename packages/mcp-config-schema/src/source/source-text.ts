import type { SourcePosition } from '../config.js';
import type { ConfigFault, ConfigIssue, ConfigPath } from '../issues.js';
import { printable } from '../printable.js';
import { limits } from './limits.js';
import { readJson } from './read-json.js';
import { readYaml } from './read-yaml.js';
import { dataOf, type SourceNode } from './source-tree.js';
import { TextPositions } from './text-positions.js';

/** Where in the text an issue belongs. */
export interface IssueTarget {
  /** The key of the entry or its value. Default `value`. */
  readonly part?: 'key' | 'value';
  /** The first place of these characters inside the value, if it can be found there. */
  readonly containing?: string;
}

/** One text of a configuration: its data, where each piece of it stands, and what is wrong with it. */
export class SourceText {
  readonly file: string | undefined;
  /** In the order in which they were found. */
  readonly issues: ConfigIssue[] = [];
  readonly #text: string;
  readonly #positions: TextPositions;
  readonly #root: SourceNode | undefined;

  constructor(text: string, file: string | undefined) {
    this.file = file;
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    const bytes =
      this.#text.length > limits.textBytes ? this.#text.length : new TextEncoder().encode(this.#text).length;
    const isTooLarge = bytes > limits.textBytes;
    this.#positions = new TextPositions(isTooLarge ? '' : this.#text);
    this.#root = isTooLarge ? this.#refuse() : this.#read();
  }

  /** Whether the text could be read as data. When not, `issues` says why. */
  get isReadable(): boolean {
    return this.#root !== undefined;
  }

  /** The plain data of the text; `undefined` when it could not be read. */
  value(): unknown {
    return this.#root === undefined ? undefined : dataOf(this.#root);
  }

  /** The keys of the mapping at a path, in the order in which they are written. */
  keys(path: ConfigPath): readonly string[] {
    let node = this.#root;
    for (const step of path) node = node === undefined ? undefined : childOf(node, step)?.node;
    return node?.kind === 'map' ? [...node.entries.keys()] : [];
  }

  /** Records an issue at a path; what is not in the text is placed at the nearest thing around it that is. */
  report(fault: ConfigFault, path: ConfigPath, target?: IssueTarget): void {
    this.#reportAt(fault, this.#offsetOf(path, target), path);
  }

  position(path: ConfigPath, target?: IssueTarget): SourcePosition {
    return { file: this.file, ...this.#positions.at(this.#offsetOf(path, target)) };
  }

  #read(): SourceNode | undefined {
    const format = /\.jsonc?$/i.test(this.file ?? '') ? readJson : readYaml;
    const linesWithSyntaxErrors = new Set<number>();
    const root = format(this.#text, this.#positions, (fault, offset, path = []) => {
      // What follows a syntax error on its line is nearly always an echo of it.
      const { line } = this.#positions.at(offset);
      if (fault.code === 'syntax' && linesWithSyntaxErrors.has(line)) return;
      if (fault.code === 'syntax') linesWithSyntaxErrors.add(line);
      this.#reportAt(fault, offset, path);
    });

    const isEmpty = root === undefined || (root.kind === 'scalar' && root.value === null);
    if (isEmpty && this.issues.length === 0) this.#reportAt(emptyFile, 0, []);
    // A bad key costs one entry. After any other fault the data is a guess, and checking it would only add noise.
    const isWhole = this.issues.every(({ code }) => code === 'duplicate-key' || code === 'forbidden-key');
    return isWhole && !isEmpty ? root : undefined;
  }

  #refuse(): undefined {
    this.#reportAt(tooLarge, 0, []);
  }

  #reportAt(fault: ConfigFault, offset: number, path: ConfigPath): void {
    const { line, column } = this.#positions.at(offset);
    const message = printable(fault.message);
    const hint = fault.hint === undefined ? {} : { hint: printable(fault.hint) };
    this.issues.push({ ...fault, ...hint, message, file: this.file, line, column, path });
  }

  #offsetOf(path: ConfigPath, { part = 'value', containing }: IssueTarget = {}): number {
    let node = this.#root;
    let keyStart = node?.start ?? 0;
    for (const step of path) {
      const next = node === undefined ? undefined : childOf(node, step);
      if (next === undefined) return keyStart;
      ({ keyStart, node } = next);
    }
    const start = part === 'key' || node === undefined ? keyStart : node.start;
    if (containing === undefined) return start;
    // A scalar is seldom longer than this; further away the same characters belong to something else.
    const inside = this.#text.slice(start, start + 10_000).indexOf(containing);
    return inside === -1 ? start : start + inside;
  }
}

function childOf(node: SourceNode, step: string | number): { keyStart: number; node: SourceNode } | undefined {
  if (node.kind === 'map' && typeof step === 'string') return node.entries.get(step);
  const item = node.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
  return item === undefined ? undefined : { keyStart: item.start, node: item };
}

const emptyFile: ConfigFault = {
  code: 'empty-file',
  severity: 'error',
  message: 'The text is empty',
  hint: 'remove the file, or write "mcp_servers: {}" if no server is meant',
};

const tooLarge: ConfigFault = {
  code: 'too-large',
  severity: 'error',
  message: `The text is longer than ${limits.textBytes} bytes`,
  limit: limits.textBytes,
  unit: 'bytes',
};
