import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Options } from 'tsup';

/** Programs as JavaScript, in a folder that disposal removes. */
export interface BuiltPrograms extends AsyncDisposable {
  /** Path of a program, by the name of its source. */
  path(program: string): string;
}

/** Builds programs once: a loader of TypeScript in each process takes longer than most of them run. */
export async function buildPrograms(folder: string, programs: readonly string[]): Promise<BuiltPrograms> {
  const cache = join(folder, 'node_modules', '.cache'); // packages are found from there
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'programs-'));
  await build({
    config: false,
    silent: true,
    entry: programs.map((program) => join(folder, program)),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(folder, '..', '..', 'tsconfig.json'),
    skipNodeModulesBundle: true,
    esbuildPlugins: [sourcePlaces],
  });
  return {
    path: (program) => join(outDir, program.replace(/\.ts$/, '.js')),
    [Symbol.asyncDispose]: () => rm(outDir, { recursive: true, force: true }),
  };
}

/** `import.meta` keeps naming the source. */
const sourcePlaces: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'source-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};
