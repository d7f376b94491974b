import { Layout } from './layout.js';
import type { Tree } from './tree.js';

export interface JsonTextOptions {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

type Style = 'pretty' | 'inline' | 'minified' | 'chaos';

/** A tree as JSON in many styles of people and programs. */
export function jsonText(tree: Tree, choices: readonly number[], options: JsonTextOptions): string {
  const writer = new JsonTextWriter(new Layout(choices), options);
  return writer.document(tree);
}

class JsonTextWriter {
  readonly #layout: Layout;
  readonly #options: JsonTextOptions;
  readonly #unit: string;

  constructor(layout: Layout, options: JsonTextOptions) {
    this.#layout = layout;
    this.#options = options;
    this.#unit = layout.pick(['  ', '    ', '\t', '   ']);
  }

  document(tree: Tree): string {
    const { lineEnd } = this.#layout;
    const style = this.#layout.pick<Style>(['pretty', 'pretty', 'inline', 'minified', 'chaos']);
    const head = this.#options.comments && this.#layout.oneIn(5) ? `// ${this.#layout.comment()}${lineEnd}` : '';
    const tail = this.#layout.pick([lineEnd, '', ` ${lineEnd}${lineEnd}`]);
    const foot = this.#options.comments && this.#layout.oneIn(6) ? `${lineEnd}/* ${this.#layout.comment()} */` : '';
    return head + this.#value(tree, '', style) + foot + tail;
  }

  #value(tree: Tree, indent: string, style: Style): string {
    switch (tree.kind) {
      case 'raw':
        return tree.text;
      case 'text':
        return this.#text(tree.value);
      case 'list':
        return this.#bracket(
          '[',
          tree.items.map((item) => [undefined, item]),
          ']',
          indent,
          style,
        );
      case 'map':
        return this.#bracket('{', tree.entries, '}', indent, style);
    }
  }

  #text(value: string): string {
    const text = JSON.stringify(value);
    return this.#layout.oneIn(8) ? text.replaceAll('/', '\\/').replaceAll('a', '\\u0061') : text;
  }

  #bracket(
    open: string,
    members: readonly (readonly [string | undefined, Tree])[],
    close: string,
    indent: string,
    outer: Style,
  ): string {
    const style = outer === 'pretty' && this.#layout.oneIn(3) ? 'inline' : outer;
    if (members.length === 0) return open + this.#gap(style, indent, this.#layout.oneIn(3)) + close;

    const inner = indent + this.#unit;
    const pad = style === 'inline' ? this.#layout.pick([' ', '']) : '';
    let text = open + pad;
    for (const [index, [key, value]] of members.entries()) {
      text += this.#before(style, inner, index > 0);
      if (key !== undefined)
        text += this.#text(key) + this.#gap(style, inner, false) + this.#colon(style) + this.#gap(style, inner, false);
      text += this.#value(value, inner, style) + this.#gap(style, inner, false);
      const isLast = index === members.length - 1;
      if (!isLast || (this.#options.trailingCommas && this.#layout.oneIn(2))) text += ',';
      text += this.#beside(style);
    }
    return (
      text +
      (style === 'pretty'
        ? this.#layout.lineEnd + this.#comments(indent + this.#unit) + indent
        : pad + this.#gap(style, indent, true)) +
      close
    );
  }

  #before(style: Style, inner: string, follows: boolean): string {
    if (style === 'inline') return follows ? ' ' : '';
    if (style !== 'pretty') return this.#gap(style, inner, true);
    const blank = this.#layout.oneIn(8) ? this.#layout.lineEnd : '';
    return blank + this.#layout.lineEnd + this.#comments(inner) + inner;
  }

  #colon(style: Style): string {
    return style === 'minified' ? ':' : this.#layout.pick([': ', ': ', ':', ' :    ']);
  }

  #comments(indent: string): string {
    if (!this.#options.comments || !this.#layout.oneIn(5)) return '';
    const comment = this.#layout.comment();
    return (
      this.#layout.pick([`${indent}// ${comment}`, `${indent}/* ${comment} */`, `// ${comment}`]) + this.#layout.lineEnd
    );
  }

  #beside(style: Style): string {
    if (!this.#options.comments || style === 'minified' || !this.#layout.oneIn(5)) return '';
    const comment = this.#layout.comment();
    return style === 'pretty'
      ? this.#layout.pick([` // ${comment}`, ` /* ${comment} */`, `// ${comment}`])
      : ` /* ${comment} */`;
  }

  #gap(style: Style, indent: string, mayBreak: boolean): string {
    const { lineEnd } = this.#layout;
    if (style === 'minified') return '';
    if (style !== 'chaos') return mayBreak ? this.#layout.pick(['', ' ', lineEnd + indent]) : '';
    const gap = this.#layout.pick(['', '', ' ', lineEnd, lineEnd + indent, '\t', `  ${lineEnd}${lineEnd}`]);
    if (!this.#options.comments || !this.#layout.oneIn(6)) return gap;
    const comment = this.#layout.comment();
    return gap + this.#layout.pick([`/* ${comment} */`, `// ${comment}${lineEnd}`, `/* ${comment}${lineEnd}*/`]);
  }
}
