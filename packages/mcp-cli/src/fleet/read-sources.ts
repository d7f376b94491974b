import { isRecord } from '@x/internal/json';
import type { CallHandler, Fleet, FleetSource, SourceToolResult } from '@x/mcp-fleet';
import type { DaemonHandlers, HandleServerRequest, WaitOptions } from '../control/control.js';
import { ControlError } from '../control/control-error.js';
import type { FleetSourceItem } from '../control/reports.js';
import { present } from '../present.js';

type CallSourceOptions = Parameters<DaemonHandlers['callSource']>[0];

/**
 * Yields the offers of the fleet beside this node's own servers, until the loop is left. A slow reader misses steps,
 * never the last one.
 */
export async function* readSources(
  fleet: Fleet | undefined,
  { signal = new AbortController().signal }: WaitOptions,
): AsyncGenerator<FleetSourceItem, void, undefined> {
  if (fleet === undefined) return;
  const sent = new Map<string, { readonly source: FleetSource; readonly listening: Disposable | undefined }>();
  const changed = new Set<string>();
  let isOver = false;
  let wake: () => void = () => undefined;
  const markChanged = (...names: readonly string[]): void => {
    for (const name of names) changed.add(name);
    wake();
  };
  const end = (): void => {
    isOver = true;
    wake();
  };
  using _changes = fleet.events.on('sources-changed', ({ added, removed }) => markChanged(...added, ...removed));
  using _left = fleet.events.on('left', end);
  signal.addEventListener('abort', end, { once: true });
  try {
    markChanged(...fleet.sources({ own: false }).map(({ name }) => name));
    let isCurrent = false;
    while (!isOver) {
      const [name] = changed;
      if (name !== undefined) {
        changed.delete(name);
        yield await readSource(name);
      } else if (isCurrent) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else {
        isCurrent = true;
        yield { isCurrent };
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
    for (const { listening } of sent.values()) listening?.[Symbol.dispose]();
  }

  async function readSource(name: string): Promise<FleetSourceItem> {
    const source = sourceOf(fleet, name);
    if (sent.get(name)?.source !== source) {
      sent.get(name)?.listening?.[Symbol.dispose]();
      sent.delete(name);
      if (source) sent.set(name, { source, listening: source.onToolsChanged?.(() => markChanged(name)) });
    }
    if (source === undefined) return { removed: name };
    // A source that cannot be listed now is announced later.
    const tools = await Promise.resolve(source.listTools({ signal })).catch(() => []);
    return { source: name, state: source.state ?? 'running', tools };
  }
}

/** @throws {ControlError} `unknown-server`: the fleet no longer offers it. */
export async function callSource(
  fleet: Fleet | undefined,
  { source: name, tool, args, host, onServerRequest, ...options }: CallSourceOptions,
): Promise<SourceToolResult> {
  const source = sourceOf(fleet, name);
  if (source === undefined) throw new ControlError('unknown-server', `The fleet offers no server named "${name}".`);
  return source.callTool(tool, args, {
    ...present(options),
    ...(host && onServerRequest && { handler: { ...host, answer: forwardTo(onServerRequest) } }),
  });
}

function forwardTo(handle: HandleServerRequest): CallHandler['answer'] {
  return async (request, { signal }) => {
    const response = await handle(request, { signal });
    if (!isRecord(response)) throw new TypeError('The response of the client must be an object');
    return response;
  };
}

function sourceOf(fleet: Fleet | undefined, name: string): FleetSource | undefined {
  return fleet?.sources({ own: false }).find((source) => source.name === name);
}
