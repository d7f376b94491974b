import type { ServerView } from '../../../src/dashboard/page-messages.js';
import type { Act } from '../act.js';
import { formatBytes, formatDuration } from '../format.js';
import type { LiveState } from '../live-state.js';
import { ForeignText } from '../parts/foreign-text.js';
import { StateChart } from '../parts/history-chart.js';
import { StateBadge } from '../parts/state-badge.js';
import { useNow } from '../use-now.js';
import { routeTo } from '../use-route.js';
import { ServerDetail } from './server-detail.js';

interface ServersViewProps {
  readonly state: LiveState;
  readonly selected: string | undefined;
  readonly act: Act;
}

export function ServersView({ state, selected, act }: ServersViewProps) {
  const now = useNow();
  const { servers, samples, connection } = state;
  const server = servers.find(({ name }) => name === selected);
  if (servers.length === 0) {
    return <p class="note">{connection === 'opening' ? 'Connecting …' : 'The config names no servers.'}</p>;
  }
  return (
    <div class={server ? 'split' : undefined}>
      <ul class="cards" aria-label="Servers">
        {servers.map((each) => (
          <li key={each.name} class={each.name === selected ? 'card selected' : 'card'}>
            <div class="card-head">
              <a href={routeTo('servers', each.name)} aria-current={each.name === selected ? 'true' : undefined}>
                <ForeignText text={each.name} />
              </a>
              <StateBadge server={each} />
            </div>
            <StateChart samples={samplesOf(samples, each.name)} now={now} />
            <p class="facts">{factsOf(each, now).join(' · ')}</p>
            {each.lastError !== undefined && each.state !== 'running' && (
              <p class="error">
                <ForeignText text={each.lastError} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {server && (
        <ServerDetail key={server.name} server={server} samples={samplesOf(samples, server.name)} act={act} now={now} />
      )}
    </div>
  );
}

function samplesOf(samples: LiveState['samples'], server: string) {
  return Object.hasOwn(samples, server) ? (samples[server] ?? []) : [];
}

function factsOf(server: ServerView, now: number): readonly string[] {
  const { tools, startedAt, restarts, memoryBytes, requirement, callsInFlight } = server;
  return [
    `${tools} ${tools === 1 ? 'tool' : 'tools'}`,
    ...(startedAt === undefined ? [] : [`up ${formatDuration(Math.max(now - startedAt, 0))}`]),
    ...(memoryBytes === undefined ? [] : [formatBytes(memoryBytes)]),
    ...(callsInFlight === 0 ? [] : [`${callsInFlight} under way`]),
    ...(restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`]),
    ...(requirement === undefined ? [] : [requirement]),
  ];
}
