import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { testServer } from '@x/test-servers';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { project } from '../helpers/project.js';
import { type Outcome, runMcpx } from '../helpers/run-mcpx.js';
import { onStage } from '../helpers/stage-commands.js';
import { sample } from './row.js';

const filesystem = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** As many as the dashboard of the samples shows. */
export const gitTools = ['status', 'log', 'diff', 'show', 'add', 'commit', 'branch', 'checkout'];
export const codeSearchTools = ['search', 'index', 'refresh', 'stats', 'files', 'symbols', 'references', 'definitions'];
codeSearchTools.push('callers', 'imports', 'outline', 'similar');

/**
 * A PATH whose `npx` runs the servers of the samples: the official one of npm, and test servers for those that npm does
 * not have. The samples stay as they are.
 */
export async function pathWithNpx(folder: string): Promise<string> {
  const line = ({ command, args }: { command: string; args: readonly string[] }) =>
    [command, ...args].map((word) => `'${word}'`).join(' ');
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const npx = join(bin, 'npx');
  await writeFile(
    npx,
    `#!/bin/sh
case "$2" in
  @modelcontextprotocol/server-filesystem) exec ${line({ command: process.execPath, args: [filesystem, '/tmp'] })} ;;
  @modelcontextprotocol/server-git) exec ${line(testServer('named-tools', '--label', 'git', ...gitTools))} ;;
  @modelcontextprotocol/server-code-search) exec ${line(testServer('named-tools', '--label', 'code', ...codeSearchTools))} ;;
esac
exit 1
`,
  );
  await chmod(npx, 0o755);
  return `${bin}${delimiter}${process.env.PATH}`;
}

export interface SampleProject extends AsyncDisposable {
  readonly folder: string;
  run(...argv: readonly string[]): Promise<Outcome>;
}

/** A project with these files, by default both samples, and commands in it without a daemon. */
export async function sampleProject(files: Readonly<Record<string, string>> = sampleFiles): Promise<SampleProject> {
  const here = await project(files);
  const PATH = await pathWithNpx(here.folder);
  const options = { cwd: here.folder, env: { PATH }, stateDirectory: join(here.folder, 'state') };
  return { ...here, run: (...argv) => runMcpx(argv, options) };
}

export const sampleFiles = {
  'config/tools.yaml': sample('server-integration/tools.yaml'),
  'config/mcp_servers.yaml': sample('server-integration/mcp_servers.yaml'),
};

export interface SampleDaemon extends AsyncDisposable {
  readonly stage: DaemonStage;
  run(...argv: readonly string[]): Promise<Outcome>;
}

/** A daemon over both samples. */
export async function sampleDaemon(): Promise<SampleDaemon> {
  const tools = await project({});
  const stage = await daemonStage([], { env: { PATH: await pathWithNpx(tools.folder) } });
  await writeFile(join(stage.folder, 'mcp_servers.yaml'), sampleFiles['config/mcp_servers.yaml']);
  await writeFile(join(stage.folder, 'tools.yaml'), sampleFiles['config/tools.yaml']);
  return {
    stage,
    run: (...argv) => onStage(stage, argv),
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await tools[Symbol.asyncDispose]();
    },
  };
}
