// The least that is an MCP server, so that what is measured is the client: echo, and a text of any size.
const send = (id, result) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'minimal', version: '1.0.0' },
};
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const bytes = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] };
const tools = [
  { name: 'echo', description: 'Answers with its text', inputSchema: text },
  { name: 'big', description: 'A text of that many bytes', inputSchema: bytes },
];
const bigs = new Map();

const answers = {
  initialize: ({ protocolVersion }) => JSON.stringify({ ...initialized, protocolVersion }),
  ping: () => '{}',
  'tools/list': () => JSON.stringify({ tools }),
  'tools/call': (params) =>
    params.name === 'echo' ? textResult(params.arguments.text) : bigResult(params.arguments.bytes),
};

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined && answers[method]) send(id, answers[method](params));
    else if (id !== undefined) process.stdout.write(unknownMethod(id));
  }
});
process.stdin.on('end', () => process.exit());

function textResult(value) {
  return JSON.stringify({ content: [{ type: 'text', text: value }] });
}

/** Written once for each size, so that the server's own work does not count. */
function bigResult(size) {
  if (!bigs.has(size)) bigs.set(size, textResult('x'.repeat(size)));
  return bigs.get(size);
}

function unknownMethod(id) {
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })}\n`;
}
