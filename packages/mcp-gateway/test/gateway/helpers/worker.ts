import type { SourceCallOptions, ToolSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import type {
  GatewayUpstream,
  UpstreamEvent,
  UpstreamNotification,
  UpstreamRequestOptions,
  UpstreamResult,
  UpstreamSession,
} from '../../../src/gateway/upstream.js';
import { createPlainUpstream } from './plain-upstream.js';
import { TASKS } from './raw-clients.js';

export interface SentRequest {
  readonly method: string;
  readonly params: UpstreamResult;
  readonly options: UpstreamRequestOptions;
}

/** A server whose calls become tasks, and which has methods of its own. */
export interface Worker {
  readonly name: string;
  readonly upstream: GatewayUpstream & { session: UpstreamSession | undefined };
  readonly source: ToolSource;
  readonly requests: SentRequest[];
  /** Notifications that it received. */
  readonly notices: UpstreamNotification[];
  readonly calls: SourceCallOptions[];
  /** What the next requests are answered with. */
  answer: (request: SentRequest) => UpstreamResult | Promise<UpstreamResult>;
  /** The id of the next task. Default `task-1` and so on. */
  nextId: string | undefined;
}

const legacyTasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

export function createWorker(
  name: string,
  { era = 'modern', capabilities = {} }: { era?: 'modern' | 'legacy'; capabilities?: Record<string, unknown> } = {},
): Worker {
  const offered = era === 'modern' ? { extensions: { [TASKS]: {} } } : { tasks: legacyTasks };
  let made = 0;
  const worker: Worker = {
    name,
    requests: [],
    notices: [],
    calls: [],
    nextId: undefined,
    answer: ({ params }) => ({ taskId: params.taskId, status: 'working' }),
    upstream: {
      ...createPlainUpstream(name),
      session: { era, capabilities: { tools: {}, resources: {}, ...offered, ...capabilities } },
      request: async (method, params, options) => {
        const request = { method, params, options };
        worker.requests.push(request);
        return worker.answer(request);
      },
      notify: async (method, params) => void worker.notices.push({ method, params }),
    },
    source: {
      name,
      listTools: () => ['work', 'rest'].map((tool) => ({ name: tool, inputSchema: { type: 'object' } })),
      callTool: async (tool, args, options) => {
        worker.calls.push(options);
        if (args.odd !== undefined) return { content: [], task: { taskId: 'not a task' } };
        const task = { taskId: worker.nextId ?? `task-${++made}`, status: 'working', 'x/of': tool };
        return (era === 'modern' ? { resultType: 'task', ...task, ttlMs: 60_000 } : { task }) as never;
      },
    },
  };
  return worker;
}

export function upstreamsOf(...workers: readonly Worker[]) {
  const events = new Emitter<{ 'server-notification': UpstreamEvent & UpstreamNotification }>();
  return { servers: () => workers.map(({ upstream }) => upstream), events } as const;
}
