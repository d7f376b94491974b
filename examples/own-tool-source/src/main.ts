import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTools, type Tools } from '@x/mcp';
import { BoardSource } from './board-source.js';
import { TaskBoard } from './task-board.js';

const memoryServer = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));

const folder = await mkdtemp(join(tmpdir(), 'own-tool-source-'));
const board = createBoard();
try {
  const url = await board.listen();
  // #region attach
  using source = new BoardSource(url);
  await using tools = await openTools({
    mcpServers: {
      memory: {
        command: process.execPath,
        args: [memoryServer],
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
    },
  });
  await tools.registry.attach(source).ready; // `tools.add(source)` does not wait for its list
  // #endregion attach
  await tellStory(tools);
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log('\nEverything is closed.');

function createBoard(): TaskBoard {
  const board = new TaskBoard();
  const parameters = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  board.offer({ name: 'add_task', summary: 'Puts a task on the board.', parameters }, ({ title }) => {
    if (board.tasks.includes(String(title))) throw new Error('That task is there already');
    return { number: board.tasks.push(String(title)) };
  });
  board.offer({ name: 'export_tasks', summary: 'Writes a report. Takes long.', parameters: { type: 'object' } }, () => {
    return new Promise(() => undefined); // so long that nobody waits for it
  });
  return board;
}

async function tellStory(tools: Tools): Promise<void> {
  console.log('1. A REST API and an MCP server, in one registry');
  for (const query of ['put a task on the board', 'remember a fact']) {
    const { tools: found } = await tools.search({ query, limit: 1 });
    console.log(`   "${query}": ${found[0]?.name}`);
  }
  assert.ok(tools.get('mcp__board__add_task'));
  assert.ok(tools.get('mcp__memory__read_graph'));

  console.log('\n2. A call goes out as a request, and what the API refuses comes back for the model to see');
  const added = await tools.call('mcp__board__add_task', { title: 'Buy milk' });
  assert.deepEqual(board.tasks, ['Buy milk']);
  const again = await tools.call('mcp__board__add_task', { title: 'Buy milk' });
  assert.equal(again.isError, true);
  console.log(`   ${added.text()}\n   ${again.text()}`);
  await assert.rejects(tools.call('mcp__board__add_task', {}), { code: 'invalid-arguments' });
  console.log('   without a title: refused before a request was made');

  console.log('\n3. The API learns something, and the registry knows');
  const changes = tools.changes();
  board.offer({ name: 'clear_board', summary: 'Removes all tasks.', parameters: { type: 'object' } }, () => {
    board.tasks.length = 0;
    return 'done';
  });
  for await (const { added } of changes) {
    if (added.length === 0) continue; // something else has changed, such as a state
    console.log(`   added: ${added}`);
    assert.deepEqual(added, ['mcp__board__clear_board']);
    break;
  }
  await tools.call('mcp__board__clear_board');
  assert.deepEqual(board.tasks, []);

  console.log('\n4. A call that is taken back ends the request');
  const begun = once(board.events, 'begun');
  const hungUp = once(board.events, 'hung-up');
  const reason = new Error('the user has pressed Stop');
  const stop = new AbortController();
  const report = tools.call('mcp__board__export_tasks', {}, { signal: stop.signal });
  void begun.then(() => stop.abort(reason));
  await assert.rejects(report, reason);
  console.log(`   ${reason.message}; the API saw the caller of ${await hungUp} go`);

  console.log('\n5. The API goes away: its tools stay, with a state that says so, and the others work');
  const states = tools.changes();
  await board.close();
  while (stateOf(tools) !== 'failed') await states.next();
  console.log(`   mcp__board__add_task is ${stateOf(tools)}`);
  await assert.rejects(tools.call('mcp__board__add_task', { title: 'Buy oats' }), TypeError);
  const graph = await tools.call('mcp__memory__read_graph');
  assert.deepEqual(graph.json(), { entities: [], relations: [] });
  console.log('   mcp__memory__read_graph still answers');
}

function stateOf(tools: Tools): string | undefined {
  return tools.get('mcp__board__add_task')?.state;
}
