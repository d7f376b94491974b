import { TextPositions, textLimits } from '@x/internal/syntax';
import { printable, type TextRange } from '@x/internal/text';
import type { SourcePosition } from '../config.js';
import type { ConfigFault, ConfigIssue, ConfigPath } from '../issues.js';
import { readJson } from './read-json.js';
import { readToml } from './read-toml.js';
import { readYaml } from './read-yaml.js';
import { dataOf, type SourceNode, stringsOf } from './source-tree.js';

interface IssueTarget {
  /** The key or the value of the entry. Default `value`. */
  readonly part?: 'key' | 'value';
  /** An offset from `locate`; overrides `part`. */
  readonly at?: number;
}

export class SourceText {
  readonly file: string | undefined;
  readonly original: string;
  readonly #text: string;
  readonly #positions: TextPositions;
  #root: SourceNode | undefined;
  readonly #issues = new IssueLog();

  /** @param read - Default: the reader for the name of the file. */
  constructor(text: string, file: string | undefined, read = readerOf(file)) {
    this.file = file;
    this.original = text;
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
    const bytes =
      this.#text.length > textLimits.bytes ? this.#text.length : new TextEncoder().encode(this.#text).length;
    const isTooLarge = bytes > textLimits.bytes;
    this.#positions = new TextPositions(isTooLarge ? '' : this.#text);
    this.#root = isTooLarge ? this.#refuse() : this.#read(read);
  }

  /** By position; the last issue has the number of dropped ones. */
  get issues(): readonly ConfigIssue[] {
    return this.#issues.byPlace();
  }

  get issueCount(): number {
    return this.#issues.count;
  }

  /** Paths of errors, at most two steps long. */
  get faultyEntries(): Iterable<ConfigPath> {
    return this.#issues.faultyEntries;
  }

  /** True if the text was parsed. Otherwise `issues` has the reason. */
  get isReadable(): boolean {
    return this.#root !== undefined;
  }

  /** The whole text if it was not parsed. */
  strings(): Iterable<string> {
    return this.#root === undefined ? [this.#text] : stringsOf(this.#root);
  }

  value(): unknown {
    return this.#root === undefined ? undefined : dataOf(this.#root);
  }

  /** Replaces the values by a copy without some of them; later calls see only the others. */
  prune(toRest: (root: SourceNode) => SourceNode): void {
    this.#root &&= toRest(this.#root);
  }

  keys(path: ConfigPath): readonly string[] {
    const node = this.#nodeAt(path);
    return node?.kind === 'map' ? [...node.entries.keys()] : [];
  }

  /** Records an issue at a path; for a missing path at its nearest existing parent. */
  report(fault: ConfigFault, path: ConfigPath, target?: IssueTarget): void {
    this.#reportAt(fault, target?.at ?? this.#offsetOf(path, target), path);
  }

  /**
   * Offsets of consecutive pieces of a value; the value's offset for a piece with a different source, such as JSON
   * escapes.
   */
  locate(path: ConfigPath, pieces: readonly string[]): readonly number[] {
    const start = this.#offsetOf(path);
    // Scalars are rarely longer; later matches belong to other values.
    const value = this.#text.slice(start, start + 10_000);
    let from = 0;
    return pieces.map((piece) => {
      const inside = value.indexOf(piece, from);
      if (inside === -1) return start;
      from = inside + piece.length;
      return start + inside;
    });
  }

  /** `undefined` for maps and lists. */
  rangeOf(path: ConfigPath): TextRange | undefined {
    const node = this.#nodeAt(path);
    const mark = this.original.length - this.#text.length;
    return node?.kind === 'scalar' ? { start: node.start + mark, end: node.end + mark } : undefined;
  }

  position(path: ConfigPath, target?: IssueTarget): SourcePosition {
    return { file: this.file, ...this.#positions.at(this.#offsetOf(path, target)) };
  }

  #read(read: typeof readYaml): SourceNode | undefined {
    const linesWithSyntaxErrors = new Set<number>();
    // An invalid key affects one entry. Other faults make the data unreliable, so it is not checked.
    let isWhole = true;
    const root = read(this.#text, this.#positions, (fault, offset, path = []) => {
      // Further errors on the line of a syntax error usually follow from it.
      const { line } = this.#positions.at(offset);
      if (fault.code === 'syntax' && linesWithSyntaxErrors.has(line)) return;
      if (fault.code === 'syntax') linesWithSyntaxErrors.add(line);
      isWhole &&= fault.code === 'duplicate-key' || fault.code === 'forbidden-key';
      this.#reportAt(fault, offset, path);
    });

    const isEmpty = root === undefined || (root.kind === 'scalar' && root.value === null);
    if (isEmpty && this.issueCount === 0) this.#reportAt(emptyFile, 0, []);
    return isWhole && !isEmpty ? root : undefined;
  }

  #refuse(): undefined {
    this.#reportAt(tooLarge, 0, []);
  }

  #reportAt(fault: ConfigFault, offset: number, path: ConfigPath): void {
    this.#issues.add(fault.severity, path, () => {
      const { line, column } = this.#positions.at(offset);
      const message = printable(fault.message);
      const hint = fault.hint === undefined ? {} : { hint: printable(fault.hint) };
      return { ...fault, ...hint, message, file: this.file, line, column, path };
    });
  }

  #nodeAt(path: ConfigPath): SourceNode | undefined {
    let node = this.#root;
    for (const step of path) node = node && childOf(node, step)?.node;
    return node;
  }

  #offsetOf(path: ConfigPath, { part = 'value' }: IssueTarget = {}): number {
    let node = this.#root;
    let keyStart = node?.start ?? 0;
    for (const step of path) {
      const next = node === undefined ? undefined : childOf(node, step);
      node = next?.node;
      if (next === undefined) break;
      keyStart = next.keyStart;
    }
    return part === 'key' || node === undefined ? keyStart : node.start;
  }
}

function readerOf(file = ''): typeof readYaml {
  if (/\.jsonc?$/i.test(file)) return readJson;
  return /\.toml$/i.test(file) ? readToml : readYaml;
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
  hint: 'remove the file, or write "mcp_servers: {}" for no servers',
};

const tooLarge: ConfigFault = {
  code: 'too-large',
  severity: 'error',
  message: `The text has more than ${textLimits.bytes} bytes`,
  limit: textLimits.bytes,
  unit: 'bytes',
};

/** Listed errors of one text; also listed warnings. */
const maxIssues = 1_000;

/** Limits the stored issues, so that faulty text does not exhaust memory; counts the others. */
class IssueLog {
  /** Number of issues, including dropped ones. */
  count = 0;
  readonly #kept = { error: [] as ConfigIssue[], warning: [] as ConfigIssue[] };
  readonly #dropped = { error: 0, warning: 0 };
  readonly #faulty = new Map<string, ConfigPath>();
  #lastFaulty: ConfigPath | undefined;

  /** Calls `describe` only for stored issues. */
  add(severity: ConfigIssue['severity'], path: ConfigPath, describe: () => ConfigIssue): void {
    this.count += 1;
    if (severity === 'error' && path !== this.#lastFaulty) {
      this.#faulty.set(JSON.stringify(path.slice(0, 2)), path.slice(0, 2));
      this.#lastFaulty = path;
    }
    // Separate limits, so that warnings leave room for errors.
    if (this.#kept[severity].length < maxIssues) this.#kept[severity].push(describe());
    else this.#dropped[severity] += 1;
  }

  /** Paths of entries with errors, at most two steps long, without repetition. */
  get faultyEntries(): Iterable<ConfigPath> {
    return this.#faulty.values();
  }

  byPlace(): readonly ConfigIssue[] {
    const kept = [...this.#kept.error, ...this.#kept.warning].sort((a, b) => a.line - b.line || a.column - b.column);
    const last = kept.at(-1);
    const more = this.#dropped.error + this.#dropped.warning;
    if (more === 0 || last === undefined) return kept;
    const severity = this.#dropped.error > 0 ? 'error' : 'warning';
    const message = `There are ${more} more issues in this text than are listed`;
    return [...kept, tooManyIssues(last, { severity, message, limit: maxIssues, more })];
  }
}

/** The issue behind `limit` listed ones. */
export function tooManyIssues(
  { file, line, column }: Pick<ConfigIssue, 'file' | 'line' | 'column'>,
  facts: Pick<ConfigIssue, 'severity' | 'message'> & { readonly limit: number; readonly more: number },
): ConfigIssue {
  const hint = 'correct the listed issues and check again';
  return { code: 'too-many-issues', hint, ...facts, file, line, column, path: [] };
}

/** A position relative to `source`: `on line 4`, or `in tools.yaml, line 4`. */
export function relativePosition({ file, line }: SourcePosition, source: SourceText): string {
  return file === source.file ? `on line ${line}` : `in ${file ?? 'another text'}, line ${line}`;
}
