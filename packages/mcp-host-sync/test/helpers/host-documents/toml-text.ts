import { Layout } from './layout.js';
import type { Tree } from './tree.js';

/** A tree as TOML 1.0 in mixed styles: tables, inline tables, arrays over several lines. */
export function tomlText(tree: Tree & { readonly kind: 'map' }, choices: readonly number[]): string {
  return new TomlTextWriter(new Layout(choices)).document(tree);
}

/** `dotted`: one line per field. `tables`: an array of tables. */
type Form = 'field' | 'dotted' | 'table' | 'tables';
type Entries = readonly (readonly [string, Tree])[];

class TomlTextWriter {
  readonly #layout: Layout;
  /** Tables at the end of the text instead of next to related tables. */
  readonly #apart: string[][] = [];

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  document(tree: Tree & { readonly kind: 'map' }): string {
    const { lineEnd } = this.#layout;
    const head = this.#layout.pick([[], [], [`# ${this.#layout.comment()}`, '']]);
    const foot = this.#layout.pick([[], [], [`# ${this.#layout.comment()}`], ['', `# ${this.#layout.comment()}`, '']]);
    const body = this.#table([], tree.entries);
    const lines = [...head, ...body, ...this.#apart.flat(), ...foot];
    return lines.join(lineEnd) + (lines.length === 0 ? '' : this.#layout.pick([lineEnd, '', lineEnd + lineEnd]));
  }

  #table(path: readonly string[], entries: Entries, isInArray = false): string[] {
    const body = this.#body(path, entries, isInArray);
    if (path.length === 0) return body.flat();
    const [fields, tables] = body;
    const isImplicit = fields.length === 0 && tables.length > 0 && !this.#layout.oneIn(3);
    return [...(isImplicit ? [] : this.#header('[', path, ']')), ...body.flat()];
  }

  #body(path: readonly string[], entries: Entries, isInArray: boolean): [fields: string[], tables: string[]] {
    const forms = new Map(entries.map(([key, value]) => [key, this.#formOf(value)]));
    const of = (form: Form) => entries.filter(([key]) => forms.get(key) === form);
    const indent = this.#layout.pick(['', '', '  ', '\t']);
    const field = (key: string, value: Tree) => [
      ...this.#above(indent),
      `${indent}${key}${this.#equals()}${this.#value(value, true)}${this.#beside()}`,
    ];
    const fields = [
      ...of('field').flatMap(([key, value]) => field(this.#key(key), value)),
      ...of('dotted').flatMap(([key, value]) =>
        entriesOf(value).flatMap(([inner, item]) => field(`${this.#key(key)}.${this.#key(inner)}`, item)),
      ),
    ];
    const tables = of('table').flatMap(([key, value]) => {
      const lines = this.#table([...path, key], entriesOf(value), isInArray);
      if (isInArray || !this.#layout.oneIn(5)) return lines;
      this.#apart.push(lines);
      return [];
    });
    const arrays = of('tables').flatMap(([key, value]) =>
      itemsOf(value).flatMap((item) => [
        ...this.#header('[[', [...path, key], ']]'),
        ...this.#body([...path, key], entriesOf(item), true).flat(),
      ]),
    );
    return [fields, [...tables, ...arrays]];
  }

  #formOf(value: Tree): Form {
    if (value.kind === 'map') {
      const isDotted = value.entries.length > 0 && this.#layout.oneIn(20);
      return isDotted ? 'dotted' : this.#layout.oneIn(5) ? 'field' : 'table';
    }
    const isTables = value.kind === 'list' && value.items.length > 0 && value.items.every(({ kind }) => kind === 'map');
    return isTables && !this.#layout.oneIn(3) ? 'tables' : 'field';
  }

  #header(open: string, path: readonly string[], close: string): string[] {
    const name = path.map((key) => this.#key(key)).join(this.#layout.pick(['.', '.', ' . ']));
    const indent = this.#layout.pick(['', '', '  ', '\t']);
    const pad = this.#layout.pick(['', '', ' ']);
    const blank = this.#layout.pick<string[]>([[''], [''], [], ['', '']]);
    return [...blank, ...this.#above(''), `${indent}${open}${pad}${name}${pad}${close}${this.#beside()}`];
  }

  #value(value: Tree, mayBreak: boolean): string {
    const { lineEnd } = this.#layout;
    switch (value.kind) {
      case 'raw':
        return value.text;
      case 'text':
        return this.#text(value.value, mayBreak);
      case 'map':
        return value.entries.length === 0
          ? this.#layout.pick(['{}', '{ }'])
          : `{ ${value.entries.map(([key, item]) => `${this.#key(key)}${this.#equals()}${this.#value(item, false)}`).join(', ')} }`;
      case 'list': {
        const items = value.items.map((item) => this.#value(item, false));
        if (!mayBreak || items.length === 0 || !this.#layout.oneIn(3))
          return `[${items.join(this.#layout.pick([', ', ',', ' , ']))}]`;
        const lines = items.map((item) => `  ${item},${this.#beside()}`);
        return `[${this.#beside()}${lineEnd}${lines.join(lineEnd)}${lineEnd}]`;
      }
    }
  }

  #text(value: string, mayBreak: boolean): string {
    if (/^[ -~]*$/.test(value) && !value.includes("'") && this.#layout.oneIn(3)) return `'${value}'`;
    if (mayBreak && /^[a-z -]*\n[a-z\n]*$/i.test(value) && this.#layout.oneIn(2))
      return `"""${this.#layout.lineEnd}${value}"""`;
    return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  }

  #key(key: string): string {
    if (/^[A-Za-z0-9_-]+$/.test(key) && !this.#layout.oneIn(6)) return key;
    return /^[ -~]*$/.test(key) && !key.includes("'") && this.#layout.oneIn(2)
      ? `'${key}'`
      : JSON.stringify(key).replaceAll('\u007f', '\\u007f');
  }

  #equals(): string {
    return this.#layout.pick([' = ', ' = ', '=', '    = ']);
  }

  #above(indent: string): string[] {
    if (!this.#layout.oneIn(6)) return [];
    const comment = `${indent}# ${this.#layout.comment()}`;
    return this.#layout.pick([[comment], [comment, ''], ['', comment], ['']]);
  }

  #beside(): string {
    return this.#layout.oneIn(6)
      ? this.#layout.pick([` # ${this.#layout.comment()}`, '  ', `    # ${this.#layout.comment()}`])
      : '';
  }
}

function entriesOf(value: Tree): Entries {
  return value.kind === 'map' ? value.entries : [];
}

function itemsOf(value: Tree): readonly Tree[] {
  return value.kind === 'list' ? value.items : [];
}
