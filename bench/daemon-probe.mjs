// Loaded into the processes of a daemon (`--import`): on SIGUSR2 writes to `<pid>.json` in SOAK_PROBES what the process
// holds. Timers are counted as they come and go, since Node lists only those that keep it running.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const directory = process.env.SOAK_PROBES;
const timers = new Set();
for (const name of ['setTimeout', 'setInterval']) {
  const original = globalThis[name];
  globalThis[name] = Object.assign((...words) => {
    const timer = original(...words);
    timers.add(new WeakRef(timer));
    return timer;
  }, original);
}

if (directory !== undefined) process.on('SIGUSR2', () => void answer());

async function answer() {
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const timer of timers) if (timer.deref()?._destroyed ?? true) timers.delete(timer);
  const path = join(directory, `${process.pid}.json`);
  const { heapUsed, rss } = process.memoryUsage();
  const facts = { heapUsed, rss, timers: timers.size, resources: process.getActiveResourcesInfo().length };
  writeFileSync(`${path}.draft`, JSON.stringify(facts));
  renameSync(`${path}.draft`, path);
}
