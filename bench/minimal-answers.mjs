// The least that an MCP server answers, so that what is measured is what stands before it: echo, a text of any size, a
// structured result, and a prompt.
const capabilities = { tools: {}, prompts: {} };
const serverInfo = { name: 'minimal', version: '1.0.0' };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const bytes = { type: 'object', properties: { bytes: { type: 'integer' } }, required: ['bytes'] };
const tools = [
  { name: 'echo', description: 'Answers with its text', inputSchema: text },
  { name: 'big', description: 'A text of that many bytes', inputSchema: bytes },
  { name: 'row', description: 'Answers with its text as structured content', inputSchema: text, outputSchema: text },
];
const bigs = new Map();

const uncached = { ttlMs: 0, cacheScope: 'private' };

const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
  'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, serverInfo, ...uncached }),
  ping: () => ({}),
  'tools/list': () => ({ tools, ...uncached }),
  'tools/call': ({ name, arguments: args }) => calls[name](args),
  'prompts/get': ({ arguments: args }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: args.text } }],
  }),
};

const calls = {
  echo: ({ text: value }) => textResult(value),
  big: ({ bytes: size }) => bigResult(size),
  row: ({ text: value }) => ({ content: [{ type: 'text', text: value }], structuredContent: { text: value } }),
};

/** The text of the answer to a request, as one line of JSON; `undefined` for a notification. */
export function answerTo({ id, method, params = {} }) {
  if (id === undefined) return undefined;
  const answer = results[method];
  if (answer === undefined) {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  }
  const result = answer(params);
  const rest = typeof result === 'string' ? result : JSON.stringify(result);
  // What the 2026-07-28 revision wants of every result, and those before it do not know.
  const from = isModern(params) ? `{"resultType":"complete",` : '{';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${from}${rest.slice(1)}}`;
}

function textResult(value) {
  return JSON.stringify({ content: [{ type: 'text', text: value }] });
}

/** Written once for each size, so that the server's own work does not count. */
function bigResult(size) {
  if (!bigs.has(size)) bigs.set(size, textResult('x'.repeat(size)));
  return bigs.get(size);
}

function isModern({ _meta: meta }) {
  return meta?.['io.modelcontextprotocol/protocolVersion'] === '2026-07-28';
}
