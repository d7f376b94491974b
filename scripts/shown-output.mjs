const block = /^```text\n([\s\S]*?)^```$/gm;

/** The outputs that a page shows: the lines of each of its `text` blocks. */
export function outputsIn(page) {
  return Array.from(page.matchAll(block), ([, text]) => text.trimEnd().split('\n'));
}

/**
 * Looks for an output in a printed text. `…` stands for any part of a line, and alone for any number of lines.
 * @returns The first line that does not follow those before it; `undefined` if all were printed.
 */
export function firstNotPrinted(lines, printed) {
  return lines.find((_, index) => !patternOf(lines.slice(0, index + 1)).test(printed));
}

function patternOf(lines) {
  const parts = lines.map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${escaped(line)} *\\n`));
  return new RegExp(`^${parts.join('')}`, 'm');
}

function escaped(line) {
  return line
    .split('…')
    .map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
    .join('.*');
}
