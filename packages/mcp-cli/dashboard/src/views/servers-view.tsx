import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ServerView } from '../../../src/dashboard/page-messages.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import type { Route } from '../use-route.js';
import { ServerCard } from './server-card.js';
import { ServerDetail } from './server-detail.js';
import { everyServer, isShown, type ServerChoice, ServerFilters } from './server-filters.js';

interface ServersViewProps {
  readonly state: LiveState;
  readonly route: Route;
  readonly act: Act;
}

/** Drawing hundreds of cards is slow, and their charts change by less than a pixel. */
const manyServers = 40;

export function ServersView({ state, route, act }: ServersViewProps) {
  const selected = route.item;
  const { servers, samples, isKnown, clockAheadMs } = state;
  const now = useNow(servers.length > manyServers ? 10_000 : 2_000) - clockAheadMs;
  const [choice, setChoice] = useState<ServerChoice>(everyServer);
  const server = servers.find(({ name }) => name === selected);
  if (servers.length === 0) return <Nothing isKnown={isKnown} />;
  const shown = byUrgency(servers.filter((each) => isShown(each, choice)));
  return (
    <>
      <ServerFilters servers={servers} choice={choice} onChoice={setChoice} />
      <div class={server ? 'split' : undefined}>
        {shown.length === 0 && <p class="note">No server is like that.</p>}
        <ul class="cards" aria-label="Servers" hidden={shown.length === 0}>
          {shown.map((each) => (
            <CardOf
              key={each.name}
              server={each}
              samples={samplesOf(samples, each.name)}
              isSelected={each.name === selected}
              now={now}
            />
          ))}
        </ul>
        {server && (
          <ServerDetail
            key={server.name}
            server={server}
            samples={samplesOf(samples, server.name)}
            calls={state.calls}
            route={route}
            act={act}
            now={now}
          />
        )}
      </div>
    </>
  );
}

/** Those that need attention first, else in the order of the config. */
function byUrgency(servers: readonly ServerView[]): readonly ServerView[] {
  return servers.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
}

function urgencyOf({ state, health, needs }: ServerView): number {
  if (state === 'failed') return 0;
  return needs !== undefined || health === 'unhealthy' || state === 'degraded' ? 1 : 2;
}

/** Memoized, because most updates concern other servers. */
function CardOf({ server, samples, isSelected, now }: Parameters<typeof ServerCard>[0]) {
  return useMemo(
    () => <ServerCard server={server} samples={samples} isSelected={isSelected} now={now} />,
    [server, samples, isSelected, now],
  );
}

function Nothing({ isKnown }: { readonly isKnown: boolean }) {
  if (!isKnown) return <p class="note">Connecting …</p>;
  return (
    <div class="empty">
      <p>The config names no servers yet.</p>
      <p class="note">
        <code>mcpx import</code> takes over those of your editors; <code>mcpx init</code> writes a config to begin with.
        They appear here once <code>mcpx daemon reload</code> has read it.
      </p>
    </div>
  );
}

const none: readonly never[] = [];

function samplesOf(samples: LiveState['samples'], server: ServerView['name']) {
  return Object.hasOwn(samples, server) ? (samples[server] ?? none) : none;
}

/** The current time, updated every few seconds, for texts such as “up 3 min”. */
function useNow(everyMs = 2_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
