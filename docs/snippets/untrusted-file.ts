import assert from 'node:assert/strict';
import { chmodSync, chownSync } from 'node:fs';
import { isConfigError } from '@x/mcp-config-schema';
import { loadConfig } from '@x/mcp-config-schema/load';
import { openProject } from './stage/project.js';

const folder = openProject({ 'mcp_servers.yaml': 'mcp_servers:\n  notes: { command: notes-server }\n' });
chmodSync(folder, 0o1777);

// Only root can make a file somebody else's; whoever else runs this sees that a named file is read.
if (process.getuid?.() === 0) {
  chownSync('mcp_servers.yaml', 65_534, 65_534);
  const isRefused = (error: unknown) => isConfigError(error) && error.issues[0]?.code === 'untrusted-file';
  await assert.rejects(loadConfig(), isRefused);
}

// #region named
const config = await loadConfig({ files: ['./mcp_servers.yaml'] });
// #endregion named

assert.deepEqual(
  config.servers.map(({ name }) => name),
  ['notes'],
);
