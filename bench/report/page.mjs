import { githubSlug } from '../../scripts/docs/github-slug.mjs';
import { aheadOfUs, aimText, judge, rowsAhead } from './aims.mjs';
import { readTables } from './tables.mjs';

/**
 * The page about all that is measured.
 *
 * @param measurements - What there is to measure.
 * @param kept - By the measurement's name: what it printed last, see `readKept`. One that takes long and was never run is
 *   left out; another one is said not to have been measured.
 */
export function putTogether(measurements, kept) {
  const shown = measurements.filter(({ name, apart }) => !apart || kept.has(name));
  return [head, promises(shown, kept), ...shown.map((measurement) => section(measurement, kept.get(measurement.name)))]
    .join('\n\n')
    .concat('\n');
}

/** Place of a measurement's chart, from the page's folder. */
export function chartPath(name) {
  return `images/benchmarks/${name}.svg`;
}

const head = `# Benchmarks

Every number on this page was printed by a program that is part of this project, and the page is put together from what was printed.

- A number on its own says more about the machine than about the code. So each is measured beside a *peer*, which is what you would use
  instead, in the same run and on the same work; the ratio is what to look at.
- Contenders run in turns, the first round is thrown away, and what is shown is the median. *Middle half* is where the middle half of
  the rounds lies.
- A program checks that both sides came to the same result before it compares their times.
- Measure it yourself: \`npx -y pnpm@12.21.0 bench\` takes about half an hour, and with \`--quick\` a few minutes for a first look.
  [How each is measured](../bench/README.md).`;

/** What is promised about each measurement, one line each. */
function promises(measurements, kept) {
  const rows = measurements.flatMap(({ name, title, aims = [] }) => {
    const tables = readTables(kept.get(name)?.output ?? '');
    return aims.map((aim) => {
      const { measured, verdict } = judge(tables, aim);
      return `| [${aim.says}](#${githubSlug(title)}) | ${aimText(aim)} | ${measured} | ${verdict} |`;
    });
  });
  return [
    '## What is promised, and what holds',
    '',
    'An aim stays when it is not reached. A promise with several numbers is met when all of them reach it.',
    '',
    '| Promise | Aim | Measured | Held |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function section(measurement, kept) {
  const { title, about, name } = measurement;
  if (kept === undefined) return `## ${title}\n\n${about}\n\nNot measured yet: \`node bench/all.mjs --only ${name}\`.`;
  const output = withoutTags(kept.output);
  const shown = measurement.folded ? `<details>\n<summary>All tables</summary>\n\n${output}\n\n</details>` : output;
  const parts = [
    `## ${title}`,
    about,
    ...(measurement.charts === undefined ? [] : [`![Chart: ${title}](${chartPath(name)})`]),
    ...whereBehind(measurement, readTables(kept.output)),
    shown,
    circumstances(kept.facts),
  ];
  return parts.join('\n\n');
}

/** A sentence about each table in which a peer did better; one for all when there is no such table. */
function whereBehind({ behind = [], behindInRows = [] }, tables) {
  if (behind.length + behindInRows.length === 0) return [];
  const said = behind.flatMap(({ says }) => says ?? []);
  const compared = [...behind.filter(({ says }) => says === undefined), ...behindInRows];
  const lists = compared.flatMap((comparison) => {
    const ahead = comparison.ratio === undefined ? aheadOfUs(tables, comparison) : rowsAhead(tables, comparison);
    if (ahead.length === 0) return [];
    const where = [comparison.title, comparison.ratio === undefined ? comparison.column : undefined].filter(Boolean);
    return `- ${where.join(', ')}: ${ahead.join(', ')}`;
  });
  if (lists.length > 0) return [[...said, 'Where we are not ahead:', '', ...lists].join('\n')];
  return said.length > 0 ? said : ['No peer was ahead of us in this run.'];
}

function circumstances({ measured, command, machine, commit, note }) {
  const parts = [
    `Measured ${measured} with \`${command}\``,
    machine,
    commit === undefined ? undefined : `commit ${commit}`,
  ];
  return `*${parts.filter(Boolean).join('; ')}.*${note === undefined ? '' : ` ${note}`}`;
}

/** `<` outside of code begins a tag, on the site as on GitHub. */
export function withoutTags(text) {
  return text.replace(/(`[^`\n]*`)|</g, (_, code) => code ?? '&lt;');
}
