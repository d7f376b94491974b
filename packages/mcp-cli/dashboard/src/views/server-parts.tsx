import { useState } from 'preact/hooks';
import type { CallView, ServerView } from '../../../src/dashboard/page-messages.js';
import type { ResultOf } from '../api.js';
import { counted, formatCount, formatDuration, formatTime } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { Outcome } from '../parts/outcome-badge.js';
import { useNow } from '../use-now.js';
import { useMethod } from '../use-response.js';
import { routeTo } from '../use-route.js';
import { ToolList } from './tools-view.js';

interface PartProps {
  readonly server: ServerView;
}

const maxTools = 100;
const maxChanges = 12;
const checksEveryMs = 10_000;

/** The tools of a server, with the way to their pages. */
export function ServerTools({ server: { name, state, tools } }: PartProps) {
  const request = { query: '*', server: name, limit: maxTools };
  const { response, problem } = useMethod('search', { request }, `${state} ${tools}`);
  if (!response) return <p class="note">{problem ?? 'One moment …'}</p>;
  return (
    <>
      {response.total === 0 && <p class="note">None are known. They are listed when it has started.</p>}
      <ToolList tools={response.tools} />
      {response.total > response.tools.length && (
        <p class="note">
          {response.tools.length} of {response.total} shown;{' '}
          <a href={routeTo('tools', undefined, { server: name })}>search all of them</a>.
        </p>
      )}
    </>
  );
}

/** Who calls the server, and the latest calls. */
export function ServerCalls({ server: { name }, calls }: PartProps & { readonly calls: readonly CallView[] }) {
  const own = calls.filter(({ server }) => server === name);
  if (own.length === 0) return <p class="note">None of the last {calls.length} calls was to it.</p>;
  return (
    <>
      <ul class="callers" aria-label="Callers">
        {callersOf(own).map(({ client, count, failures }) => (
          <li key={client}>
            <strong>
              <ForeignText text={client} maxLength={200} />
            </strong>{' '}
            {counted(count, 'call')}
            {failures > 0 && <span class="error">, {failures} failed</span>}
          </li>
        ))}
      </ul>
      <p class="note">Its calls, of the last {calls.length} through the daemon:</p>
      <ul class="dense calls" aria-label="Calls">
        {own.toReversed().map((call) => (
          <li key={call.id}>
            <span class="note">{formatTime(call.at)}</span>
            <code>
              <ForeignText text={withoutPrefix(call.tool, name)} />
            </code>
            <span>
              <Outcome call={call} />
            </span>
            <span class="figure">{call.durationMs === undefined ? '–' : formatDuration(call.durationMs)}</span>
            {(call.client !== undefined || call.role !== undefined) && (
              <span class="about">
                <ForeignText text={[call.client, call.role && `as ${call.role}`].filter(Boolean).join(', ')} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function withoutPrefix(tool: string, server: string): string {
  const prefix = `mcp__${server}__`;
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : tool;
}

interface Caller {
  readonly client: string;
  readonly count: number;
  readonly failures: number;
}

/** Clients by the number of their calls. */
function callersOf(calls: readonly CallView[]): readonly Caller[] {
  const callers = new Map<string, Caller>();
  for (const { client = 'mcpx', outcome } of calls) {
    const { count, failures } = callers.get(client) ?? { count: 0, failures: 0 };
    const isFailure = outcome === 'failed' || outcome === 'tool-error';
    callers.set(client, { client, count: count + 1, failures: failures + (isFailure ? 1 : 0) });
  }
  return [...callers.values()].toSorted((one, other) => other.count - one.count);
}

/** Starts, failures and other events of the server with their reasons, the latest first. */
export function ServerHistory({ server }: PartProps) {
  // Not with its memory, which changes with every sample.
  const { memoryBytes: _memory, startedAt: _start, ...state } = server;
  const checks = useNow(checksEveryMs); // those that pass change nothing else
  const version = JSON.stringify([state, checks]);
  const { response, problem } = useMethod('serverHistory', { server: server.name }, version);
  const [isWhole, setWhole] = useState(false);
  if (!response) return <p class="note">{problem ?? 'One moment …'}</p>;
  if (response.length === 0) return <p class="note">Nothing has happened to it yet.</p>;
  return (
    <>
      <ol class="changes" aria-label="What happened">
        {response
          .toReversed()
          .slice(0, isWhole ? undefined : maxChanges)
          .map((entry, index) => (
            <li key={response.length - index} class="change">
              <span class="note">{formatTime(entry.at)}</span>
              <span class={badKinds.has(entry.kind) ? 'error' : undefined}>{happened[entry.kind]}</span>
              {entry.kind === 'checks-passed'
                ? entry.count > 1 && <span class="note">{formatCount(entry.count)} in a row</span>
                : entry.detail !== undefined && (
                    <span class="note">
                      <ForeignText text={entry.detail} />
                    </span>
                  )}
            </li>
          ))}
      </ol>
      {!isWhole && response.length > maxChanges && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all {response.length}
        </button>
      )}
    </>
  );
}

type Happening = ResultOf<'serverHistory'>[number]['kind'];

const happened: Readonly<Record<Happening, string>> = {
  starting: 'starts',
  restarting: 'starts again',
  'start-failed': 'start failed',
  ready: 'ready',
  'check-failed': 'check failed',
  recovered: 'check passes again',
  'checks-passed': 'check passed',
  crashed: 'crashed',
  failed: 'ended by mcpx',
  withdrawn: 'tools withdrawn',
  stopped: 'stopped',
  'config-changed': 'config changed',
};

const badKinds: ReadonlySet<Happening> = new Set(['start-failed', 'check-failed', 'crashed', 'failed', 'withdrawn']);
