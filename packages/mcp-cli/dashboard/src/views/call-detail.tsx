import { isRecord } from '@x/internal/json';
import type { ToolCallResult } from '@x/mcp-registry';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CallView, RecordedCallView, RecordedValue } from '../../../src/dashboard/page-messages.js';
import type { Session } from '../api.js';
import { formatDuration, formatTime } from '../format.js';
import type { LiveState } from '../live-state.js';
import { CopyText } from '../parts/copy-text.js';
import { FactRows } from '../parts/fact-rows.js';
import { ForeignText } from '../parts/foreign-text.js';
import { JsonTree } from '../parts/json-tree.js';
import { Outcome } from '../parts/outcome-badge.js';
import { Waterfall } from '../parts/waterfall.js';
import { ToolResult } from '../tool/tool-result.js';
import { useMethod } from '../use-response.js';
import { type Route, routeTo } from '../use-route.js';
import { wayOf } from './call-way.js';

interface CallDetailProps {
  readonly call: CallView;
  readonly state: LiveState;
  readonly route: Route;
  readonly session: Session;
}

/** One call, with its arguments, stages and result as far as they were recorded. */
export function CallDetail({ call, state, route, session: { may, adminKey } }: CallDetailProps) {
  const { record, tool, role } = call;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isAsked = record !== undefined && adminKey !== undefined;
  const version = state.recording?.calls === 0 ? 0 : 1;
  const { response, problem } = useMethod('recordedCalls', isAsked ? { ids: [record] } : undefined, version, adminKey);
  const recorded = response?.[0];
  return (
    <section class="detail" aria-labelledby="call-heading">
      <div class="card-head">
        <h2 id="call-heading" ref={heading} tabIndex={-1}>
          Call of{' '}
          <code>
            <ForeignText text={tool} maxLength={200} />
          </code>
        </h2>
        <a class="close" href={routeTo('calls', undefined, route.query)}>
          Close
        </a>
      </div>
      <CallFacts call={call} state={state} />
      <p class="links">
        <a href={routeTo('tools', tool)}>The tool</a>
        {call.server !== undefined && <a href={routeTo('servers', call.server)}>Its server</a>}
        {may === 'call' && (
          <a
            href={routeTo('tools', tool, {
              ...(role !== undefined && { role }),
              ...(recorded?.args.json !== undefined && { replay: String(record) }),
            })}
          >
            {recorded?.args.json === undefined ? 'Call it again' : 'Call it again with these arguments'}
          </a>
        )}
      </p>
      {recorded ? (
        <Recorded recorded={recorded} tool={tool} />
      ) : (
        <p class="note">{problem ?? whyNotRecorded(call, adminKey, response)}</p>
      )}
    </section>
  );
}

function whyNotRecorded({ record, outcome }: CallView, adminKey: string | undefined, response: unknown): string {
  if (record === undefined && outcome === 'running') return 'What is recorded of a call is shown when it has ended.';
  if (record === undefined) return 'Its arguments and result were not recorded.';
  if (adminKey === undefined)
    return 'Its arguments and result were recorded. This page can only look, and does not show them.';
  return response === undefined ? 'One moment …' : 'Its arguments and result are not kept any more.';
}

function CallFacts({ call, state }: Pick<CallDetailProps, 'call' | 'state'>) {
  const { at, server, client, role, durationMs } = call;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Time', formatTime(at)],
    ['Took', durationMs === undefined ? undefined : formatDuration(durationMs)],
    ['Server', server],
    ['Client', client],
    ['Role', role],
    ['Way', wayOf(call, state.fleet)],
  ];
  return (
    <dl class="facts-list">
      <div>
        <dt>Outcome</dt>
        <dd>
          <Outcome call={call} />
        </dd>
      </div>
      <FactRows rows={facts} />
    </dl>
  );
}

function Recorded({
  recorded: { args, result, error, stages, tookMs, traceId },
  tool,
}: {
  readonly recorded: RecordedCallView;
  readonly tool: string;
}) {
  const value = useMemo(() => (result?.json === undefined ? undefined : parsed(result.json)), [result?.json]);
  return (
    <>
      <h3>Where the time went</h3>
      <Waterfall stages={stages} tookMs={tookMs} />
      {traceId !== undefined && (
        <p class="note">
          Trace <code class="trace">{traceId}</code>
        </p>
      )}
      <h3>Arguments</h3>
      <Value recorded={args} label="Arguments" />
      <h3>Result</h3>
      {error !== undefined && (
        <p class="failure">
          <ForeignText text={error} />
        </p>
      )}
      {isToolResult(value) ? (
        <RecordedResult result={value} tool={tool} />
      ) : (
        result && <Value recorded={result} label="Result" />
      )}
    </>
  );
}

function RecordedResult({ result, tool }: { readonly result: ToolCallResult; readonly tool: string }) {
  const { response } = useMethod('describe', result.structuredContent === undefined ? undefined : { tool });
  return <ToolResult result={result} outputSchema={response?.tool.outputSchema} />;
}

function Value({ recorded: { json, left }, label }: { readonly recorded: RecordedValue; readonly label: string }) {
  if (json === undefined) return <p class="note">Not recorded: {left}</p>;
  return (
    <>
      <div class="block">
        <JsonTree value={parsed(json)} label={label} />
      </div>
      <details>
        <summary>As text</summary>
        <CopyText label={`${label} as JSON`} text={JSON.stringify(parsed(json), null, 2)} />
      </details>
    </>
  );
}

function parsed(json: string): unknown {
  return JSON.parse(json);
}

function isToolResult(value: unknown): value is ToolCallResult {
  return isRecord(value) && Array.isArray(value.content) && value.content.every(isRecord);
}
