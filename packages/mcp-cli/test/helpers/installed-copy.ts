import { cpSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import type { DaemonPrograms } from '../../src/command.js';

const packages = fileURLToPath(new URL('../../../', import.meta.url));

/** The package with all that it needs in a folder of its own, as a package manager would lay it out. */
export interface InstalledCopy extends AsyncDisposable {
  readonly programs: DaemonPrograms;
  /** Puts another version in its place, of which no module can be loaded; what is no module is the same. */
  replace(): Promise<void>;
  /** Puts the first version back. */
  restore(): Promise<void>;
  remove(): Promise<void>;
  /** Replaces a text in the package's own programs, wherever it is. */
  rewrite(text: string, by: string): Promise<void>;
}

export async function installedCopy(): Promise<InstalledCopy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcpx-installed-')));
  const modules = join(folder, 'node_modules');
  const first = join(folder, 'first-version');
  const own = join(modules, '@x', 'mcp-cli');
  await install(first);
  const restore = async (): Promise<void> => {
    await rm(modules, { recursive: true, force: true });
    cpSync(first, modules, { recursive: true, verbatimSymlinks: true });
  };
  await restore();
  const program = (name: string): readonly string[] => [process.execPath, join(own, 'dist', `${name}.js`)];
  return {
    programs: { command: program('bin'), parent: program('daemon-parent'), worker: program('daemon-worker') },
    restore,
    remove: () => rm(modules, { recursive: true }),
    rewrite: async (text, by) => {
      let places = 0;
      for (const file of (await modulesIn(modules)).filter((each) => each.startsWith(join('@x', 'mcp-cli')))) {
        const program = await readFile(join(modules, file), 'utf8');
        if (!program.includes(text)) continue;
        places += 1;
        await writeFile(join(modules, file), program.replaceAll(text, by));
      }
      if (places === 0) throw new Error(`No program of the package holds ${text}`);
    },
    replace: async () => {
      await rm(modules, { recursive: true });
      cpSync(join(first, '@x'), join(modules, '@x'), { recursive: true });
      for (const file of await modulesIn(first)) {
        await writeFile(join(modules, file), `throw new Error('another version was loaded: ${file}');\n`);
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function install(modules: string): Promise<void> {
  const own = join(modules, '@x', 'mcp-cli');
  await mkdir(own, { recursive: true });
  const needed = await dependenciesOf(join(packages, 'mcp-cli'));
  const libraries = needed.filter((name) => name.startsWith('@x/')).map((name) => name.slice('@x/'.length));
  for (const name of libraries) {
    for (const part of ['package.json', 'dist']) {
      cpSync(join(packages, name, part), join(modules, '@x', name, part), { recursive: true });
    }
  }
  cpSync(join(packages, 'mcp-cli', 'package.json'), join(own, 'package.json'));
  for (const name of [...libraries, 'mcp-cli']) await linkDependencies(join(packages, name), modules);
  await build({
    config: false,
    silent: true,
    entry: ['bin', 'daemon-parent', 'daemon-worker'].map((name) => join(packages, 'mcp-cli', 'src', `${name}.ts`)),
    outDir: join(own, 'dist'),
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    splitting: true,
    tsconfig: join(packages, 'mcp-cli', 'tsconfig.json'),
    external: [...(await dependenciesOf(join(packages, 'mcp-cli')))],
  });
  await mkdir(join(own, 'dist', 'dashboard'));
  await writeFile(join(own, 'dist', 'dashboard', 'index.html'), '<!doctype html><title>Servers</title>\n');
}

async function linkDependencies(from: string, modules: string): Promise<void> {
  for (const name of await dependenciesOf(from)) {
    const place = join(modules, name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(await realpath(join(from, 'node_modules', name)), place).catch(() => undefined); // it is there already
  }
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies);
}

/**
 * Paths of the JavaScript files of the project's own packages. They are written to: a link would lead out of the copy, into the
 * workspace and, through hard links, into the store of the package manager.
 */
async function modulesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(folder, '@x'), { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink());
  if (links.length > 0)
    throw new Error(`The copy has links in its own packages: ${links.map(({ name }) => name).join()}`);
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.js'));
  return files.map((entry) => join(relative(folder, entry.parentPath), entry.name));
}
