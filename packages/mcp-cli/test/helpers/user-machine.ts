import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findLeaks, testServer } from '@x/test-servers';
import { project } from './project.js';
import { startMcpx } from './serving.js';

/**
 * A home directory with files, and `mcpx` as processes of its user, who has given no consent. Their daemons are ended at
 * the end. `MARK` in a file becomes the value of `MCPX_TEST` by which server processes are found.
 */
export async function userMachine(files: Readonly<Record<string, string>>) {
  const mark = randomUUID();
  const marked = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll('MARK', mark)] as const),
  );
  const { folder, [Symbol.asyncDispose]: remove } = await project(marked);
  await mkdir(join(folder, 'home'), { recursive: true });
  await mkdir(join(folder, 'run'), { mode: 0o700 });
  const base = {
    XDG_RUNTIME_DIR: join(folder, 'run'),
    XDG_CONFIG_HOME: join(folder, 'home', '.config'),
    USERPROFILE: join(folder, 'home'),
    MCPX_TRUST: '0',
  };
  const used = new Set<string>();
  const run = async (argv: readonly string[], { cwd = '.', env = {} }: { cwd?: string; env?: object } = {}) => {
    const from = argv.flatMap((word, at) => (/^(--from|--env-file|-c)$/.test(word) ? [word, argv[at + 1] ?? ''] : []));
    used.add(JSON.stringify([cwd, from]));
    const home = { HOME: join(folder, 'home'), XDG_DATA_HOME: join(folder, 'home', 'data') };
    await using command = startMcpx(join(folder, cwd), argv, { ...base, ...home, ...env });
    return await command.ended();
  };
  return {
    folder,
    run,
    list: async (argv: readonly string[] = [], options = {}) => {
      const { stdout } = await run(['list', '--json', ...argv], options);
      return JSON.parse(stdout) as { servers: Record<string, unknown>[]; leftOut?: Record<string, unknown>[] };
    },
    processes: () => findLeaks(`MCPX_TEST=${mark}`),
    write: async (path: string, text: string) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text.replaceAll('MARK', mark));
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of used) {
        const [cwd, from] = JSON.parse(each) as [string, string[]];
        await run(['down', '--now', ...from], { cwd });
      }
      await remove();
    },
  };
}

/** Entry of a server whose process carries the mark. Different `args` make different servers. */
export function markedEcho(fields: object = {}, ...args: string[]) {
  const { command, args: words } = testServer('echo');
  return {
    command,
    args: [...words, ...args],
    ...fields,
    env: { MCPX_TEST: 'MARK', ...('env' in fields ? (fields.env as object) : {}) },
  };
}
