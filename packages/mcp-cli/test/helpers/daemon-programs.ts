import { join } from 'node:path';
import { inject } from 'vitest';
import type { DaemonPrograms } from '../../src/io.js';

/** The daemon's two programs, as `bundle-programs.ts` has made them. */
export function daemonPrograms(): DaemonPrograms {
  const program = (name: string): readonly string[] => [process.execPath, join(inject('daemonFolder'), `${name}.js`)];
  return { command: ['/usr/bin/mcpx'], parent: program('daemon-parent'), worker: program('daemon-worker') };
}

/** Path of `mcpx` itself, with its daemon beside it. */
export function mcpxProgram(): string {
  return join(inject('mcpxFolder'), 'bin.js');
}
