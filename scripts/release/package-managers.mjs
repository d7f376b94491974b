// How a stranger's project says where our packages are, and how each package manager installs it and runs what it has.
// Other packages come from the registry that npm is configured with.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { scopeOf } from './local-registry.mjs';

const yarns = { classic: 'yarn@1.22.22', berry: '@yarnpkg/cli-dist@4.18.1' };

/** The lines for `.npmrc`, which npm, pnpm and Yarn 1 read. */
export function npmrc({ name, url }) {
  return `${scopeOf(name)}:registry=${url}\n`;
}

/** Installs both Yarns into `folder`, and describes them and pnpm: how each is used in a project's folder. */
export async function otherPackageManagers(folder) {
  const packages = Object.entries(yarns).map(([alias, spec]) => `yarn-${alias}@npm:${spec}`);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
  const yarn = (alias) => join(folder, 'node_modules', `yarn-${alias}`, 'bin', 'yarn.js');
  const classic = (cwd, args) => {
    const env = { ...process.env, YARN_CACHE_FOLDER: join(folder, 'classic-cache') };
    return run(process.execPath, [yarn('classic'), '--silent', '--non-interactive', ...args], { cwd, env });
  };
  const berry = (cwd, args) => run(process.execPath, [yarn('berry'), ...args], { cwd });
  return [
    {
      name: 'pnpm',
      // A dependency of OpenTelemetry's SDK has a script that only warns. pnpm wants a decision about each script.
      prepare: (cwd) => writeFile(join(cwd, 'pnpm-workspace.yaml'), 'allowBuilds:\n  protobufjs: false\n'),
      install: (cwd) => run('pnpm', ['install', '--no-frozen-lockfile'], { cwd }),
      node: (cwd, args) => run(process.execPath, args, { cwd }),
      execute: (cwd, args) => run('pnpm', ['--silent', 'exec', ...args], { cwd }),
    },
    {
      name: 'Yarn 1',
      install: (cwd) => classic(cwd, ['install']),
      node: (cwd, args) => run(process.execPath, args, { cwd }),
      execute: (cwd, args) => classic(cwd, ['run', ...args]),
    },
    {
      name: "Yarn 4 with Plug'n'Play",
      prepare: (cwd, registry) => writeBerrySettings(cwd, registry, join(folder, 'berry')),
      install: (cwd) => berry(cwd, ['install']),
      node: (cwd, args) => berry(cwd, ['node', ...args]),
      execute: (cwd, args) => berry(cwd, ['run', ...args]),
    },
  ];
}

/** Yarn 4 reads neither `.npmrc` nor npm's settings, and waits with packages that were published within the last days. */
async function writeBerrySettings(cwd, { name, url }, globalFolder) {
  const scope = scopeOf(name);
  const settings = {
    npmRegistryServer: await npmSetting('registry'),
    npmScopes: { [scope.slice(1)]: { npmRegistryServer: url } },
    npmPreapprovedPackages: [`${scope}/*`],
    unsafeHttpWhitelist: ['127.0.0.1'],
    enableImmutableInstalls: false,
    enableTelemetry: false,
    globalFolder,
  };
  const authorities = await npmSetting('cafile');
  if (authorities !== 'null') settings.httpsCaFilePath = authorities;
  // JSON is YAML, too.
  await writeFile(join(cwd, '.yarnrc.yml'), JSON.stringify(settings));
}

export async function npmSetting(name) {
  return (await run('npm', ['config', 'get', name])).stdout.trim();
}
