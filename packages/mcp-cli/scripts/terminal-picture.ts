import xterm, { type IBufferCell } from '@xterm/headless';

/** Characters in a line of the picture. */
export const columns = 100;

/** A command and all that a terminal received from it, escape sequences included. */
export interface Step {
  readonly command: string;
  readonly output: string;
  readonly tookMs: number;
}

/** Adjacent characters of one style. */
interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: string;
}

const cell = { width: 7.8, height: 18 };
const margin = { left: 16, top: 36, bottom: 14 };
const gap = 6; // above each command
const typingMs = 350;
const longestWaitMs = 600;
const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * An SVG of the steps, one below the other. Commands and outputs appear in turn, at most 0.6 s apart, and stay. A reader who
 * prefers reduced motion sees all of them at once.
 */
export async function terminalPicture(steps: readonly Step[]): Promise<string> {
  const groups: string[] = [];
  const times: number[] = [];
  let y = margin.top;
  let at = 0;
  const show = (lines: readonly (readonly Run[])[], afterMs: number): void => {
    at += afterMs;
    times.push(at);
    const texts = lines.map((runs, row) => textOf(runs, y + (row + 1) * cell.height));
    y += lines.length * cell.height;
    groups.push(`<g style="animation-name:a${groups.length}">\n${texts.join('\n')}\n</g>`);
  };
  for (const { command, output, tookMs } of steps) {
    y += gap;
    show(await linesOf(prompt(command)), typingMs);
    show(await linesOf(output), Math.min(tookMs, longestWaitMs));
  }
  const keyframes = times.map((time, index) => {
    return `@keyframes a${index}{0%{opacity:0}${((100 * time) / at).toFixed(2)}%,100%{opacity:1}}`;
  });
  const width = Math.ceil(columns * cell.width + 2 * margin.left);
  const height = y + margin.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>A terminal in which mcpx runs two servers</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9;white-space:pre}
g{animation:${(at / 1_000).toFixed(1)}s step-end}
.bold{font-weight:600;fill:#fff}.dim{fill:#8b949e}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}
.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#56d4dd}
@media (prefers-reduced-motion:reduce){g{animation:none}}
${keyframes.join('\n')}
</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
${groups.join('\n')}
</svg>
`;
}

function prompt(command: string): string {
  const [typed, comment] = command.split(/(?= {2}# )/);
  return `\x1b[32m$\x1b[m \x1b[1m${typed}\x1b[m\x1b[2m${comment ?? ''}\x1b[m`;
}

/** The lines on a terminal of that width at the end, without empty lines below it. */
async function linesOf(output: string): Promise<readonly (readonly Run[])[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 30, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => runsOf(active.getLine(row), active.getNullCell()));
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((runs) => runs.length > 0) + 1);
}

function runsOf(
  line: { getCell(at: number, cell: IBufferCell): IBufferCell | undefined } | undefined,
  held: IBufferCell,
) {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const found = line?.getCell(column, held);
    const text = found?.getChars() ?? '';
    if (found === undefined || text.trim() === '') continue;
    const style = styleOf(found);
    const last = runs.at(-1);
    const gap = last === undefined ? 0 : column - last.column - last.text.length;
    if (last?.style === style && gap <= 1) runs.splice(-1, 1, { ...last, text: last.text + ' '.repeat(gap) + text });
    else runs.push({ column, text, style });
  }
  return runs;
}

function styleOf(found: IBufferCell): string {
  const colour = found.isFgPalette() ? colours[found.getFgColor()] : undefined;
  return [found.isBold() ? 'bold' : undefined, found.isDim() ? 'dim' : undefined, colour].filter(Boolean).join(' ');
}

/** Each run has its exact place and width, in any font. */
function textOf(runs: readonly Run[], y: number): string {
  const spans = runs.map(({ column, text, style }) => {
    const x = (margin.left + column * cell.width).toFixed(1);
    const width = (text.length * cell.width).toFixed(1);
    const name = style === '' ? '' : ` class="${style}"`;
    return `<tspan x="${x}" textLength="${width}" lengthAdjust="spacingAndGlyphs"${name}>${escaped(text)}</tspan>`;
  });
  return `<text y="${y}">${spans.join('')}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
