// What the conformance suite tells a client under test.

export const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
export const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
export const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28';
export const url = process.argv.at(-1);

// The suite ends a client that hangs by its shell alone, and the client itself would live on.
setTimeout(() => process.exit(1), 110_000).unref();

const withoutDiscovery = [
  'http-custom-headers',
  'http-invalid-tool-headers',
  'http-standard-headers',
  'sep-2322-client-request-state',
];
if (withoutDiscovery.includes(scenario)) globalThis.fetch = answeringDiscovery(fetch);

/** The servers of some scenarios speak 2026-07-28 and have no `server/discover`; it is answered here for them. */
function answeringDiscovery(next) {
  return async (input, init) => {
    const { id, method } = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    if (method !== 'server/discover') return next(input, init);
    const result = {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scenario', version: '1.0.0' } },
    };
    return Response.json({ jsonrpc: '2.0', id, result });
  };
}

/** Answers every form with what the scenario expects: its defaults, or a yes. */
export function answerForm({ requestedSchema }) {
  const fields = Object.entries(requestedSchema?.properties ?? {});
  return { action: 'accept', content: Object.fromEntries(fields.map(([name, field]) => [name, answerField(field)])) };
}

function answerField(field) {
  if ('default' in field) return field.default;
  if (field.type === 'boolean') return true;
  return field.type === 'number' || field.type === 'integer' ? 1 : 'text';
}
