import { LineCounter } from 'yaml';

/** Lines and columns of offsets, both from 1. */
export class TextPositions {
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#lines.addNewLine(0);
    for (let newline = text.indexOf('\n'); newline !== -1; newline = text.indexOf('\n', newline + 1)) {
      this.#lines.addNewLine(newline + 1);
    }
  }

  readonly at = (offset: number): { line: number; column: number } => {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  };
}
