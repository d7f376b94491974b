import { readFileSync } from 'node:fs';
import { dirname, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRelative, onGitHub, targetOf } from './links-out-of-the-site.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A page as plain Markdown: includes are filled in, comments and tags are gone, and links lead to the plain pages of the site.
 *
 * @param file - Absolute path of the page.
 * @param from - Place on the site that relative links start from, such as `errors/index.md`.
 */
export function plainPage(file: string, from: string): string {
  const whole = readFileSync(file, 'utf8').replace(/^<!-- @include: (\S+)#(\S+) -->$/gm, (_, path, region) =>
    regionOf(resolve(dirname(file), path), region),
  );
  return outsideOfCode(whole, (text) => withLinks(withoutTags(text), file, from))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The address of a page of the repository on the site, as plain Markdown; undefined for other files. */
export function placeOf(file: string): string | undefined {
  const path = relative(root, file).replaceAll('\\', '/');
  const name = /^packages\/([a-z-]+)(\/README\.md)?$/.exec(path)?.[1];
  if (name !== undefined) return `packages/${name}.md`;
  const page = /^docs\/(?!snippets\/)(.+\.md)$/.exec(path)?.[1];
  return page?.replace(/(^|\/)README\.md$/, '$1index.md');
}

function regionOf(file: string, region: string): string {
  const text = readFileSync(file, 'utf8');
  const inside = text.split(`<!-- #region ${region} -->\n`)[1]?.split(`<!-- #endregion ${region} -->`)[0];
  if (inside === undefined) throw new Error(`${relative(root, file)} has no region "${region}"`);
  return inside;
}

/** Changes everything but fences and code in a line. */
function outsideOfCode(text: string, change: (text: string) => string): string {
  const parts = text.split(/(^ *```[\s\S]*?^ *```$|`[^`\n]*`)/m);
  return parts.map((part, at) => (at % 2 === 0 ? change(part) : part)).join('');
}

function withoutTags(text: string): string {
  return text
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, 'Picture: $1')
    .replace(/<\/?(details|summary)>/g, '');
}

function withLinks(text: string, file: string, from: string): string {
  return text
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, 'Picture: $1')
    .replace(/(?<=\]\()[^)\s]+(?=\))|(?<=^\[[^\]]+\]: )\S+$/gm, (link) => onTheSite(link, file, from));
}

function onTheSite(link: string, file: string, from: string): string {
  if (!isRelative(link)) return link;
  const target = targetOf(link, file);
  const place = placeOf(target.file);
  return (place === undefined ? onGitHub(target.file) : posix.relative(posix.dirname(from), place)) + target.anchor;
}
