import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { DaemonPrograms } from '../../src/command.js';

/** The daemon's two programs, as `bundle-programs.ts` has made them. */
export function daemonPrograms(): DaemonPrograms {
  const program = (name: string): readonly string[] => [process.execPath, join(inject('programsFolder'), `${name}.js`)];
  return { command: ['/usr/bin/mcpx'], parent: program('daemon-parent'), worker: program('daemon-worker') };
}

/** The same as the package's own build has made them. */
export function builtPrograms(): DaemonPrograms {
  const program = (name: string): readonly string[] => [
    process.execPath,
    fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url)),
  ];
  return { command: program('bin'), parent: program('daemon-parent'), worker: program('daemon-worker') };
}

/** Path of `mcpx` itself, with its daemon beside it. */
export function mcpxProgram(): string {
  return join(inject('programsFolder'), 'bin.js');
}
