import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Prints the URL of each module file that Node loads. */
const hooks = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    if (url.startsWith('file:')) writeSync(1, url + '\\n');
    return next(url, context);
  }`;
const tracing = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`;

/** The files that a program loads from the built packages. */
async function filesLoadedBy(program: string): Promise<readonly string[]> {
  const args = ['--import', asUrl(tracing), '--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd: here });
  return stdout.trim().split('\n');
}

function asUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

const later = /\/zod\/|\/re2js\/|\/mcp-config-schema\/dist\/(?:index|load)\.js$/;

test.each([
  ['the import', `import '@x/mcp';`],
  [
    'an app with servers of its own',
    `import { openTools } from '@x/mcp'; await (await openTools({ mcpServers: {} })).close();`,
  ],
])('%s loads neither zod nor the parsers of config files', async (_, program) => {
  const files = await filesLoadedBy(program);
  expect(files.some((file) => file.endsWith('/mcp/dist/index.js'))).toBe(true);
  expect(files.filter((file) => later.test(file))).toEqual([]);
});

test('an app that reads files loads them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-loading-'));
  try {
    await writeFile(join(folder, 'mcp_servers.yaml'), 'mcp_servers: {}\n');
    const config = JSON.stringify(join(folder, 'mcp_servers.yaml'));
    const files = await filesLoadedBy(
      `import { openTools } from '@x/mcp'; await (await openTools({ config: ${config} })).close();`,
    );
    const loaded = files.filter((file) => later.test(file)).map((file) => basename(file));
    expect(loaded).toEqual(['load.js']);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
