import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const answerLimitMs = 60_000;

/**
 * Starts one of the programs. It has a process group of its own, as in a terminal.
 *
 * @returns `ask(line)` resolves with the next line that the program prints, `interrupt({ all })` sends what Ctrl-C sends,
 *   to the program alone or to its whole group, `end()` closes its input and resolves with its exit code.
 */
export function startChat({ node, program, cwd, role, env }) {
  const child = spawn(node, [program, role], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const next = async () => {
    const { value, done } = await inTime(lines.next(), () => `no answer: ${told}`);
    if (done) throw new Error(`${program} ended: ${told}`);
    return value;
  };
  return {
    next,
    ask: (line) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
    say: (line) => child.stdin.write(`${line}\n`),
    interrupt: ({ all = false } = {}) => process.kill(all ? -child.pid : child.pid, 'SIGINT'),
    end: async () => {
      child.stdin.end();
      const [code, signal] = await inTime(exited, () => 'the program does not end');
      return code ?? signal;
    },
    kill: () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
    },
  };
}

async function inTime(promise, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message()}, after ${answerLimitMs} ms`)), answerLimitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
