import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const packages = fileURLToPath(new URL('../../', import.meta.url));

/** Makes the project's own packages part of the build. From their sources, so that what their builds contain twice is there once. */
export function ownSources(): Plugin {
  return {
    name: 'own-sources',
    setup(build) {
      build.onResolve({ filter: /^@x\// }, ({ path }) => {
        const [, name = '', ...entry] = path.split('/');
        return { path: `${packages}${name}/${sourceOf(name, ['.', ...entry].join('/'))}`, sideEffects: false };
      });
    },
  };
}

/** The file that an entry of `exports` is built from. */
function sourceOf(name: string, entry: string): string {
  const { exports } = JSON.parse(readFileSync(`${packages}${name}/package.json`, 'utf8'));
  return exports[entry].default.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts');
}
