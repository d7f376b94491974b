import { useEffect, useRef } from 'preact/hooks';
import type { CallView, Sample, ServerView, UsageRow } from '../../../src/dashboard/page-messages.js';
import type { Session } from '../api.js';
import { counted, formatBytes, formatDuration, formatTime } from '../format.js';
import type { Act } from '../parts/confirm-dialog.js';
import { FactRows } from '../parts/fact-rows.js';
import { ForeignText } from '../parts/foreign-text.js';
import { MemoryChart, StateChart, TimeAxis } from '../parts/history-chart.js';
import { LogTail } from '../parts/log-tail.js';
import { Sparkline } from '../parts/sparkline.js';
import { StateBadge } from '../parts/state-badge.js';
import { durationText } from '../parts/usage-chart.js';
import { type Route, useQueryValue } from '../use-route.js';
import { ServerConfigPart } from './server-config-part.js';
import { ServerCalls, ServerHistory, ServerTools } from './server-parts.js';
import { ServerPrompts } from './server-prompts.js';
import { ServerResources } from './server-resources.js';

interface ServerDetailProps {
  readonly server: ServerView;
  readonly samples: readonly Sample[];
  /** In the last hour; absent without calls. */
  readonly usage: UsageRow | undefined;
  /** All that are known, oldest first. */
  readonly calls: readonly CallView[];
  /** Its query has the `tab`. */
  readonly route: Route;
  /** Changes with the config in effect. */
  readonly configVersion: string;
  /** Address of the list without this server. */
  readonly closeHref: string;
  readonly session: Session;
  readonly act: Act;
  readonly now: number;
}

export function ServerDetail({
  server,
  samples,
  usage,
  calls,
  route,
  configVersion,
  closeHref,
  session,
  act,
  now,
}: ServerDetailProps) {
  const { name } = server;
  const [tab, setTab] = useQueryValue(route, 'tab');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []); // moves keyboard and screen reader to the details
  return (
    <section class="detail" aria-labelledby="server-name">
      <div class="card-head">
        <h2 id="server-name" ref={heading} tabIndex={-1}>
          <ForeignText text={name} />
        </h2>
        <StateBadge server={server} />
        <a class="close" href={closeHref}>
          Close
        </a>
      </div>
      {act && <ServerButtons server={server} act={act} />}
      <ServerTabs tab={tab} server={server} onTab={setTab} />
      {tab === '' && <StateNow server={server} samples={samples} usage={usage} route={route} now={now} />}
      {tab === 'tools' && <ServerTools server={server} />}
      {tab === 'resources' && <ServerResources server={server} route={route} session={session} />}
      {tab === 'prompts' && <ServerPrompts server={server} route={route} session={session} />}
      {tab === 'calls' && <ServerCalls server={server} calls={calls} />}
      {tab === 'config' && (
        <ServerConfigPart server={server} configVersion={configVersion} mayEdit={act !== undefined} />
      )}
    </section>
  );
}

const tabs = {
  '': 'State and log',
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  calls: 'Calls',
  config: 'Config',
} as const;

interface ServerTabsProps {
  readonly tab: string;
  readonly server: ServerView;
  readonly onTab: (tab: string) => void;
}

function ServerTabs({ tab, server, onTab }: ServerTabsProps) {
  return (
    <div class="chips">
      {Object.entries(tabs).map(([name, label]) => (
        <button key={name} type="button" class="chip" aria-pressed={tab === name} onClick={() => onTab(name)}>
          {label}
          {name === 'tools' && <strong> {server.tools}</strong>}
        </button>
      ))}
    </div>
  );
}

type StateNowProps = Pick<ServerDetailProps, 'server' | 'samples' | 'usage' | 'route' | 'now'>;

function StateNow({ server, samples, usage, route, now }: StateNowProps) {
  const { name, state, lastError, catalogProblems } = server;
  return (
    <>
      {lastError !== undefined && (
        <p class={state === 'running' ? 'note' : 'failure'}>
          <strong>{state === 'running' ? 'It failed before: ' : 'Why: '}</strong>
          <ForeignText text={lastError} />
        </p>
      )}
      <dl class="facts-list">
        <FactRows rows={facts(server, now)} />
      </dl>
      {catalogProblems.length > 0 && (
        <ul class="error">
          {catalogProblems.map((problem) => (
            <li key={problem}>
              <ForeignText text={problem} />
            </li>
          ))}
        </ul>
      )}
      <h3>Calls in the last hour</h3>
      <Use usage={usage} />
      <h3>History</h3>
      <StateChart samples={samples} now={now} />
      <TimeAxis samples={samples} now={now} />
      <ServerHistory server={server} />
      <h3>Memory</h3>
      <MemoryChart samples={samples} now={now} />
      <h3>Log</h3>
      <LogTail server={name} route={route} />
    </>
  );
}

function Use({ usage }: Pick<ServerDetailProps, 'usage'>) {
  if (!usage) return <p class="note">None.</p>;
  const { calls, errors, refused, p50Ms, p95Ms, points = [] } = usage;
  return (
    <>
      <Sparkline values={points} />
      <p class="note">
        {counted(calls, 'call')}, <span class={errors > 0 ? 'error' : undefined}>{counted(errors, 'error')}</span>,{' '}
        {refused} refused, p50 {durationText(p50Ms)}, p95 {durationText(p95Ms)}
      </p>
    </>
  );
}

interface ServerButtonsProps {
  readonly server: ServerView;
  readonly act: NonNullable<Act>;
}

function ServerButtons({ server, act }: ServerButtonsProps) {
  const { name, state, disabled } = server;
  const isUp = state !== 'stopped' && state !== 'failed';
  return (
    <div class="buttons">
      {!isUp && (
        <button type="button" disabled={disabled} onClick={() => act({ action: 'start', server: name })}>
          Start
        </button>
      )}
      {isUp && (
        <button type="button" onClick={() => act({ action: 'restart', server: name })}>
          Restart
        </button>
      )}
      {isUp && (
        <button type="button" class="stop" onClick={() => act({ action: 'stop', server: name })}>
          Stop
        </button>
      )}
      <span class="note">{isUp ? effectOf(server) : disabled && 'The config has it disabled.'}</span>
    </div>
  );
}

/** What Restart and Stop do. */
function effectOf({ pid, callsInFlight, callsQueued, autoStart }: ServerView): string {
  const calls = callsInFlight + callsQueued;
  return [
    pid === undefined ? 'Both close the connection' : `Both end process ${pid}`,
    calls === 0 ? '.' : `, after at most 10 s for ${counted(calls, 'call')}.`,
    autoStart ? ' The next call starts a stopped one again.' : '',
  ].join('');
}

function facts(server: ServerView, now: number): readonly (readonly [string, string])[] {
  const { phase, health, transport, pid, startedAt, memoryBytes, protocolVersion, retryAt } = server;
  const { callsInFlight, callsQueued, restarts, junkLines, requirement } = server;
  const all: readonly (readonly [string, string | undefined])[] = [
    ['Phase', phase],
    ['Health', health],
    ['Transport', transport],
    ['Process', pid?.toString()],
    [
      'Up',
      startedAt === undefined
        ? undefined
        : `${formatDuration(Math.max(now - startedAt, 0))}, since ${formatTime(startedAt)}`,
    ],
    ['Memory', memoryBytes === undefined ? undefined : formatBytes(memoryBytes)],
    ['Protocol', protocolVersion],
    ['Calls', `${callsInFlight} under way, ${callsQueued} waiting`],
    ['Restarts', restarts.toString()],
    ['Tried again in', retryAt === undefined ? undefined : formatDuration(Math.max(retryAt - now, 0))],
    ['Needed', requirement],
    ['Junk on stdout', junkLines === 0 ? undefined : counted(junkLines, 'line')],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}
