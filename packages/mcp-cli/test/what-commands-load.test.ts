import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

const packageFolder = fileURLToPath(new URL('../', import.meta.url));
/** Reached when a daemon runs, or before it is known which command is meant. */
const entries = [
  'bin',
  'commands/status',
  'commands/search',
  'commands/call',
  'commands/daemon',
  'commands/completion',
];
let outDir: string;
let outputs: ReadonlyMap<string, Output>;

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'mcpx-loads-'));
  await build({
    config: false,
    silent: true,
    entry: Object.fromEntries(entries.map((name) => [name, join(packageFolder, 'src', `${name}.ts`)])),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    metafile: true,
    skipNodeModulesBundle: true,
    external: [/^@x\//],
  });
  const metafile = JSON.parse(await readFile(join(outDir, 'metafile-esm.json'), 'utf8'));
  outputs = new Map(
    Object.entries(metafile.outputs as Record<string, Output>).map(([path, output]) => [
      path.split('/').slice(-2).join('/'),
      output,
    ]),
  );
});

afterAll(() => rm(outDir, { recursive: true, force: true }));

/** Packages that an entry imports at once, itself or through what it imports. */
function packagesOf(entry: string): readonly string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const output = [...outputs].find(([name]) => name === path || name.endsWith(`/${path}`))?.[1];
    if (!output) throw new Error(`${path} was not built`);
    for (const { path: imported, kind, external } of output.imports) {
      if (kind !== 'import-statement') continue;
      if (!external) visit(imported.split('/').at(-1) ?? '');
      else if (!isBuiltin(imported)) found.add(imported);
    }
  };
  visit(`${entry.split('/').at(-1)}.js`);
  return [...found].sort();
}

test('before a command is known, the parser is loaded and nothing else', () => {
  expect(packagesOf('bin')).toEqual(['commander', 'env-paths']);
});

test.each(['commands/status', 'commands/search', 'commands/call', 'commands/daemon', 'commands/completion'])(
  '%s loads neither the libraries nor the protocol SDK while the daemon answers',
  (entry) => {
    const packages = packagesOf(entry);
    expect(packages.filter((name) => !['cli-table3', 'picocolors'].includes(name))).toEqual([]);
  },
);
