import { useMemo } from 'preact/hooks';
import type { ConfigView, PinsView } from '../../../src/dashboard/page-messages.js';
import { counted, formatBytes } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useReport } from '../use-response.js';
import { type Route, routeTo } from '../use-route.js';
import { type Attention, attentionIn } from './attention.js';
import { NoServers } from './no-servers.js';
import { UsagePanel } from './usage-panel.js';

interface OverviewProps {
  readonly state: LiveState;
  /** Its query has the `span` and `by` of the use. */
  readonly route: Route;
  readonly act: Act;
  /** Changes after each action. */
  readonly version: string;
}

/** What needs attention, then what is used. */
export function OverviewView({ state, route, act, version }: OverviewProps) {
  const { clockAheadMs, daemon } = state;
  const startedAt = daemon?.startedAt;
  // Memoized, because changes of servers do not concern it.
  const use = useMemo(
    () => <UsagePanel startedAt={startedAt} clockAheadMs={clockAheadMs} route={route} />,
    [startedAt, clockAheadMs, route],
  );
  if (!state.isKnown) return <p class="note">Connecting …</p>;
  if (state.servers.length === 0) return <NoServers />;
  return (
    <>
      <NeedsAttention state={state} act={act} version={version} />
      {use}
    </>
  );
}

/** Further ones are counted. */
const maxShown = 8;

function NeedsAttention({ state, act, version }: Omit<OverviewProps, 'route'>) {
  const { servers, daemon } = state;
  const tools = servers.reduce((count, server) => count + server.tools, 0);
  const pins = useReport<PinsView>('pins', `${version}\n${tools}`);
  const config = useReport<ConfigView>('config', `${daemon?.configReadAt}\n${daemon?.configProblem}`);
  const all = attentionIn(state, { pins: pins.response, config: config.response });
  const running = servers.filter(({ state: now }) => now === 'running').length;
  const stopped = servers.filter(({ state: now }) => now === 'stopped').length;
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      <p class="note">
        {counted(servers.length, 'server')}: {running} running
        {stopped > 0 && `, ${stopped} stopped`}. {all.length === 0 ? '✓ Nothing needs attention. ' : ''}
        {daemon && `Daemon ${daemon.version}, process ${daemon.pid}, ${formatBytes(daemon.memoryBytes)}.`}
      </p>
      <ul class="attention" aria-label="Needs attention" hidden={all.length === 0}>
        {all.slice(0, maxShown).map((item) => (
          <Item key={`${item.what} ${item.name}`} item={item} act={act} />
        ))}
      </ul>
      {all.length > maxShown && (
        <p class="note">
          {all.length - maxShown} more; <a href={routeTo('servers')}>all servers, failed ones first</a>.
        </p>
      )}
    </section>
  );
}

const labels = { start: 'Start', restart: 'Restart' } as const;

function Item({ item, act }: { readonly item: Attention; readonly act: Act }) {
  const { tone, what, name, reason, remedy, href, action } = item;
  return (
    <li class={`attention-${tone}`}>
      <div>
        <span class={`badge badge-${tone}`}>
          <span aria-hidden="true">{tone === 'bad' ? '✕' : '!'} </span>
          {what}
        </span>{' '}
        <a href={href}>
          {name === undefined ? 'Show' : <ForeignText text={name} maxLength={200} />}
          {name === undefined && <span class="visually-hidden"> {what}</span>}
        </a>
      </div>
      {reason !== undefined && (
        <p class="clamped">
          <ForeignText text={reason} maxLength={500} />
        </p>
      )}
      <p class="note">{remedy}</p>
      {act && action && (action.action === 'start' || action.action === 'restart') && (
        <button type="button" class="small" onClick={() => act(action)}>
          {labels[action.action]}
          <span class="visually-hidden">
            {' '}
            <ForeignText text={action.server} />
          </span>
        </button>
      )}
    </li>
  );
}
