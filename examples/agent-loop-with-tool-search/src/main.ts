import { strict as assert } from 'node:assert';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTools } from '@x/mcp';
import { anthropic } from '@x/mcp/models';
import { createConstantSurface } from '@x/mcp-registry';
import { runAgent } from './agent-loop.js';
import { registerBackOffice } from './back-office.js';
import { type ModelBlock, ScriptedModel, type Want } from './scripted-model.js';

const note = { name: 'A-4711', entityType: 'order', observations: ['lost, refunded by R-77'] };
const config = fileURLToPath(new URL('../config', import.meta.url));
const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-loop-')));
try {
  await tellStory(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tellStory(folder: string): Promise<void> {
  const mail = join(folder, 'mail.txt');
  process.env.AGENT_FOLDER = folder; // as the config names it
  await writeFile(mail, 'My order A-4711 has never arrived. What now?\n');

  // #region tools
  await using tools = await openTools({ config });
  const records = registerBackOffice(tools);
  const surface = createConstantSurface(tools); // search_mcp_tools and call_mcp_tool, for any number of tools
  // #endregion tools

  console.log('\n1. The model is given two tools, and works with them');
  const model = new ScriptedModel(
    wantsFor(mail),
    ([, , refund]) => `Lost. Refund ${idIn(refund)} is approved and noted.`,
  );
  const sent: { readonly definitions: string; readonly all: number }[] = [];
  const answer = await runAgent({
    tools: surface,
    task: `A customer has written, in ${mail}. Help them.`,
    ask: (request) => model.respond(request).map(tell),
    onRequest: async (request) => {
      sent.push({ definitions: JSON.stringify(request.tools), all: JSON.stringify(request).length });
      if (sent.length === 4) await tools.manager.server('memory').start(); // more tools come while the loop runs
    },
  });
  assert.equal(answer, 'Lost. Refund R-77 is approved and noted.');
  assert.equal(records.get('refund R-77')?.status, 'approved');
  const graph = await tools.call('mcp__memory__read_graph');
  assert.deepEqual(graph.json(), { entities: [note], relations: [] });

  console.log('\n2. What that cost');
  const [{ definitions } = assert.fail()] = sent;
  assert.ok(
    sent.every((request) => request.definitions === definitions),
    'the definitions never change',
  );
  const whole = JSON.stringify(anthropic(tools).tools).length;
  const count = tools.list().length;
  row('definitions in each request', 'two tools', definitions.length);
  row('', `all ${count} tools`, whole);

  const total = sent.reduce((sum, { all }) => sum + all, 0);
  const withoutSearches = sent.length - wantsFor(mail).length;
  row('the whole conversation', `two tools, ${sent.length} requests with all messages`, total);
  row('', `all ${count} tools, ${withoutSearches} requests, definitions alone`, whole * withoutSearches);
  assert.ok(count > 300 && definitions.length * 20 < whole && total * 3 < whole * withoutSearches);
}

/** What a model would want one after the other, and what it would take from what it has read by then. */
function wantsFor(mail: string): readonly Want[] {
  return [
    { query: 'read the text of a file', knows: () => ({ path: mail }) },
    { query: 'look up a shipment', knows: ([text]) => ({ id: text?.match(/[A-Z]-\d+/)?.[0] }) },
    { query: 'approve a refund', knows: ([, shipment]) => ({ id: JSON.parse(shipment ?? '').refund }) },
    { query: 'remember a new entity in the knowledge graph', knows: () => ({ entities: [note] }) },
  ];
}

function idIn(record = ''): string {
  return JSON.parse(record).id;
}

function tell(block: ModelBlock): ModelBlock {
  if (block.type === 'text') console.log(`   answers   ${block.text}`);
  else if (block.name === 'search_mcp_tools') console.log(`   looks for ${(block.input as { query: string }).query}`);
  else console.log(`   calls     ${(block.input as { name: string }).name}`);
  return block;
}

function row(what: string, how: string, characters: number): void {
  const tokens = Math.round(characters / 4).toLocaleString('en');
  console.log(
    `   ${what.padEnd(28)} ${how.padEnd(46)} ${characters.toLocaleString('en').padStart(8)} characters, some ${tokens} tokens`,
  );
}
