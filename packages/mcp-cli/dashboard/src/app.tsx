import { useEffect, useRef, useState } from 'preact/hooks';
import type { AdminAction } from '../../src/dashboard/page-messages.js';
import type { Act } from './act.js';
import { counted, formatBytes } from './format.js';
import type { LiveState } from './live-state.js';
import { ConfirmDialog } from './parts/confirm-dialog.js';
import { ForeignText } from './parts/foreign-text.js';
import type { Session } from './session.js';
import { useLive } from './use-live.js';
import { routeTo, useRoute, type ViewName, views } from './use-route.js';
import { AccessView } from './views/access-view.js';
import { CallsView } from './views/calls-view.js';
import { ConfigIssuesView } from './views/config-view.js';
import { ServersView } from './views/servers-view.js';
import { ToolsListView } from './views/tools-view.js';

const titles: Readonly<Record<ViewName, string>> = {
  servers: 'Servers',
  tools: 'Tools',
  calls: 'Calls',
  access: 'Access',
  config: 'Config',
};

export function App({ session }: { readonly session: Session }) {
  if (session.problem !== undefined) return <SignedOut problem={session.problem} />;
  return <Dashboard adminKey={session.adminKey} />;
}

function Dashboard({ adminKey }: { readonly adminKey: string | undefined }) {
  const state = useLive();
  const { view, item } = useRoute();
  const [action, setAction] = useState<AdminAction>();
  const [message, setMessage] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.title = `${titles[view]} · mcpx dashboard`;
    if (shown.current !== view) heading.current?.focus(); // who reads by ear is told that another view is there
    shown.current = view;
  }, [view]);
  const act: Act = adminKey === undefined ? undefined : setAction;
  return (
    <>
      <header>
        <p class="brand">
          mcpx <span>dashboard</span>
        </p>
        <nav aria-label="Views">
          {views.map((name) => (
            <a key={name} href={routeTo(name)} aria-current={name === view ? 'page' : undefined}>
              {titles[name]}
            </a>
          ))}
        </nav>
        <Connection state={state} />
      </header>
      <main>
        <h1 ref={heading} tabIndex={-1}>
          {titles[view]}
        </h1>
        {adminKey === undefined && (
          <p class="note">This page can only look. Run “mcpx dashboard” for a link that may act.</p>
        )}
        <div class="message" role="status">
          {message !== '' && <ForeignText text={message} />}
        </div>
        {view === 'servers' && <ServersView state={state} selected={item} act={act} />}
        {view === 'tools' && <ToolsListView state={state} selected={item} />}
        {view === 'calls' && <CallsView calls={state.calls} />}
        {view === 'access' && <AccessView state={state} act={act} version={message} />}
        {view === 'config' && <ConfigIssuesView state={state} />}
      </main>
      {action && adminKey !== undefined && (
        <ConfirmDialog
          action={action}
          adminKey={adminKey}
          onClose={(told = '') => {
            setAction(undefined);
            setMessage(told);
          }}
        />
      )}
    </>
  );
}

function Connection({ state: { connection, servers, daemon } }: { readonly state: LiveState }) {
  if (connection === 'lost')
    return <p class="connection lost">✕ The daemon does not answer. “mcpx dashboard” makes a new link</p>;
  if (connection === 'opening') return <p class="connection">◌ Connecting</p>;
  const running = servers.filter(({ state }) => state === 'running').length;
  return (
    <p class="connection">
      ● {running} of {counted(servers.length, 'server')} running
      {daemon && (
        <span class="daemon">
          {' '}
          · daemon {daemon.version}, process {daemon.pid}, {formatBytes(daemon.memoryBytes)}
        </span>
      )}
    </p>
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
