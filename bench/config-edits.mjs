// Promise: a server that is saved to the config answers within a second to a client of the daemon, which polls. Run after a build: node bench/config-edits.mjs [--rounds 10]
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { medianOf, numbersFrom, printConditions, printTable, spreadOf } from './measurement.mjs';
import { packagePath } from './own-packages.mjs';
import { connectServed } from './served-client.mjs';

const { rounds } = numbersFrom({ rounds: 10 });
const mcpx = packagePath('mcp-cli', 'bin.js');
const stage = mkdtempSync(join(tmpdir(), 'bench-edits-'));
const env = { PATH: process.env.PATH, HOME: stage, XDG_RUNTIME_DIR: join(stage, 'run') };
mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('minimal-server.mjs', import.meta.url))],
  auto_start: true,
};
const save = (...names) => {
  const servers = Object.fromEntries(names.map((name) => [name, server]));
  writeFileSync(join(stage, 'mcp_servers.yaml'), JSON.stringify({ mcp_servers: servers }));
};
const run = (...words) => promisify(execFile)(process.execPath, [mcpx, ...words], { cwd: stage, env });

const ways = {
  'a client of `mcpx serve`': async (client, name) => {
    const params = { name: `mcp__${name}__echo`, arguments: { text: 'x' } };
    for (const deadline = performance.now() + 20_000; ; await delay(2)) {
      const answer = await client.request('tools/call', params);
      if (answer.result !== undefined && !answer.result.isError) return;
      if (performance.now() > deadline) throw new Error(`No answer after 20 seconds: ${JSON.stringify(answer)}`);
    }
  },
};

try {
  const names = Array.from({ length: rounds + 1 }, (_, round) => [`a${round}`]);
  save('base', ...names.flat());
  await run('trust', '--yes');
  save('base');
  await run('up');
  const client = await connectServed(mcpx, [], { cwd: stage, env });
  const saved = ['base'];
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
  for (const [round, pair] of names.entries()) {
    for (const [index, [way, answered]] of Object.entries(ways).entries()) {
      const name = pair[index];
      const savedAt = performance.now();
      saved.push(name);
      save(...saved);
      await answered(client, name);
      if (round > 0) times[way].push(performance.now() - savedAt);
    }
  }
  await client.close();
  const row = ([way, values]) => [
    way,
    medianOf(values).toFixed(0),
    spreadOf(values, 0),
    Math.max(...values).toFixed(0),
  ];
  printTable('From the write of mcp_servers.yaml until the tool of the new server has answered, ms', [
    ['', 'median', 'middle half', 'longest'],
    ...Object.entries(times).map(row),
  ]);
  printConditions({ how: [`${rounds} writes for each, with the start of the new server`] });
} finally {
  await run('down');
  rmSync(stage, { recursive: true, force: true });
}
