import { writeFileSync } from 'node:fs';

const [, , notes = '.', server = ''] = process.argv;
const spec = { command: process.execPath, args: [server, notes] };
writeFileSync('mcporter.json', JSON.stringify({ mcpServers: { files: spec } }));

// #region before
import { createCallResult, createRuntime } from 'mcporter';

const runtime = await createRuntime({ configPath: 'mcporter.json' });
const tools = await runtime.listTools('files', { includeSchema: true });
const args = { path: `${notes}/notes.txt` };
const text = createCallResult(await runtime.callTool('files', 'read_text_file', { args })).text();
await runtime.close();
// #endregion before

console.log(text, tools.length);
