import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { type Config, formatIssue } from '@x/mcp-config-schema';
import { checkFiles, watchConfig } from '@x/mcp-config-schema/load';
import { issuesToJson, toSarif } from '@x/mcp-config-schema/report';
import { listenToConsole } from './stage/console.js';
import { fencesOf } from './stage/page.js';
import { openProject } from './stage/project.js';

const heard = listenToConsole();
const [shown = ''] = fencesOf('docs/config-files.md', 'yaml');
openProject({ 'mcp_servers.yaml': shown });
process.env.PROJECT_FOLDER = '/srv/app';

await tellOrigins();
await follow();
await report();

async function tellOrigins(): Promise<void> {
  // #region origins
  const { origins } = await checkFiles();
  const origin = origins.get('mcp_servers.filesystem.command');
  // { file: 'mcp_servers.yaml', line: 5, column: 14, layer: 'project', overrides: [] }
  // #endregion origins
  assert.deepEqual(origin, { file: 'mcp_servers.yaml', line: 5, column: 14, layer: 'project', overrides: [] });
}

async function follow(): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const used: (string | undefined)[] = [];
  const use = (config: Config | undefined) => {
    used.push(config?.servers.map(({ name }) => name).join());
    if (used.length === 1) void writeFile('new.yaml', shown.replace('filesystem:', 'files:')).then(putInPlace);
    else stop.abort();
  };
  const putInPlace = () => rename('new.yaml', 'mcp_servers.yaml');
  // #region follow
  for await (const { config, partial, isCurrent, issues, error } of watchConfig({ signal })) {
    if (!isCurrent) console.error(error ?? issues);
    use(config ?? partial);
  }
  // #endregion follow
  await writeFile('mcp_servers.yaml', shown);
  assert.deepEqual({ used, printed: heard.lines }, { used: ['filesystem', 'files'], printed: [] });
}

async function report(): Promise<void> {
  await writeFile('mcp_servers.yaml', shown.replace('auto_start', 'auto_strat'));
  // #region report
  const { issues, texts, redactor } = await checkFiles();
  for (const issue of issues) console.error(formatIssue(issue, { text: texts.get(issue.file ?? ''), redactor }));
  await writeFile('mcp.sarif', JSON.stringify(toSarif(issues)));
  console.log(JSON.stringify(issuesToJson(issues)));
  // #endregion report
  assert.match(heard.lines[0] ?? '', /^mcp_servers\.yaml:6:5 error unknown-key/);
  assert.equal(JSON.parse(readFileSync('mcp.sarif', 'utf8')).runs[0].results[0].ruleId, 'unknown-key');
  assert.equal(JSON.parse(heard.lines.at(-1) ?? '').issues[0].code, 'unknown-key');
}
