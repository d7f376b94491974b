import assert from 'node:assert/strict';
import type { ToolSource } from '@x/mcp-registry/sources';

const sent: unknown[] = [];
const database: ToolSource = {
  name: 'database',
  listTools: () => [
    { name: 'query', inputSchema: { type: 'object' } },
    { name: 'drop_table', inputSchema: { type: 'object' } },
  ],
  async callTool(_, args) {
    sent.push(args);
    return { content: [{ type: 'text', text: 'done' }] };
  },
};

// #region approve
import { createRegistry } from '@x/mcp-registry';
import { approveCalls, createApprovalQueue } from '@x/mcp-registry/interceptors';

const queue = createApprovalQueue();
const registry = createRegistry({
  interceptors: [
    approveCalls({
      ask: ['elicitation', queue.ask], // the client's user, or the queue for clients that cannot ask
      rules: { tools: ['database'], except: ['database.query'], policy: 'May 2026' },
    }),
  ],
});
// #endregion approve
await registry.attach(database).ready;

let shown = '';
const showToPerson = (text: string) => {
  shown = text;
};

// #region answer
queue.events.on('approval-requested', (request) => {
  showToPerson(request.text); // server, tool, caller and arguments, safe to display
});

async function onClick(id: string, isYes: boolean): Promise<void> {
  const answer = { by: 'ada@example.com' };
  const isAnswered = isYes ? queue.approve(id, answer) : queue.deny(id, answer);
  if (!isAnswered) console.log('This call was answered, cancelled, or has expired.');
}
// #endregion answer

await registry.call('mcp__database__query');
const call = registry.call('mcp__database__drop_table', { table: 'users' });
while (queue.pending().length === 0) await new Promise((resolve) => queue.events.on('approval-requested', resolve));
const id = queue.pending()[0]?.id ?? '';
await onClick(id, true);
await call;
assert.match(shown, /Server: "database"\nTool: "drop_table"\nPolicy: "May 2026"\nArguments: 1\n {2}"table": "users"/);
assert.deepEqual(sent, [{}, { table: 'users' }]);

const denied = registry.call('mcp__database__drop_table', { table: 'orders' }).catch((error: Error) => error.message);
while (queue.pending().length === 0) await new Promise((resolve) => queue.events.on('approval-requested', resolve));
await onClick(queue.pending()[0]?.id ?? '', false);
assert.equal(await denied, 'The call of mcp__database__drop_table was denied. It was not run');
await registry.close();

// #region by-role
import { approveByRole } from '@x/mcp-registry/interceptors';

const asking = createRegistry({
  roles: [{ role: 'dev', allowedTools: ['database'], askBefore: ['database.drop_*'] }],
  approval: approveByRole({ ask: ['elicitation', queue.ask] }),
});
// #endregion by-role
await asking.attach(database).ready;
const byRole = asking.view({ role: 'dev' }).call('mcp__database__drop_table', { table: 'old' });
while (queue.pending().length === 0) await new Promise((resolve) => queue.events.on('approval-requested', resolve));
await onClick(queue.pending()[0]?.id ?? '', true);
await byRole;
assert.deepEqual(sent.at(-1), { table: 'old' });
await asking.close();
