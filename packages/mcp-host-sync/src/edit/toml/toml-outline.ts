import type { AST } from 'toml-eslint-parser';
import type { BracketList } from '../text/bracket-list.js';
import { memoizePer } from '../text/memoize.js';
import { isBlank, lineContentEnd, nextLineStart, type Span } from '../text/text-edits.js';

export interface TomlField {
  readonly path: TomlPath;
  readonly node: AST.TOMLKeyValue;
  readonly holder: TomlPath;
  readonly inline: AST.TOMLInlineTable | undefined;
}

/** The parts of a text at or below one path. */
export interface TomlParts {
  readonly field: TomlField | undefined;
  /** Pairs at or below this path whose dotted key starts above it, in file order. */
  readonly dotted: readonly TomlField[];
  readonly tables: readonly PlacedTable[];
}

export interface PlacedTable {
  readonly table: AST.TOMLTable;
  /** Index among the top-level parts of the text: tables and the pairs above them. */
  readonly index: number;
}

export class TomlOutline {
  readonly program: AST.TOMLProgram;
  readonly #root = new Branch();

  constructor(program: AST.TOMLProgram) {
    this.program = program;
    for (const [index, item] of program.body[0].body.entries()) {
      if (item.type === 'TOMLKeyValue') this.#addField([], item, undefined);
      else {
        this.#addTable({ table: item, index });
        for (const keyValue of item.body) this.#addField(item.resolvedKey, keyValue, undefined);
      }
    }
  }

  at(path: TomlPath): TomlParts {
    return this.#branchAt(path) ?? nothing;
  }

  /** The pair of the path or of its longest prefix that has one. */
  fieldAbove(path: TomlPath): TomlField | undefined {
    let branch: Branch | undefined = this.#root;
    let { field } = branch;
    for (const step of path) {
      branch = branch.below.get(step);
      if (branch === undefined) break;
      field = branch.field ?? field;
    }
    return field;
  }

  /** Paths of the items of a list: of an array of tables, or of an array with inline tables. */
  itemsOf(path: TomlPath): readonly TomlPath[] {
    return [...(this.#branchAt(path)?.below.keys() ?? [])].map((step) => [...path, step]);
  }

  #branchAt(path: TomlPath): Branch | undefined {
    let branch: Branch | undefined = this.#root;
    for (const step of path) branch = branch?.below.get(step);
    return branch;
  }

  #addTable(placed: PlacedTable): void {
    let branch = this.#root;
    branch.tables.push(placed);
    for (const step of placed.table.resolvedKey) {
      branch = branch.next(step);
      branch.tables.push(placed);
    }
  }

  #addField(holder: TomlPath, node: AST.TOMLKeyValue, inline: AST.TOMLInlineTable | undefined): void {
    const path = [...holder, ...keyNames(node.key)];
    const field = { path, node, holder, inline };
    let branch = this.#root;
    for (const [depth, step] of path.entries()) {
      branch = branch.next(step);
      if (depth >= holder.length) branch.dotted.push(field);
    }
    branch.field ??= field;
    const { value } = node;
    if (value.type === 'TOMLInlineTable') this.#addInline(path, value);
    if (value.type !== 'TOMLArray') return;
    for (const [index, item] of value.elements.entries()) {
      if (item.type === 'TOMLInlineTable') this.#addInline([...path, index], item);
    }
  }

  #addInline(path: TomlPath, table: AST.TOMLInlineTable): void {
    for (const inner of table.body) this.#addField(path, inner, table);
  }
}

class Branch implements TomlParts {
  field: TomlField | undefined;
  readonly dotted: TomlField[] = [];
  readonly tables: PlacedTable[] = [];
  readonly below = new Map<string | number, Branch>();

  next(step: string | number): Branch {
    const next = this.below.get(step) ?? new Branch();
    this.below.set(step, next);
    return next;
  }
}

const nothing: TomlParts = { field: undefined, dotted: [], tables: [] };

/** Keys from the document root. Numbers are indexes in an array of tables. */
export type TomlPath = readonly (string | number)[];

export function keyNames(key: AST.TOMLKey): readonly string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function spanOf({ range: [start, end] }: AST.TOMLNode): Span {
  return { start, end };
}

export const listOf = memoizePer((list: AST.TOMLInlineTable | AST.TOMLArray): BracketList => {
  const members = list.type === 'TOMLArray' ? list.elements : list.body;
  return { ...spanOf(list), members: members.map(spanOf) };
});

/** End of the lines of an item. Includes comments directly below, unless another item follows them. */
export function ownEnd(text: string, contentEndsAt: number): number {
  const own = lineContentEnd(text, contentEndsAt);
  let end = own;
  for (let start = nextLineStart(text, end); start < text.length; start = nextLineStart(text, start)) {
    const line = text.slice(start, lineContentEnd(text, start));
    if (isBlank(line)) return end;
    if (!/^[ \t]*#/.test(line)) return own;
    end = start + line.length;
  }
  return end;
}
