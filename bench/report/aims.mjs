import { cellsAt, numberIn } from './tables.mjs';

/**
 * Whether what was printed holds what is promised.
 *
 * @param aim.atMost - Or `aim.atLeast`: what the number of each place is held against.
 * @param aim.places - Where the numbers stand. A place with several rows counts with its worst one.
 * @returns {{ measured: string, verdict: string, met: boolean | undefined }} `met` is undefined when a number is not there.
 */
export function judge(tables, { atMost, atLeast, places }) {
  const worst = places.map((place) => ({ place, ...worstOf(cellsAt(tables, place), atMost !== undefined) }));
  if (worst.some(({ number }) => number === undefined))
    return { measured: '–', verdict: 'not measured', met: undefined };
  const held = worst.filter(({ number }) => (atMost === undefined ? number >= atLeast : number <= atMost)).length;
  return {
    measured: worst.map(({ place, cell }) => (place.label === undefined ? cell : `${place.label}: ${cell}`)).join('; '),
    verdict: verdictOf(held, worst.length),
    met: held === worst.length,
  };
}

function worstOf(cells, lessIsBetter) {
  const known = cells.filter(({ cell }) => cell !== '').map(({ cell }) => ({ cell, number: numberIn(cell) }));
  if (known.length === 0 || known.some(({ number }) => Number.isNaN(number))) return {};
  const sorted = known.toSorted((left, right) => left.number - right.number);
  return sorted.at(lessIsBetter ? -1 : 0);
}

function verdictOf(held, count) {
  if (held === count) return 'met';
  return held === 0 ? '**not met**' : `**met in ${held} of ${count}**`;
}

/** What `atMost` or `atLeast` asks for, as in `at most 1.5 ×`. */
export function aimText({ aim, atMost, atLeast, unit }) {
  if (aim !== undefined) return aim;
  const [word, number] = atMost === undefined ? ['at least', atLeast] : ['at most', atMost];
  return `${word} ${number.toLocaleString('en')} ${unit}`;
}

/**
 * Which peers did better than ours in one column, each with its number, as in `ai-sdk 0.88 (ours 1.11)`.
 *
 * @param comparison.better - `less` or `more`: which number is the better one.
 * @param comparison.ours - Our rows. The worst of them is compared.
 * @param comparison.peers - The peers' rows; without it all others but those of `comparison.leaveOut`, which are bounds.
 */
export function aheadOfUs(tables, { title, column, better, ours, peers, leaveOut = [] }) {
  const own = worstOf(cellsAt(tables, { title, column, rows: ours }), better === 'less');
  if (own.number === undefined) return [];
  return cellsAt(tables, { title, column })
    .filter(({ label }) => peers?.includes(label) ?? ![...ours, ...leaveOut].includes(label))
    .filter(({ cell }) => cell !== '')
    .filter(({ cell }) => (better === 'less' ? numberIn(cell) < own.number : numberIn(cell) > own.number))
    .map(({ label, cell }) => `${label} ${cell} (ours ${own.cell})`);
}

/** The rows whose ratio to the peer says that the peer took less, as in `two words, p50 1.33`. */
export function rowsAhead(tables, { title, ratio }) {
  return cellsAt(tables, { title, column: ratio })
    .filter(({ cell }) => numberIn(cell) > 1)
    .map(({ label, cell }) => `${label} ${cell}`);
}
