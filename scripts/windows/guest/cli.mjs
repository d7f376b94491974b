// The installed mcpx: files of a user with CR and LF, the daemon over a named pipe, and what commands print.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installedMcpx } from './installed-mcpx.mjs';
import { isRunning, untilGone } from './running.mjs';

const script = fileURLToPath(new URL('server.mjs', import.meta.url));
const guest = { command: process.execPath, args: [script] };

export const checks = {
  'a config with CR and LF is valid, and its server is listed and called': async (folder) => {
    const { text, json } = await userIn(folder, yamlOf(guest));
    match(await text('validate'), /1 server, no issues/);
    deepEqual(
      (await json('list')).servers.map(({ name }) => name),
      ['guest'],
    );
    equal(await text('call', 'guest.greet', 'name=Grüße €'), 'Hello, Grüße €\n');
  },
  'doctor finds no problem': async (folder) => {
    const { text } = await userIn(folder, yamlOf(guest));
    match(await text('doctor'), /No problems/);
  },
  'a daemon keeps a server, its state file and its lock until "down"': async (folder) => {
    const { text, json, outcome } = await userIn(folder, yamlOf(guest));
    try {
      await text('up');
      await text('call', 'guest.greet', 'name=Ada');
      const before = await json('status');
      await text('call', 'guest.greet', 'name=Ada');
      const { daemon, servers } = await json('status');
      deepEqual([daemon.pid, servers[0].pid], [before.daemon.pid, before.servers[0].pid]);
      ok(isRunning(servers[0].pid));
      await text('down');
      await untilGone([daemon.pid, servers[0].pid]);
      equal((await json('status')).daemon, undefined);
    } finally {
      await outcome('down', '--now');
    }
  },
  'a command on another drive than the state directory finds the daemon': async (folder) => {
    const drive = dirname(script); // under Wine the drive Z:, on which "\proc" is a folder
    const { text, outcome } = await userIn(folder, yamlOf(guest), { cwd: drive });
    const config = ['--config', join(folder, 'mcp_servers.yaml')];
    try {
      await text('up', ...config);
      equal(await text('call', 'guest.greet', 'name=Ada', ...config), 'Hello, Ada\n');
    } finally {
      await outcome('down', '--now', ...config);
    }
  },
  'two commands start one daemon': async (folder) => {
    const { text, json, outcome } = await userIn(folder, yamlOf(guest));
    try {
      const both = await Promise.all([outcome('up'), outcome('up')]);
      await text('up');
      const { daemon } = await json('status');
      for (const { stdout, stderr } of both) {
        // A slow machine may take longer than the second command waits for the first one's daemon.
        ok(stdout.includes(String(daemon.pid)) || /still starting/.test(stderr), stdout + stderr);
      }
    } finally {
      await outcome('down', '--now');
    }
  },
  'a killed daemon is replaced, and its servers end': async (folder) => {
    const { text, json, outcome } = await userIn(folder, yamlOf(guest));
    try {
      await text('up');
      await text('start', 'guest');
      const { daemon, servers } = await json('status');
      process.kill(daemon.pid);
      await untilGone([daemon.pid, servers[0].pid]);
      await text('up');
      equal(await text('call', 'guest.greet', 'name=Ada'), 'Hello, Ada\n');
    } finally {
      await outcome('down', '--now');
    }
  },
  'serves a host app over stdio and ends with its input': async (folder) => {
    const { program, options } = await userIn(folder, yamlOf(guest));
    const words = [program, 'serve', '--own-servers', 'guest'];
    const child = spawn(process.execPath, words, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const clientInfo = { name: 'check', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\r\n`);
    const [line] = await once(lines, 'line');
    equal(JSON.parse(line).result.protocolVersion, '2025-11-25');
    child.stdin.end();
    deepEqual(await once(child, 'exit'), [0, null]);
  },
  'serves over HTTP, and another mcpx calls it there with a token': async (folder) => {
    const { program, options } = await userIn(folder, yamlOf(guest));
    const words = [program, 'serve', '--http', '--own-servers', '--port', '0', '--json', 'guest'];
    const child = spawn(process.execPath, words, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      const [line] = await once(createInterface({ input: child.stdout }), 'line');
      const { url, tokenFile } = JSON.parse(line);
      const other = join(folder, 'other');
      mkdirSync(other);
      const headers = { Authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
      const { text } = await userIn(other, JSON.stringify({ mcp_servers: { far: { url, headers } } }));
      equal(await text('call', 'far.mcp__guest__greet', 'name=Grüße €'), 'Hello, Grüße €\n');
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  },
  'shows its dashboard to who has the address': async (folder) => {
    const { json, outcome } = await userIn(folder, yamlOf(guest));
    try {
      const { url } = await json('dashboard', '--no-open');
      match(await (await fetch(url)).text(), /<script type="module"/);
    } finally {
      await outcome('down', '--now');
    }
  },
  'syncs into files of host apps in the profile and in APPDATA': async (folder) => {
    const { text } = await userIn(folder, yamlOf(guest));
    const files = {
      cursor: ['.cursor', 'mcp.json'],
      vscode: ['AppData', 'Roaming', 'Code', 'User', 'mcp.json'],
      'claude-desktop': ['AppData', 'Roaming', 'Claude', 'claude_desktop_config.json'],
      zed: ['AppData', 'Roaming', 'Zed', 'settings.json'],
    };
    for (const [host, parts] of Object.entries(files)) {
      const file = join(folder, ...parts);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '{\r\n  "theme": "dark"\r\n}\r\n');
      await text('sync', host, '--yes');
      const written = readFileSync(file, 'utf8');
      ok(written.includes(JSON.stringify(script)), `${file}: ${written}`);
      ok(written.includes('"theme": "dark"') && !/[^\r]\n/.test(written), `line ends of ${file} have changed`);
    }
  },
  'the config of the user is in APPDATA, and the state in LOCALAPPDATA': async (folder) => {
    const { text, json } = await userIn(folder);
    const config = join(folder, 'AppData', 'Roaming', 'mcpx', 'Config', 'mcp_servers.yaml');
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, yamlOf(guest));
    const { servers } = await json('list');
    deepEqual(
      servers.map((server) => [server.name, server.file]),
      [['guest', config]],
    );
    equal(await text('call', 'guest.greet', 'name=Ada'), 'Hello, Ada\n');
    ok(existsSync(join(folder, 'AppData', 'Local', 'mcpx', 'Data')));
  },
  'a config whose path is longer than 260 characters is read': async (folder) => {
    const { text, json } = await userIn(folder);
    const config = join(folder, ...Array.from({ length: 6 }, () => 'x'.repeat(50)), 'mcp_servers.yaml');
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(config, yamlOf(guest));
    match(await text('validate', '--config', config), /1 server, no issues/);
    equal((await json('list', '--config', config)).servers[0].file, config);
  },
  'edit opens an editor, which starts nothing from the current directory': async (folder) => {
    const editor = join(folder, 'an editor.mjs');
    const line = `'# ' + process.env.NoDefaultCurrentDirectoryInExePath + '\\r\\n'`;
    writeFileSync(editor, `import { appendFileSync } from 'node:fs';\nappendFileSync(process.argv.at(-1), ${line});`);
    const EDITOR = `"${process.execPath}" "${editor}"`;
    const { text } = await userIn(folder, yamlOf(guest), { variables: { EDITOR } });
    await text('edit', 'guest');
    equal(readFileSync(join(folder, 'mcp_servers.yaml'), 'utf8'), `${yamlOf(guest)}# 1\r\n`);
  },
  'servers of an editor are found without a config': async (folder) => {
    const { json } = await userIn(folder);
    const file = join(folder, '.cursor', 'mcp.json');
    mkdirSync(dirname(file));
    writeFileSync(file, JSON.stringify({ mcpServers: { guest } }));
    const { servers } = await json('list');
    deepEqual(
      servers.map((server) => [server.name, server.file]),
      [['guest', file]],
    );
  },
};

function yamlOf({ command, args }) {
  return [
    'mcp_servers:',
    '  guest:',
    `    command: ${JSON.stringify(command)}`,
    `    args: ${JSON.stringify(args)}`,
    '',
  ].join('\r\n');
}

/** A new user whose profile is `folder`, with or without a config. */
async function userIn(folder, config, { cwd = folder, variables } = {}) {
  if (config !== undefined) writeFileSync(join(folder, 'mcp_servers.yaml'), config);
  const env = {
    ...process.env,
    MCPX_TRUST: '1',
    USERPROFILE: folder,
    APPDATA: join(folder, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(folder, 'AppData', 'Local'),
    ...variables,
  };
  return { ...(await installedMcpx({ cwd, env })), options: { cwd, env } };
}
