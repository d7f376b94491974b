import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { listTools } from './list-tools.js';
import { WorkerProcess } from './worker-process.js';

const folder = await mkdtemp(join(tmpdir(), 'search-worker-'));
try {
  await tellStory();
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function tellStory(): Promise<void> {
  console.log('1. The definitions of three servers, which run for this moment only');
  const sources = await listTools();
  for (const [name, tools] of Object.entries(sources)) console.log(`   ${name}: ${tools.length} tools`);

  console.log('\n2. A Worker with these definitions');
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { sources: JSON.stringify(sources) },
    logLevel: 'error',
  });
  await using worker = await WorkerProcess.start(folder);
  console.log('   runs in workerd');

  console.log('\n3. Searches');
  assert.equal((await search(worker.url, 'read a text file'))[0], 'mcp__filesystem__read_text_file');
  assert.equal((await search(worker.url, 'sum of two numbers'))[0], 'mcp__everything__get-sum');
  assert.equal((await search(worker.url, 'knowledge graph'))[0], 'mcp__memory__read_graph');
  const withoutWriting = await search(worker.url, 'write a file');
  assert.ok(!withoutWriting.includes('mcp__filesystem__write_file'), 'the role of the public may not find it');
}

async function search(url: string, query: string): Promise<readonly string[]> {
  const response = await fetch(`${url}?${new URLSearchParams({ q: query })}`);
  const { tools } = (await response.json()) as { tools: readonly { name: string }[] };
  const names = tools.map(({ name }) => name);
  console.log(`   ${query}: ${names.join(', ')}`);
  return names;
}
