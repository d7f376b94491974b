import { cellsAt, cellsOfRow, numberIn } from './tables.mjs';

const width = 860;
const edge = 20;
const between = 36;
const line = 20;
const head = 44;
const letter = 7.5; // at most, of the font below on average
const longestLabelInHalf = 24;
const kinds = { ours: 'this project', peer: 'peer', bound: 'bound, no peer' };

/**
 * A picture of bars, one panel for each entry of `charts`, drawn from the tables that a script printed. Each panel has a scale
 * of its own, begins at 0, and shows the printed number beside each bar.
 *
 * @param measurement.charts - For each panel: `heading` and `better` (`less` or `more`), and where its numbers stand: `title`
 *   of the table with a `column`, or with a `row` if each contender is a column. `leaveOut` names contenders without a bar.
 * @param measurement.bounds - Contenders that are no peers but limits, such as a bare pipe.
 * @returns {string | undefined} An SVG; undefined without charts. Throws when a panel has no number.
 */
export function chartOf({ name, title, charts = [], bounds = [] }, tables) {
  if (charts.length === 0) return undefined;
  const panels = charts.map((chart) => ({ ...chart, bars: barsOf(tables, chart) }));
  const empty = panels.find(({ bars }) => bars.length === 0);
  if (empty !== undefined) throw new Error(`The chart "${empty.heading}" of ${name} has no number`);
  const longest = Math.max(...panels.flatMap(({ bars }) => bars.map(({ label }) => label.length)));
  const columns = panels.length === 1 || longest > longestLabelInHalf ? 1 : 2;
  const panelWidth = (width - 2 * edge - (columns - 1) * between) / columns;
  const shape = { panelWidth, labelWidth: longest * letter, bounds };
  let top = edge;
  const drawn = [];
  for (let first = 0; first < panels.length; first += columns) {
    const row = panels.slice(first, first + columns);
    drawn.push(...row.map((panel, at) => drawPanel(panel, edge + at * (panelWidth + between), top, shape)));
    top += head + line * Math.max(...row.map(({ bars }) => bars.length)) + edge;
  }
  const shown = panels.flatMap(({ bars }) => bars.map(({ label }) => kindOf(label, bounds)));
  const legend = Object.entries(kinds).filter(([kind]) => shown.includes(kind));
  return svg(title, top + line + edge / 2, [...drawn, drawLegend(legend, top)]);
}

function barsOf(tables, { row, leaveOut = [], ...place }) {
  const cells = row === undefined ? cellsAt(tables, place) : cellsOfRow(tables, { ...place, row });
  return cells
    .filter(({ label }) => !leaveOut.includes(label))
    .map(({ label, cell }) => ({ label, shown: cell.split(' (')[0], number: numberIn(cell) }))
    .filter(({ number }) => !Number.isNaN(number));
}

function kindOf(label, bounds) {
  if (/^@x\/|^mcpx\b|^registry\.call|^ours$/.test(label)) return 'ours';
  return bounds.includes(label) ? 'bound' : 'peer';
}

function drawPanel({ heading, better, bars }, left, top, { panelWidth, labelWidth, bounds }) {
  const most = Math.max(...bars.map(({ number }) => number));
  const longestNumber = Math.max(...bars.map(({ shown }) => shown.length)) * letter + 8;
  const room = panelWidth - labelWidth - 10 - longestNumber;
  const start = left + labelWidth + 10;
  const rows = bars.map(({ label, shown, number }, at) => {
    const y = top + head + at * line;
    const length = Math.max(1, (room * number) / most).toFixed(1);
    const kind = kindOf(label, bounds);
    const weight = kind === 'ours' ? ' class="strong"' : '';
    return `<text x="${start - 10}" y="${y + 10}" text-anchor="end"${weight}>${escaped(label)}</text>
<rect class="${kind}" x="${start}" y="${y}" width="${length}" height="13" rx="2"/>
<text x="${(start + Number(length) + 6).toFixed(1)}" y="${y + 10}"${weight}>${escaped(shown)}</text>`;
  });
  const hint = better === 'less' ? 'shorter is better' : 'longer is better';
  return `<text class="heading" x="${left}" y="${top + 14}">${escaped(heading)}</text>
<text class="hint" x="${left}" y="${top + 31}">${hint}</text>
${rows.join('\n')}`;
}

function drawLegend(entries, top) {
  let x = edge;
  return entries
    .map(([kind, text]) => {
      const entry = `<rect class="${kind}" x="${x}" y="${top}" width="13" height="13" rx="2"/><text x="${x + 19}" y="${top + 10}">${text}</text>`;
      x += 46 + text.length * letter;
      return entry;
    })
    .join('\n');
}

/** Readable on a light and on a dark page, whichever of the two colour schemes the reader's system has. */
function svg(title, height, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(title)}</title>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1f2328}
.heading{font-size:13px;font-weight:600}.hint{font-size:11px;fill:#59636e}.strong{font-weight:600}
.page{fill:#fff;stroke:#d1d9e0}.ours{fill:#1f6feb}.peer{fill:#9aa4b0}.bound{fill:#fff;stroke:#9aa4b0;stroke-dasharray:3 2}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.hint{fill:#9198a1}
.page{fill:#161b22;stroke:#3d444d}.ours{fill:#4493f8}.peer{fill:#6e7681}.bound{fill:#161b22;stroke:#6e7681}
}
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
