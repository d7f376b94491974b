import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { AdminAction, LiveMessage } from '../../src/dashboard/page-messages.js';
import type { Session } from './api.js';
import { counted, formatTime } from './format.js';
import { listen } from './listen.js';
import {
  type Connection as ConnectionState,
  initialState,
  type LiveInput,
  type LiveState,
  nextState,
} from './live-state.js';
import { CommandPalette, useCommandPalette } from './parts/command-palette.js';
import { type Act, ConfirmDialog } from './parts/confirm-dialog.js';
import { ForeignText } from './parts/foreign-text.js';
import { ViewBoundary } from './parts/view-boundary.js';
import { routeTo, useRoute, type ViewName, views } from './use-route.js';
import { AccessView } from './views/access-view.js';
import { CallsView } from './views/calls-view.js';
import { ConfigFilesPage } from './views/config-view.js';
import { FleetNodesView } from './views/fleet-view.js';
import { OverviewView } from './views/overview-view.js';
import { SearchView } from './views/search-view.js';
import { ServersView } from './views/servers-view.js';
import { ToolPage } from './views/tool-view.js';
import { ToolsListView } from './views/tools-view.js';

const titles: Readonly<Record<ViewName, string>> = {
  overview: 'Overview',
  servers: 'Servers',
  tools: 'Tools',
  search: 'Search',
  calls: 'Calls',
  access: 'Access',
  config: 'Config',
  fleet: 'Fleet',
};

export function App({ session }: { readonly session: Session }) {
  if (session.problem !== undefined) return <SignedOut problem={session.problem} />;
  return <Dashboard session={session} />;
}

function Dashboard({ session }: { readonly session: Session }) {
  const { adminKey } = session;
  const state = useLive();
  const route = useRoute();
  const { view, item } = route;
  const [action, setAction] = useState<AdminAction>();
  const [message, setMessage] = useState('');
  const [isPaletteOpen, setPaletteOpen] = useCommandPalette();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.title = `${titles[view]} · mcpx dashboard`;
    // Announces the new view to screen readers, unless one of its parts, such as a tool, took the focus.
    if (shown.current !== view && !document.activeElement?.closest('main')) heading.current?.focus();
    if (shown.current !== view) setMessage(''); // the message concerned the previous view
    shown.current = view;
  }, [view]);
  useReconnected(state.connection, () => setMessage('Connected again: the page is up to date.'));
  if (state.connection.phase === 'ended' && !state.isKnown) {
    return <SignedOut problem={state.connection.reason} />;
  }
  const act: Act = adminKey === undefined ? undefined : setAction;
  return (
    <>
      <PageHeader state={state} view={view} onSearch={() => setPaletteOpen(true)} />
      <Interruption connection={state.connection} />
      <main class={'since' in state.connection ? 'outdated' : undefined}>
        <h1 ref={heading} tabIndex={-1} class={view === 'tools' && item !== undefined ? 'visually-hidden' : undefined}>
          {titles[view]}
        </h1>
        {session.may === 'look' && (
          <p class="note">This page can only look. Run “mcpx dashboard” for a link that may act.</p>
        )}
        <div class="message" role="status">
          {message !== '' && <ForeignText text={message} />}
        </div>
        <ViewBoundary key={view} route={route}>
          {view === 'overview' && <OverviewView state={state} route={route} act={act} version={message} />}
          {view === 'servers' && <ServersView state={state} route={route} session={session} act={act} />}
          {view === 'tools' && item === undefined && <ToolsListView state={state} route={route} />}
          {view === 'tools' && item !== undefined && (
            <ToolPage key={item} name={item} state={state} route={route} session={session} />
          )}
          {view === 'search' && <SearchView route={route} />}
          {view === 'calls' && <CallsView state={state} route={route} session={session} act={act} />}
          {view === 'access' && <AccessView state={state} route={route} act={act} version={message} />}
          {view === 'config' && (
            <ConfigFilesPage state={state} route={route} session={session} act={act} version={message} />
          )}
          {view === 'fleet' &&
            (state.fleet ? (
              <FleetNodesView fleet={state.fleet} />
            ) : (
              <p class="note">The daemon belongs to no fleet.</p>
            ))}
        </ViewBoundary>
      </main>
      {isPaletteOpen && (
        <CommandPalette state={state} titles={titles} act={act} onClose={() => setPaletteOpen(false)} />
      )}
      {action && adminKey !== undefined && (
        <ConfirmDialog
          action={action}
          adminKey={adminKey}
          onClose={(result = '') => {
            setAction(undefined);
            setMessage(result);
          }}
        />
      )}
    </>
  );
}

interface PageHeaderProps {
  readonly state: LiveState;
  readonly view: ViewName;
  readonly onSearch: () => void;
}

function PageHeader({ state, view, onSearch }: PageHeaderProps) {
  return (
    <header>
      <p class="brand">
        <Mark />
        mcpx <span>dashboard</span>
      </p>
      <nav aria-label="Views">
        {views
          .filter((name) => name !== 'fleet' || state.fleet !== undefined)
          .map((name) => (
            <a key={name} href={routeTo(name)} aria-current={name === view ? 'page' : undefined}>
              {titles[name]}
              {name === 'calls' && state.approvals.length > 0 && (
                <span class="badge badge-warn">{state.approvals.length} waiting</span>
              )}
            </a>
          ))}
      </nav>
      <button type="button" class="go-to" aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
        Go to … <kbd>Ctrl K</kbd>
      </button>
      <Connection state={state} />
    </header>
  );
}

function Connection({ state: { connection, servers } }: { readonly state: LiveState }) {
  if (connection.phase === 'opening') return <p class="connection">◌ Connecting</p>;
  if (connection.phase !== 'open') return <p class="connection lost">✕ Not connected</p>;
  if (servers.length === 0) return <p class="connection">No servers</p>;
  const running = servers.filter(({ state }) => state === 'running').length;
  const failed = servers.filter(({ state }) => state === 'failed').length;
  return (
    <p class="connection">
      <span class={running === servers.length ? 'dot-good' : 'dot-warn'}>●</span> {running} of{' '}
      {counted(servers.length, 'server')} running
      {failed > 0 && (
        <>
          {', '}
          <a href={routeTo('servers', undefined, { state: 'failed' })}>{failed} failed</a>
        </>
      )}
    </p>
  );
}

/** Shows that the data is outdated. */
function Interruption({ connection }: { readonly connection: ConnectionState }) {
  return (
    <div role="alert">
      {'since' in connection && (
        <p class="interruption">
          <strong>✕ {connection.reason}</strong> What is shown is how it was at {formatTime(connection.since)}.
          {connection.phase === 'lost'
            ? ' It is tried again every few seconds. If that does not help, run “mcpx dashboard” for a new link.'
            : ' Run “mcpx dashboard” for a new link.'}
        </p>
      )}
    </div>
  );
}

/** Calls `onReconnect` when the connection is restored. */
function useReconnected({ phase }: ConnectionState, onReconnect: () => void): void {
  const before = useRef(phase);
  useEffect(() => {
    if (phase === 'open' && before.current === 'lost') onReconnect();
    before.current = phase;
  }, [phase, onReconnect]);
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M5 17h5l3-8 5 15 3-9h6" />
    </svg>
  );
}

function SignedOut({ problem }: { readonly problem: string }) {
  return (
    <main>
      <h1>Not signed in</h1>
      <p>{problem}</p>
    </main>
  );
}

/** The daemon sends a message every 5 s. */
const silenceMs = 15_000;

/** The live state of the daemon. Reconnects after a loss and receives everything again. */
function useLive(): LiveState {
  const [state, dispatch] = useReducer<LiveState, LiveInput>(
    (before, input) => nextState(before, input, Date.now()),
    initialState,
  );
  useEffect(
    () =>
      listen(
        'api/events',
        {
          onMessage: (message) => dispatch(message as LiveMessage),
          onLost: (reason) => dispatch({ type: 'lost', reason }),
          onEnd: (reason) => dispatch({ type: 'ended', reason }),
        },
        { silenceMs },
      ),
    [],
  );
  return state;
}
