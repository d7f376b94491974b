import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Writes the licenses of every package that became part of the build, as they ask for, into one file. */
export function bundledLicenses(file: string): Plugin {
  return {
    name: 'bundled-licenses',
    setup(build) {
      build.onEnd(async ({ metafile }) => {
        const outputs = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.entries(inputs));
        const used = outputs.flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
        const folders = used.map((input) => packageFolder.exec(input)?.[0]);
        const packages = [...new Set(folders)].filter((folder) => folder !== undefined);
        await mkdir(dirname(file), { recursive: true }); // this may come before the first file of the build is written
        await writeFile(file, (await Promise.all(packages.toSorted().map(licenseOf))).join('\n'));
      });
    },
  };
}

const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** @throws {Error} The package has none: then it must not be part of the build. */
async function licenseOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no file with its license`);
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
}
