// Counts its starts in --file, one line with the process id each. Exits with --code (1) in the first --crash-first (0)
// starts: at once, or with --when tools at the first tools/list. With --sick its tool "status" fails in the first calls of
// a process.
import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeTool, echoTool, pidTool, type ServedTool, serve, writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    'crash-first': { type: 'string', default: '0' },
    code: { type: 'string', default: '1' },
    when: { type: 'string', default: 'start' },
    sick: { type: 'string' },
  },
});
if (values.file === undefined) throw new TypeError('counter needs --file, the path to count its starts in');

appendFileSync(values.file, `${process.pid}\n`);
const start = readFileSync(values.file, 'utf8').trimEnd().split('\n').length;
const crashes = start <= Number(values['crash-first']);

const tools: readonly ServedTool[] = [
  echoTool,
  pidTool,
  { name: 'starts', description: 'Which start this is, from 1', run: () => String(start) },
  ...(values.sick === undefined ? [] : [statusTool(Number(values.sick))]),
];

if (crashes && values.when === 'start') crash();

serve({
  // Crashes at the first request after the handshake, which proves that the client completed it.
  methods: { 'tools/list': () => (crashes ? crash() : { tools: tools.map(describeTool) }) },
  tools,
});

function statusTool(sickCalls: number): ServedTool {
  let calls = 0;
  return {
    name: 'status',
    description: 'Whether the database can be reached',
    run: () => {
      calls += 1;
      if (calls <= sickCalls) throw new Error(`database not reachable (call ${calls})`);
      return 'well';
    },
  };
}

function crash(): never {
  writeBlocking(2, `counter: crashing on start ${start}\n`);
  process.exit(Number(values.code));
}
