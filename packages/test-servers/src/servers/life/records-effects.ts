// Appends --name and the call's id to --file for each call of `effect`. --grandchild: starts a process that inherits
// its pipes; --ignores-stdin-end: keeps running at the end of stdin. After SIGUSR2 it exits in the next call, after the
// effect; on SIGHUP it writes garbage to stdout.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Params, serve, writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    name: { type: 'string', default: 'server' },
    grandchild: { type: 'boolean', default: false },
    'ignores-stdin-end': { type: 'boolean', default: false },
  },
});
const { file, name } = values;
if (file === undefined) throw new TypeError('records-effects needs --file, the path to record effects in');

let exitsInNextCall = false;
process.on('SIGUSR2', () => {
  exitsInNextCall = true;
  writeBlocking(2, 'records-effects: exits in the next call\n');
});
process.on('SIGHUP', () => writeBlocking(1, 'Reconnecting...\n{"jsonrpc":"2.0","id":\n\u0000\n[]\n'));

if (values.grandchild) {
  spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)'], { stdio: 'inherit' }).unref();
}
if (values['ignores-stdin-end']) setInterval(() => undefined, 60_000);

serve({
  tools: [
    {
      name: 'effect',
      description: 'Records an id, works for a while, and answers with the name of the server and the id',
      properties: { id: { type: 'string' }, ms: { type: 'number' } },
      run: effect,
    },
  ],
  ...(values['ignores-stdin-end'] ? { onEnd: () => undefined } : {}),
});

async function effect({ id, ms = 0 }: Params): Promise<string> {
  appendFileSync(String(file), `${name} ${String(id)}\n`);
  if (exitsInNextCall) process.exit(1);
  if (Number(ms) > 0) await delay(Number(ms));
  return `${name} ${String(id)}`;
}
