import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findLeaks, testServer } from '@x/test-servers';
import { vi } from 'vitest';
import { daemonPrograms } from './daemon-programs.js';
import { project } from './project.js';
import { runMcpx } from './run-mcpx.js';
import { ioIn } from './serving.js';

/**
 * A home directory with files, and the commands of its user, who has given no consent. Their daemons are ended at the
 * end. `MARK` in a file becomes the value of `MCPX_TEST` by which server processes are found.
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
  const run = async (
    argv: readonly string[],
    { cwd = '.', env = {} }: { cwd?: string; env?: Record<string, string> } = {},
  ) => {
    const from = argv.flatMap((word, at) => (/^(--from|--env-file|-c)$/.test(word) ? [word, argv[at + 1] ?? ''] : []));
    used.add(JSON.stringify([cwd, from]));
    const io = { ...ioIn(folder, { ...base, ...env }), cwd: join(folder, cwd), daemonPrograms: daemonPrograms() };
    // The user's own config is looked for in the environment of the process.
    for (const name of ['HOME', 'XDG_CONFIG_HOME']) vi.stubEnv(name, io.env[name]);
    try {
      return await runMcpx(argv, io);
    } finally {
      vi.unstubAllEnvs();
    }
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
