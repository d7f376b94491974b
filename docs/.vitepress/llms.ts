import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SiteConfig } from 'vitepress';
import { type Group, groups } from './groups.js';
import { titleOf } from './page-items.js';
import { placeOf, plainPage } from './plain-page.js';
import { repository } from './repository.js';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/**
 * Writes the site for language models: every page and every package's README as Markdown, `llms.txt` with a link to each
 * guide, and `llms-full.txt` with all guides and READMEs in one file.
 *
 * @see https://llmstxt.org
 */
export function writeTextsForModels({ srcDir, outDir, pages }: Pick<SiteConfig, 'srcDir' | 'outDir' | 'pages'>): void {
  const readmes = publishedPackages().map(({ name }) => join(packages, name, 'README.md'));
  for (const file of [...pages.map((page) => join(srcDir, page)), ...readmes]) {
    const place = placeOf(file);
    if (place !== undefined) write(join(outDir, place), plainPage(file, place));
  }
  const guides = ['README', ...groups.flatMap((group) => group.pages)].map((page) => join(srcDir, `${page}.md`));
  const full = [...guides, ...readmes].map((file) => `Source: ${placeOf(file)}\n\n${plainPage(file, 'llms-full.txt')}`);
  write(join(outDir, 'llms-full.txt'), full.join('\n\n---\n\n'));
  write(join(outDir, 'llms.txt'), listOfPages(plainPage(join(srcDir, 'README.md'), 'llms.txt')));
}

/** The guides in the order of the sidebar, each with what the home page says of it. */
function listOfPages(home: string): string {
  const [title, summary] = home.split('\n\n');
  const said = new Map(
    Array.from(
      home.matchAll(/\[[^\]]+\]\(([a-z/-]+\.md)\)(?:\*\*)?:(?:\*\*)? (.+(?:\n {2,}.+)*)$/gm),
      ([, page = '', text]) => [page, text?.replace(/\n\s+/g, ' ')],
    ),
  );
  const line = (page: string) => {
    const place = page.replace(/(^|\/)README$/, '$1index');
    const about = said.get(`${place}.md`);
    return `- [${titleOf(page)}](${place}.md)${about === undefined ? '' : `: ${about}`}`;
  };
  const section = (group: Group) => `## ${group.title}\n\n${group.pages.map(line).join('\n')}`;
  return `${title}

> ${summary?.replaceAll('\n', ' ')}

All guides and the READMEs of the packages in one file: [llms-full.txt](llms-full.txt)

${groups.map(section).join('\n\n')}

## READMEs of the packages

${publishedPackages()
  .map(({ name, description }) => `- [@x/${name}](packages/${name}.md): ${description}`)
  .join('\n')}

## Optional

- [API reference](api/index.md): every export of every entry
${groups.flatMap(({ folders = [] }) => folders.map((folder) => line(`${folder}/README`))).join('\n')}
- [Source code](${repository})`;
}

function publishedPackages(): readonly { readonly name: string; readonly description: string }[] {
  return readdirSync(packages)
    .map((name) => ({ ...JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')), name }))
    .filter((manifest) => manifest.private !== true);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}
