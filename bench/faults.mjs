// What becomes of a host when its servers misbehave: each client library, as its documentation shows it, in the same stories.
// Run: node bench/faults.mjs   (builds are expected; peers are installed into a temporary folder from npm)
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contenders } from './contenders.mjs';
import { prepareContest } from './contest.mjs';
import { clientPeers } from './peers.mjs';

const patienceMs = 20_000;
const secret = 'DEPLOY_TOKEN';
const late = new Error('It took too long');
/** Processes that may outlive a story; they end with it. */
const started = [];

/** What is asked, and how it is found out: each answers `yes`, `no`, or says what happened instead. */
const stories = {
  'a call whose server dies fails, and was made once': async ({ contender, folder }) => {
    const file = join(folder, 'effects');
    await contender.open(own('s', '--file', file));
    const { failure } = await contender.call('s', 'effect');
    const made = (await readFile(file, 'utf8')).split('\n').length - 1;
    if (made > 1) return `no: made ${made} times`;
    return failure === undefined ? 'no: told as a result' : 'yes';
  },
  'a server that was killed answers the next calls': async ({ contender }) => {
    await contender.open(own('s'));
    const { text: pid } = await contender.call('s', 'pid');
    process.kill(Number(pid), 'SIGKILL');
    await until(() => !isAlive(pid));
    // The first one may meet the connection as it breaks.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { text } = await contender.call('s', 'pid');
      if (text !== undefined && text !== pid) return 'yes';
      await wait(500);
    }
    return 'no';
  },
  'a server that fails at its first start is started again': async ({ contender, folder }) => {
    await contender.open(faulty('s', 'counter', '--crash-first', '1', '--file', join(folder, 'starts')));
    return (await contender.call('s', 'starts')).text === '2' ? 'yes' : 'no';
  },
  'what a server started is gone after close': async ({ contender }) => {
    await contender.open(faulty('s', 'leaves-grandchild'));
    const { text: grandchild } = await contender.call('s', 'grandchild');
    return goneAfterClose(contender, grandchild);
  },
  'a server that ignores SIGTERM is gone after close': async ({ contender }) => {
    await contender.open(faulty('s', 'ignores-sigterm'));
    const { text: pid } = await contender.call('s', 'pid');
    return goneAfterClose(contender, pid);
  },
  'eight megabytes on stderr delay no call': async ({ contender }) => {
    await contender.open(faulty('s', 'floods-stderr', '--megabytes', '8'));
    return (await contender.call('s', 'echo', { text: 'x' })).text === 'x' ? 'yes' : 'no';
  },
  'lines on stdout that are no messages are ignored': async ({ contender }) => {
    await contender.open(faulty('s', 'speaks-garbage'));
    return (await contender.call('s', 'echo', { text: 'x' })).text === 'x' ? 'yes' : 'no';
  },
  'a server does not see the secrets in the environment of the host': async ({ contender }) => {
    await contender.open(own('s'));
    const { text } = await contender.call('s', 'environment');
    return text.includes(secret) ? 'no' : 'yes';
  },
};

process.env[secret] = 'a secret of the host';
const contest = prepareContest({ program: 'fault-process.mjs' });
const names = Object.keys(contenders).filter((name) => name !== 'raw pipe');
console.log(`| | ${names.join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`);
for (const [story, run] of Object.entries(stories)) {
  const cells = [];
  for (const name of names) cells.push(await outcomeOf(name, run));
  console.log(`| ${story} | ${cells.join(' | ')} |`);
}
const versions = Object.entries(clientPeers).filter(([name]) => /sdk|client|mcp/.test(name));
console.log(
  `\nA call may take ${patienceMs / 1_000} s. Node ${contest.nodeVersion}; ${versions.map((peer) => peer.join(' ')).join(', ')}.`,
);

async function outcomeOf(name, run) {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-bench-faults-'));
  const child = contest.start(name, { stderr: 'ignore', detached: true });
  const contender = {
    open: (server) => inTime(child.ask('open', { servers: [server] })),
    call: (server, tool, args) => inTime(child.ask('call', { server, tool, args })),
    close: () => inTime(child.ask('close')),
  };
  try {
    return await run({ contender, folder });
  } catch (error) {
    return error === late ? `no: nothing within ${patienceMs / 1_000} s` : 'no: an error';
  } finally {
    child.kill();
    for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(Number(pid), 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function goneAfterClose(contender, pid) {
  started.push(pid);
  await contender.close();
  // A moment is given to everybody: what was killed takes one to be gone.
  if (await until(() => !isAlive(pid), 1_000)) return 'yes';
  return (await until(() => !isAlive(pid))) ? 'yes, some time later' : 'no';
}

function own(name, ...args) {
  return { name, command: contest.node, args: [fileURLToPath(new URL('fault-server.mjs', import.meta.url)), ...args] };
}

function faulty(name, program, ...args) {
  const url = new URL(`../packages/test-servers/dist/${program}.js`, import.meta.url);
  return { name, command: contest.node, args: [fileURLToPath(url), ...args] };
}

async function until(isSo, limitMs = 10_000) {
  for (let waited = 0; waited < limitMs; waited += 50) {
    if (isSo()) return true;
    await wait(50);
  }
  return false;
}

/** A process that has ended and waits to be collected by its parent is not alive. */
function isAlive(pid) {
  try {
    process.kill(Number(pid), 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return false;
  }
}

async function inTime(promise) {
  const stopped = new AbortController();
  const limit = wait(patienceMs, undefined, { signal: stopped.signal, ref: false }).then(
    () => Promise.reject(late),
    () => undefined,
  );
  try {
    return await Promise.race([promise, limit]);
  } finally {
    stopped.abort();
  }
}
