import { useMemo, useRef } from 'preact/hooks';
import type { ServerView } from '../../../src/dashboard/page-messages.js';
import type { Session } from '../api.js';
import type { LiveState } from '../live-state.js';
import { memo } from '../memo.js';
import type { Act } from '../parts/confirm-dialog.js';
import { useNow } from '../use-now.js';
import { type Route, routeTo, useQueryValue } from '../use-route.js';
import { useUsage } from '../use-usage.js';
import { useWhileDrawn } from '../use-while-drawn.js';
import { NoServers } from './no-servers.js';
import { ServerCard, type ServerCardProps } from './server-card.js';
import { ServerDetail } from './server-detail.js';
import { isShown, ServerFilters } from './server-filters.js';
import { ServerTable, sortedBy } from './server-table.js';

interface ServersViewProps {
  readonly state: LiveState;
  /** Its query has the filters `state` and `q`, the form `show`, and the column `sort`. */
  readonly route: Route;
  readonly session: Session;
  readonly act: Act;
}

/** More servers begin as a table. */
const manyServers = 40;

export function ServersView({ state, route, session, act }: ServersViewProps) {
  const { servers, isKnown } = state;
  if (!isKnown) return <p class="note">Connecting …</p>;
  return servers.length === 0 ? (
    <NoServers />
  ) : (
    <KnownServers state={state} route={route} session={session} act={act} />
  );
}

function KnownServers({ state, route, session, act }: ServersViewProps) {
  const { servers, samples, clockAheadMs } = state;
  const isMany = servers.length > manyServers;
  const now = useNow(isMany ? 10_000 : 2_000) - clockAheadMs;
  const [group, setGroup] = useQueryValue(route, 'state');
  const [words, setWords] = useQueryValue(route, 'q');
  const [form, setForm] = useQueryValue(route, 'show');
  const [sort, setSort] = useQueryValue(route, 'sort');
  const use = useUsage('1h', 10_000);
  const usage = useMemo(() => new Map(use?.servers.map((row) => [row.name, row])), [use]);
  const chosen = servers.find(({ name }) => name === route.item);
  const query = { state: group, q: words, show: form, sort };
  const choice = { group, words };
  const all = byUrgency(servers.filter((each) => isShown(each, choice))).map((server) => ({
    server,
    usage: usage.get(server.name),
    href: routeTo('servers', server.name, query),
    isSelected: server === chosen,
  }));
  const isTable = form === '' ? isMany : form === 'table';
  return (
    <>
      <ServerFilters
        servers={servers}
        choice={choice}
        onGroup={setGroup}
        onWords={setWords}
        isTable={isTable}
        onForm={(wanted) => setForm(wanted === isMany ? '' : wanted ? 'table' : 'cards')}
      />
      <div class={chosen ? 'split' : undefined}>
        {all.length === 0 && <p class="note">No server is like that.</p>}
        {isTable && all.length > 0 && (
          <ServerTable entries={sortedBy(sort, all)} sort={sort} onSort={setSort} now={now} />
        )}
        {!isTable && (
          <ul class="cards" aria-label="Servers" hidden={all.length === 0}>
            {all.map((entry) => (
              <Card key={entry.server.name} {...entry} samples={samplesOf(samples, entry.server.name)} now={now} />
            ))}
          </ul>
        )}
        {chosen && (
          <ServerDetail
            key={chosen.name}
            server={chosen}
            samples={samplesOf(samples, chosen.name)}
            usage={usage.get(chosen.name)}
            calls={state.calls}
            route={route}
            configVersion={`${state.daemon?.configReadAt} ${state.daemon?.configProblem}`}
            closeHref={routeTo('servers', undefined, query)}
            session={session}
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

type CardProps = Omit<ServerCardProps, 'element'>;

function Card(latest: CardProps) {
  const element = useRef<HTMLLIElement>(null);
  return <DrawnCard {...useWhileDrawn(element, latest)} element={element} />;
}

/** Most updates concern other servers. */
const DrawnCard = memo(ServerCard);

const none: readonly never[] = [];

function samplesOf(samples: LiveState['samples'], server: ServerView['name']) {
  return Object.hasOwn(samples, server) ? (samples[server] ?? none) : none;
}
