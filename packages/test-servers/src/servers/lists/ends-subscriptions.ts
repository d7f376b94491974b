// Serves only revision 2026-07-28. The tool `end_stream` ends the stream of changes, `grow` adds a tool, `listens`
// returns the received filters, `level` the log level of the last call. Changes without a stream are not reported. A
// filter with the resource `test://refused` is rejected.
import { createInterface } from 'node:readline';

type Message = { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> };

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const complete = (id: unknown, result: object): void => send({ id, result: { resultType: 'complete', ...result } });
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const tools = ['grow', 'end_stream', 'listens', 'level'];
const listens: unknown[] = [];
let open: { readonly id: unknown } | undefined;
let level: unknown;

const notify = (method: string, params: object = {}): void => {
  if (open) send({ method, params: { ...params, _meta: { [subscriptionKey]: open.id } } });
};

const calls: Readonly<Record<string, (id: unknown) => void>> = {
  grow: (id) => {
    tools.push(`grown_${tools.length}`);
    notify('notifications/tools/list_changed');
    complete(id, text('grown'));
  },
  end_stream: (id) => {
    const ended = open;
    open = undefined;
    tools.push(`unmentioned_${tools.length}`);
    if (ended) complete(ended.id, { _meta: { [subscriptionKey]: ended.id } });
    complete(id, text('ended'));
  },
  listens: (id) => complete(id, text(JSON.stringify(listens))),
  level: (id) => complete(id, text(String(level))),
};

const methods: Readonly<Record<string, (id: unknown, params: Record<string, unknown>) => void>> = {
  initialize: (id) =>
    send({
      id,
      error: { code: -32_022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } },
    }),
  'server/discover': (id) =>
    complete(id, {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {} },
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/list': (id) =>
    complete(id, {
      tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
      ttlMs: 0,
      cacheScope: 'private',
    }),
  'tools/call': (id, params) => {
    level = (params._meta as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/logLevel'];
    (calls[String(params.name)] ?? ((each) => complete(each, text('a grown tool'))))(id);
  },
  'subscriptions/listen': (id, { notifications }) => {
    listens.push(notifications);
    if (JSON.stringify(notifications).includes('test://refused')) {
      send({ id, error: { code: -32_602, message: 'Not that one' } });
      return;
    }
    open = { id };
    notify('notifications/subscriptions/acknowledged', { notifications });
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method = '', params = {} } = JSON.parse(line) as Message;
    if (id === undefined) return;
    const answer = methods[method];
    if (answer) answer(id, params);
    else send({ id, error: { code: -32_601, message: `Method not found: ${method}` } });
  })
  .on('close', () => process.exit(0));
