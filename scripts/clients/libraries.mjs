// Client libraries: a program of programs/ runs beside each, and prints what it gets from the gateway.
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../run.mjs';
import { expected } from './expected.mjs';

const programs = fileURLToPath(new URL('programs/', import.meta.url));

/** Programs by the library's package; `spec` is the version to install. */
export const libraries = {
  '@modelcontextprotocol/sdk': { spec: '1', program: 'sdk-1.mjs', name: 'MCP SDK 1.x' },
  '@modelcontextprotocol/client': { spec: '2', program: 'sdk-2.mjs', name: 'MCP SDK 2.x' },
  '@ai-sdk/mcp': { spec: 'latest', program: 'ai-sdk.mjs', name: 'AI SDK, `@ai-sdk/mcp`' },
};

/** By what is tried, the field of a program's output. */
const fields = {
  'lists tools': (output) => output,
  'calls a tool': ({ called }) => called,
  'lists resources': (output) => output,
  'reads a resource': ({ read }) => read,
  'lists prompts': (output) => output,
  'gets a prompt': ({ prompt }) => prompt,
};

/**
 * @param {object} options
 * @param {string} options.folder - Where the packages are installed.
 * @param {string} options.node - Path of the Node that all libraries run on.
 * @param {(name: string) => Promise<string>} options.versionOf - Installed version of a package.
 * @param {Record<string, object>} options.gateways - Host server by the name of its transport.
 * @param {import('./tried.mjs').Tried} options.tried
 */
export async function tryLibraries({ folder, node, versionOf, gateways, tried }) {
  for (const file of await readdir(programs)) await cp(join(programs, file), join(folder, file));
  for (const [library, { name, program }] of Object.entries(libraries)) {
    const { check } = tried.begin(name, await versionOf(library));
    for (const [way, gateway] of Object.entries(gateways)) {
      const output = await check(way, 'connects', async () => {
        const env = { ...process.env, GATEWAY: JSON.stringify(gateway) };
        return JSON.parse((await run(node, [join(folder, program)], { cwd: folder, env, timeoutMs: 60_000 })).stdout);
      });
      if (output === undefined) continue;
      for (const [what, part] of Object.entries(fields)) await check(way, what, () => expected[what](part(output)));
    }
  }
}
