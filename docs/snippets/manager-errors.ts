import assert from 'node:assert/strict';
import { createClientManager } from '@x/mcp-client-manager';
import { fakeServer } from '@x/mcp-client-manager/testing';
import { listenToConsole } from './stage/console.js';
import { linesShown } from './stage/page.js';

const heard = listenToConsole();
await using git = fakeServer({ tools: [{ name: 'commit', answers: [{ exit: 1 }] }] });
await using manager = createClientManager({ servers: [{ name: 'git', ...git.stdio() }] });

// #region guard
import { isManagerError } from '@x/mcp-client-manager';

try {
  await manager.callTool('git', 'commit', { message: 'done' });
} catch (error) {
  if (isManagerError(error) && error.code === 'outcome-unknown') console.error(error.message, error.stderrTail);
  else throw error;
}
// #endregion guard

const [shown = ''] = linesShown('docs/errors/manager-errors.md', 'text', 'Server "git" exited (code 1) while');
assert.ok(heard.lines[0]?.startsWith(shown), heard.lines[0]);
