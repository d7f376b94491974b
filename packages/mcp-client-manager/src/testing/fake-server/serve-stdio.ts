import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { FakeConversation, type FakeMessage } from './fake-conversation.js';
import type { FakeHistory } from './fake-history.js';
import { FakeLife } from './fake-life.js';
import type { FakeSignal } from './fake-server-script.js';
import type { FakeServerPlan } from './resolve-script.js';

/** Lines that a client must skip. */
const junk = [
  'Starting the server, please wait...',
  '\u001b[32mready\u001b[0m',
  '',
  '{"jsonrpc":"2.0","id":',
  '42',
  '[]',
  '{"hello":"world"}',
  '{"jsonrpc":"1.0","id":0,"result":{}}',
].join('\n');

export function serveStdio(plan: FakeServerPlan, history: FakeHistory): void {
  const life = new FakeLife(plan, history);
  if (typeof life.start === 'object' && 'exit' in life.start) {
    if (life.start.stderr !== undefined) writeBlocking(2, `${life.start.stderr}\n`);
    process.exit(life.start.exit);
  }
  if (plan.grandchild) startGrandchild(plan.grandchild);
  if (plan.ignores.includes('SIGTERM')) process.on('SIGTERM', () => undefined);
  floodStderr(plan);
  const outside = { send: (message: object) => output.write(JSON.stringify(message)) };
  const output = new Output(plan);
  const body = { die, closeOutput: () => output.close(), makeNoise: () => floodStderr(plan) };
  const conversation = new FakeConversation({ life, outside, body });
  createInterface({ input: process.stdin })
    .on('line', (line) => conversation.receive(parse(line), outside))
    .on('close', () => {
      if (plan.ignores.includes('stdin-end')) setInterval(() => undefined, 60_000);
      else process.exit(0);
    });
}

class Output {
  readonly #plan: FakeServerPlan;
  #isOpen = true;

  constructor(plan: FakeServerPlan) {
    this.#plan = plan;
  }

  /** A Node stream would keep the descriptor open. */
  write(line: string): void {
    if (!this.#isOpen) return;
    if (!this.#plan.noise.stdout) return void writeBlocking(1, `${line}\n`);
    const middle = Math.floor(line.length / 2);
    writeBlocking(1, `${junk}\n${line.slice(0, middle)}`);
    writeBlocking(1, `${line.slice(middle)}\r\n`);
  }

  close(): void {
    if (this.#isOpen) closeSync(1);
    this.#isOpen = false;
  }
}

function die(how: number | FakeSignal): void {
  if (typeof how === 'number') process.exit(how);
  process.removeAllListeners(how);
  process.kill(process.pid, how);
}

function floodStderr({ noise: { stderrBytes = 0 } }: FakeServerPlan): void {
  const line = `${'x'.repeat(1_023)}\n`;
  for (let left = stderrBytes; left > 0; left -= line.length) writeBlocking(2, line.slice(-left));
}

function startGrandchild(kind: 'plain' | 'stubborn'): void {
  const program = `${kind === 'stubborn' ? "process.on('SIGTERM', () => undefined);" : ''} setInterval(() => undefined, 60_000);`;
  spawn(process.execPath, ['-e', program], { stdio: 'inherit' }).unref();
}

/** Lenient: invalid lines count as empty messages. */
function parse(line: string): FakeMessage {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Blocks until the reader has taken all. `packages/test-servers` has a copy: it must not depend on this package. */
function writeBlocking(fd: 1 | 2, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
