import { strict as assert } from 'node:assert';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BackendProcess } from './backend-process.js';
import { Client } from './client.js';
import { Traffic } from './traffic.js';

const memoryServer = `
  memory:
    command: node node_modules/@modelcontextprotocol/server-memory/dist/index.js
    cwd: \${BACKEND_HOME}
    auto_start: true
    env:
      MEMORY_FILE_PATH: \${BACKEND_DATA}/memory.jsonl
`;

const home = fileURLToPath(new URL('..', import.meta.url));
const folder = await realpath(await mkdtemp(join(tmpdir(), 'hono-backend-')));
const config = join(folder, 'config');
await cp(join(home, 'config'), config, { recursive: true });

try {
  using backend = new BackendProcess({
    ...process.env,
    BACKEND_CONFIG: config,
    BACKEND_DATA: folder,
    BACKEND_HOME: home,
  });
  const [, port] = (await backend.line(/^listening on/)).split('listening on ');
  await tellStory(backend, `http://127.0.0.1:${port}`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function tellStory(backend: BackendProcess, url: string): Promise<void> {
  const reader = new Client(url, 'reader');
  const editor = new Client(url, 'editor');
  const note = { path: join(folder, 'note.txt'), content: 'Buy milk.' };

  console.log('1. The role of a request decides which tools exist');
  console.log(`   the editor finds ${(await editor.find('write a file')).at(0)}`);
  assert.ok(!(await reader.find('write a file')).includes('mcp__files__write_file'));
  const refused = await reader.call('mcp__files__write_file', note);
  console.log(`   the reader writes: ${refused.status}, ${refused.text.split(';')[0]}`);
  assert.equal(refused.status, 404);
  assert.equal((await editor.call('mcp__files__write_file', note)).status, 200);
  const read = await reader.call('mcp__files__read_text_file', { path: note.path });
  console.log(`   the editor writes, and the reader reads: ${read.text}`);
  assert.equal(read.text, 'Buy milk.');
  assert.equal((await new Client(url, 'nobody').call('mcp__files__read_text_file', note)).status, 401);

  console.log('\n2. A client that leaves takes its call along, as far as the MCP server');
  const leaving = new AbortController();
  const left = reader.call('mcp__reports__make_report', { pages: 10_000 }, leaving.signal);
  console.log(`   ${await backend.line(/^reports: begins 10000/)}`);
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  console.log(`   ${await backend.line(/^reports: cancelled 10000/)}`);

  console.log('\n3. Other servers and roles while calls are in progress');
  const traffic = new Traffic(Array.from({ length: 8 }, () => reader));
  await backend.line(/^reports: begins 5 pages/);
  await changeConfig();
  console.log(`   ${await backend.line(/^tools: 9 added/)}`);
  const answers = [...new Set(await traffic.end())].sort();
  console.log(`   all calls answered: ${answers.join(', then ')}`);
  assert.deepEqual(answers, ['200 Draft: 5 pages', '200 Final: 5 pages']);
  assert.equal((await reader.call('mcp__memory__read_graph')).status, 200);

  console.log('\n4. SIGTERM: what is in progress finishes, and no process stays');
  const last = editor.call('mcp__reports__make_report', { pages: 25 });
  await backend.line(/^reports: begins 25/);
  const code = await backend.stop();
  console.log(`   the last call: ${(await last).status} ${(await last).text}`);
  console.log(`   ${await backend.line(/^stopped/)}, exit code ${code}`);
  assert.deepEqual([await last, code], [{ status: 200, text: 'Final: 25 pages' }, 0]);
}

/** As an administrator does it: another title, one more server, and who may use it. */
async function changeConfig(): Promise<void> {
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(config, file);
    await writeFile(path, change(await readFile(path, 'utf8')));
  };
  await edit('tools.yaml', (text) => text.replaceAll('reports]', 'reports, memory]'));
  await edit('mcp_servers.yaml', (text) => text.replace('Draft', 'Final').concat(memoryServer));
}
