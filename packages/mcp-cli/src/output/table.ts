import Table from 'cli-table3';

/** A table with a rule under its head and no other lines, so that it reads well and copies well. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: [...head],
    chars: lines,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  drawn.push(...rows.map((row) => [...row]));
  return `${drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

const none = '';
const lines = {
  top: none,
  'top-mid': none,
  'top-left': none,
  'top-right': none,
  bottom: none,
  'bottom-mid': none,
  'bottom-left': none,
  'bottom-right': none,
  left: none,
  'left-mid': none,
  mid: none,
  'mid-mid': none,
  right: none,
  'right-mid': none,
  middle: none,
};
