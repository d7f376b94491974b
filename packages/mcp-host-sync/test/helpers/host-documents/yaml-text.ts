import { Layout } from './layout.js';
import type { Tree } from './tree.js';

/** A tree as YAML in mixed styles. Combinations that the parser rejects are skipped. */
export function yamlText(tree: Tree & { readonly kind: 'map' }, choices: readonly number[]): string {
  return new YamlTextWriter(new Layout(choices)).document(tree);
}

class YamlTextWriter {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  document(tree: Tree & { readonly kind: 'map' }): string {
    const { lineEnd } = this.#layout;
    const head = this.#layout.pick([[], [], [`# ${this.#layout.comment()}`], ['---'], ['# top', '', '---']]);
    const body = tree.entries.length === 0 ? this.#layout.pick([[], ['{}']]) : this.#map(tree.entries, 0);
    const foot = this.#layout.pick([[], [], [`# ${this.#layout.comment()}`], ['', `# ${this.#layout.comment()}`, '']]);
    return [...head, ...body, ...foot].join(lineEnd) + this.#layout.pick([lineEnd, '', lineEnd + lineEnd]);
  }

  #map(entries: readonly (readonly [string, Tree])[], column: number): string[] {
    const step = this.#layout.pick([2, 2, 4, 3]);
    return entries.flatMap(([key, value]) => [...this.#between(column), ...this.#pair(key, value, column, step)]);
  }

  #pair(key: string, value: Tree, column: number, step: number): string[] {
    const head = `${' '.repeat(column)}${this.#key(key)}${this.#layout.pick([':', ':', ' :'])}`;
    if (value.kind === 'map' && value.entries.length > 0 && !this.#layout.oneIn(4)) {
      return [head + this.#beside(), ...this.#map(value.entries, column + step)];
    }
    if (value.kind === 'list' && value.items.length > 0 && !this.#layout.oneIn(3)) {
      return [head + this.#beside(), ...this.#list(value.items, column + this.#layout.pick([step, 0, 1]))];
    }
    if (value.kind === 'text' && this.#layout.oneIn(5) && /^[a-z][ -~]*(\n[a-z][ -~]*)*\n?$/i.test(value.value)) {
      return this.#block(head, value.value, column + step);
    }
    const flow = this.#flow(value);
    if (flow === '') return [head + this.#beside()];
    if (this.#layout.oneIn(10)) return [head + this.#beside(), `${' '.repeat(column + step)}${flow}${this.#beside()}`];
    return [`${head}${this.#layout.pick([' ', ' ', '   '])}${flow}${this.#beside()}`];
  }

  #list(items: readonly Tree[], column: number): string[] {
    const dash = `${' '.repeat(column)}-`;
    return items.flatMap((item) => {
      if (item.kind !== 'map' || item.entries.length === 0 || this.#layout.oneIn(5)) {
        return [...this.#between(column), `${dash} ${this.#flow(item) || 'null'}${this.#beside()}`];
      }
      const gap = this.#layout.pick([' ', ' ', '   ']);
      const inner = column + 1 + gap.length;
      const [[key, value], ...rest] = item.entries as [readonly [string, Tree], ...(readonly [string, Tree])[]];
      const [first = '', ...below] = this.#pair(key, value, inner, 2);
      const fields = rest.flatMap(([name, held]) => [...this.#between(inner), ...this.#pair(name, held, inner, 2)]);
      return [...this.#between(column), dash + gap + first.slice(inner), ...below, ...fields];
    });
  }

  #block(head: string, value: string, column: number): string[] {
    const isKept = this.#layout.oneIn(3);
    const chomping = value.endsWith('\n') ? (isKept ? '+' : '') : '-';
    const lines = value.replace(/\n$/, '').split('\n');
    return [
      `${head} |${chomping}${this.#beside()}`,
      ...lines.map((line) => ' '.repeat(column) + line),
      ...(isKept ? [''] : []),
    ];
  }

  #flow(value: Tree): string {
    switch (value.kind) {
      case 'raw':
        return value.text;
      case 'text':
        return this.#text(value.value);
      case 'list':
        return this.#wrap(
          '[',
          value.items.map((item) => this.#flow(item) || 'null'),
          ']',
        );
      case 'map':
        return this.#wrap(
          '{',
          value.entries.map(([key, item]) => `${this.#key(key)}: ${this.#flow(item)}`),
          '}',
        );
    }
  }

  #wrap(open: string, members: readonly string[], close: string): string {
    const pad = this.#layout.pick(['', ' ']);
    if (members.length === 0) return open + this.#layout.pick(['', '', ' ']) + close;
    return (
      open +
      pad +
      members.join(this.#layout.pick([', ', ', ', ' , '])) +
      (this.#layout.oneIn(8) ? ',' : '') +
      pad +
      close
    );
  }

  #key(key: string): string {
    return /^[a-z][\w.-]*$/i.test(key) && !this.#layout.oneIn(6) ? key : this.#quoted(key);
  }

  #text(value: string): string {
    const isPlain = /^[a-z][\w./ -]*[\w]$/i.test(value) && !/^(true|false|null)$/i.test(value);
    return isPlain && !this.#layout.oneIn(4) ? value : this.#quoted(value);
  }

  #quoted(value: string): string {
    const isPrintable = /^[ -~]*$/.test(value);
    if (isPrintable && this.#layout.oneIn(2)) return `'${value.replaceAll("'", "''")}'`;
    return JSON.stringify(value).replace(
      /[\u007f-\u009f\u2028\u2029\ufeff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }

  #between(column: number): string[] {
    if (!this.#layout.oneIn(6)) return [];
    const comment = `# ${this.#layout.comment()}`;
    return this.#layout.pick([
      [''],
      [' '.repeat(column) + comment],
      [comment],
      [`${' '.repeat(column + 2)}${comment}`],
      ['', ' '.repeat(column) + comment, ''],
    ]);
  }

  #beside(): string {
    return this.#layout.oneIn(6)
      ? this.#layout.pick([` # ${this.#layout.comment()}`, '  ', `     # ${this.#layout.comment()}`])
      : '';
  }
}
