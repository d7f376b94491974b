import { readFileSync } from 'node:fs';

/** The text inside each fence of a page that has this language, such as `yaml`. The page is named from the repository's root. */
export function fencesOf(page: string, language: string): string[] {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/^```(\w*)\n(.*?)^```$/gms)).flatMap(([, itsLanguage, inside = '']) =>
    itsLanguage === language ? [inside] : [],
  );
}

/** The lines of the first fence of this language that begins with `start`. */
export function linesShown(page: string, language: string, start: string): string[] {
  const fence = fencesOf(page, language).find((inside) => inside.startsWith(start));
  if (fence === undefined) throw new Error(`${page} has no fence of ${language} that begins with ${start}`);
  return fence.trimEnd().split('\n');
}

/** What the comments say in the fence of TypeScript that begins with `start`: what its lines print, one after the other. */
export function commentsShown(page: string, start: string): string[] {
  return linesShown(page, 'ts', start).flatMap((line) => {
    const at = line.indexOf('// ');
    return at < 0 ? [] : [line.slice(at + 3)];
  });
}
