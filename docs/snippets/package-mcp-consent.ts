import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LaunchToConfirm } from '@x/mcp';
import { useInstalledServers } from './stage/npx.js';
import { openProject } from './stage/project.js';

useInstalledServers();
process.env.HOME = mkdtempSync(join(tmpdir(), 'home-')); // has no consents
process.env.XDG_DATA_HOME = process.env.HOME;
openProject({
  'mcp_servers.yaml': `
mcp_servers:
  files: { command: npx -y @modelcontextprotocol/server-filesystem ., auto_start: true }
`,
});
const asked: LaunchToConfirm[] = [];
const dialog = {
  ask: async (question: string) => question.includes('server-filesystem'),
};

// #region consent
import { openTools } from '@x/mcp';

const tools = await openTools({
  consent: async (launch) => {
    asked.push(launch);
    return dialog.ask(`${launch.file}:${launch.line} wants to start:\n${launch.lines.join('\n')}`);
  },
});
// #endregion consent

assert.deepEqual(
  asked.map(({ server, line }) => [server, line]),
  [['files', 3]],
);
assert.equal(tools.manager.server('files').status.state, 'running');
await tools.close();
