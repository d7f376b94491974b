import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks as expectNoServersOf } from '@x/mcp-client-manager/testing';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterAll, expect, test } from 'vitest';
import { type BuiltPrograms, buildPrograms } from './build-programs.js';

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** One works while another waits for its servers. */
const atOnce = 2;
const timeLimitMs = 90_000; // most take a second; a busy machine makes it twenty

const folder = fileURLToPath(new URL('..', import.meta.url));
const programs = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const building = buildPrograms(folder, programs);
const ends = runAll();

test.each(programs)(
  '%s runs to its end and finds what its page promises',
  { timeout: timeLimitMs + 5_000 },
  async (program) => {
    const { exitCode, output } = await (ends.get(program) as Promise<Ended>);
    expect(exitCode, output).toBe(0);
  },
);

afterAll(async () => {
  await Promise.allSettled(ends.values());
  await (await building)[Symbol.asyncDispose]();
  await expectNoLeaks();
}, timeLimitMs);

/** Starts them all, a few at a time, in the order in which the tests wait for them. */
function runAll(): ReadonlyMap<string, Promise<Ended>> {
  const lanes = Array.from({ length: atOnce }, (): Promise<unknown> => building);
  return new Map(
    programs.map((program, index) => {
      const end = (lanes[index % atOnce] as Promise<unknown>).then(async () => runProgram(program, await building));
      lanes[index % atOnce] = end.catch(() => undefined);
      return [program, end];
    }),
  );
}

/** Without input: a server on stdin finds its client gone. What needs files makes a folder of its own. */
async function runProgram(program: string, built: BuiltPrograms): Promise<Ended> {
  const child = spawn(process.execPath, [built.path(program)], {
    cwd: folder,
    env: withOwner(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const keep = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const [exitCode, signal] = await once(child, 'close');
  if (signal !== null) output += `ended by ${signal}, at the latest after ${timeLimitMs} ms`;
  await expectNoServersOf({ host: child.pid });
  return { exitCode, output };
}
