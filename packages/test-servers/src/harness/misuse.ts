import { readFileSync } from 'node:fs';

/** One mistake: throws, rejects, or returns what it leads to. */
export type Mistake = () => MistakeOutcome | Promise<MistakeOutcome>;

/** `works`: what was meant happens. `reports`: a text of a diagnostic, an event or a status. */
export type MistakeOutcome = { readonly works: string } | { readonly reports: string } | { readonly returned: unknown };

/** Rows of the table below a heading of docs/decisions/misuse.md: what one writes, and what happens. */
export function documentedMistakes(page: URL, heading: string): ReadonlyMap<string, string> {
  const sections = readFileSync(page, 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = Array.from(section.matchAll(/^\| `(.+?)` \| (.+) \|$/gm), ([, written = '', outcome = '']) => [
    written.replaceAll('\\|', '|'),
    outcome.replaceAll('\\|', '|'),
  ]);
  return new Map(rows as [string, string][]);
}

/** As in the second column of the page. */
export async function outcomeOf(mistake: Mistake): Promise<string> {
  try {
    const outcome = await mistake();
    if ('works' in outcome) return `works: ${oneLine(outcome.works)}`;
    if ('reports' in outcome) return `reports \`${oneLine(outcome.reports)}\``;
    return `nothing: ${String(outcome.returned)}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code } = error as { readonly code?: unknown };
    return `throws ${code === undefined ? '' : `\`${code}\`: `}\`${oneLine(error.message)}\``;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
