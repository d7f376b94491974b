import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { listenToConsole } from './stage/console.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const page = 'packages/mcp-config-schema/README.md';
const [shown = ''] = fencesOf(page, 'yaml');
openProject({ 'mcp_servers.yaml': shown });
const heard = listenToConsole();

// #region check
import { checkRequirements, formatIssue } from '@x/mcp-config-schema';
import { checkFiles } from '@x/mcp-config-schema/load';

const { config, issues, texts, redactor } = await checkFiles({ cwd: process.cwd() });
for (const issue of issues) console.error(formatIssue(issue, { text: texts.get(issue.file ?? ''), redactor }));

if (config !== undefined) {
  for (const server of config.servers) console.log(server.name, server.transport, server.autoStart);
  console.log(checkRequirements(config).readiness); // 'ready', 'configured', 'degraded' or 'blocked'
}
// #endregion check

assert.deepEqual(heard.lines, ['everything stdio true', 'ready']);

writeFileSync('mcp_servers.yaml', shown.replace('# mcp_servers.yaml\n', '').replace('command', 'comand'));
const check = await checkFiles();
const said = check.issues.map((issue) => formatIssue(issue, { text: check.texts.get(issue.file ?? '') }));
assert.equal(`${said[0]}\n`, fencesOf(page, 'text')[0]);
