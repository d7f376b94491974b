import { strict as assert } from 'node:assert';
import { afterEach, test } from 'node:test';
import { createClientManager } from '@x/mcp-client-manager';
import { expectNoLeaks, fakeServer } from '@x/mcp-client-manager/testing';
import { ToolMenu } from './tool-menu.js';

afterEach(() => expectNoLeaks());

test('the menu follows a server that changes its tools', async () => {
  await using fake = fakeServer({
    tools: [{ name: 'log_in', answers: [{ text: 'welcome', adds: [{ name: 'order' }], removes: ['log_in'] }] }],
  });
  await using manager = createClientManager({ servers: [{ name: 'shop', ...fake.inProcess() }] });
  await manager.start();
  using menu = new ToolMenu(manager);
  assert.deepEqual(menu.entries, ['shop/log_in']);

  const changed = new Promise<readonly string[]>((resolve) => {
    menu.onChanged = (entries) => {
      if (entries.includes('shop/order')) resolve(entries);
    };
  });
  await manager.callTool('shop', 'log_in');
  assert.deepEqual(await changed, ['shop/order']);
});
