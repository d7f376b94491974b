/** A call fails this long after it was made; one that is still open `lostAfterMs` later is lost. */
export const callTimeoutMs = 10_000;
const lostAfterMs = 6_000;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * One function for each way to a server. Each resolves with a tool result, or rejects.
 *
 * @param options.publicNames - By server: the public name of its tool `effect`.
 */
export function openCallers({ manager, registry, url, token, publicNames }) {
  let requests = 0;
  return {
    manager: (server, args) => manager.callTool(server, 'effect', args),
    registry: (server, args) => registry.call(publicNames.get(server), args),
    gateway: async (server, args) => {
      const name = publicNames.get(server);
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: `request-${requests++}`,
          method: 'tools/call',
          params: { name, arguments: args, _meta: envelope },
        }),
      });
      return resultIn(response.headers.get('content-type') ?? '', await response.text());
    },
  };
}

/**
 * Makes one call of the plan.
 *
 * @returns What the ledger takes. Never rejects: a failure is an outcome, too.
 */
export async function makeCall(callers, { id, server, way, workMs }) {
  const from = performance.now();
  let timer;
  const lost = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ outcome: 'lost' }), callTimeoutMs + lostAfterMs);
  });
  const answered = callers[way](server, { id, ms: workMs }).then(outcomeOf, failureOf);
  const outcome = await Promise.race([answered, lost]);
  clearTimeout(timer);
  return { id, server, way, ms: performance.now() - from, ...outcome };
}

function outcomeOf({ content, isError, _meta }) {
  const text = content?.[0]?.text;
  if (!isError) return { outcome: 'ok', text };
  const { reason: code = 'error-result', retryable } = _meta?.['mcp-registry/failure'] ?? {};
  return { outcome: 'failed', code, retryable, text };
}

function failureOf(error) {
  return { outcome: 'failed', code: error.code ?? error.name, retryable: error.retryable, text: error.message };
}

/** A JSON-RPC answer, as a body or as the last event of a stream. */
function resultIn(type, body) {
  const text = type.includes('text/event-stream') ? lastEvent(body) : body;
  const { result, error } = JSON.parse(text);
  if (error === undefined) return result;
  const { retryable } = error.data ?? {};
  throw Object.assign(new Error(error.message), { code: `rpc ${error.code}`, retryable });
}

function lastEvent(body) {
  const data = body.split('\n').filter((line) => line.startsWith('data:'));
  return data.at(-1)?.slice('data:'.length) ?? '';
}
