// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates are what the page is about
import assert from 'node:assert/strict';
import { listenToConsole } from './stage/console.js';
import { linesShown } from './stage/page.js';

const heard = listenToConsole();
const page = 'docs/templates.md';
const text = 'mcp_servers:\n  tickets:\n    command: npx -y tickets --url ${TICKETS_HOST}\n';

// #region check
import { checkConfig, formatIssue } from '@x/mcp-config-schema';
import { expandTemplate, parseTemplate } from '@x/mcp-config-schema/templates';

const { text: filledIn } = expandTemplate('{{root}}/a ${B:-c}', { B: '' }, { root: '/srv/app' }); // '/srv/app/a c'
const pieces = parseTemplate('run ${X}'); // each with its offset; put together again they are the text

const file = 'mcp_servers.yaml';
const { issues, redactor } = checkConfig({ text, file, places: { root: '/srv/app' } }, { variables: process.env });
for (const issue of issues) console.error(formatIssue(issue, { text, redactor }));
// #endregion check

assert.equal(filledIn, '/srv/app/a c');
assert.equal(pieces.map(({ expression }) => expression).join(''), 'run ${X}');
assert.deepEqual(heard.lines, linesShown(page, 'text', 'mcp_servers.yaml:3:35'));
