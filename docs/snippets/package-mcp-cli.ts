import assert from 'node:assert/strict';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const [config = ''] = fencesOf('packages/mcp-cli/README.md', 'yaml');
openProject({ 'mcp_servers.yaml': config });

// #region run
import { run } from '@x/mcp-cli';

const exitCode = await run(['status', '--json'], {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: AbortSignal.timeout(60_000),
});
process.exitCode = exitCode;
// #endregion run

assert.equal(exitCode, 0);
