import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The `mcpx` of this project, as processes of a user in a folder.
 * @param options - `cwd` and `env` of each process.
 */
export async function installedMcpx(options) {
  const manifest = fileURLToPath(new URL('../package.json', import.meta.resolve('@x/mcp-cli')));
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'));
  const program = join(dirname(manifest), bin.mcpx);
  const outcome = async (...args) => {
    try {
      return { code: 0, ...(await promisify(execFile)(process.execPath, [program, ...args], options)) };
    } catch (error) {
      return error;
    }
  };
  /** What it writes to stdout. Throws when it fails. */
  const text = async (...args) => {
    const { code, stdout, stderr } = await outcome(...args);
    if (code !== 0) throw new Error(`mcpx ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  };
  return { program, outcome, text, json: async (...args) => JSON.parse(await text(...args, '--json')) };
}
