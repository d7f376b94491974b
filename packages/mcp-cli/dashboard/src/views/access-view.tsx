import type { PinsView, PinView } from '../../../src/dashboard/page-messages.js';
import { counted } from '../format.js';
import type { LiveState } from '../live-state.js';
import type { Act } from '../parts/confirm-dialog.js';
import { DiffText } from '../parts/diff-text.js';
import { ForeignText } from '../parts/foreign-text.js';
import { useReport } from '../use-response.js';
import type { Route } from '../use-route.js';
import { RoleAccess } from './role-access.js';
import { WaitingCalls } from './waiting-calls.js';

interface AccessViewProps {
  readonly state: LiveState;
  readonly route: Route;
  readonly act: Act;
  /** Changes after each approval. */
  readonly version: string;
}

/** Calls and tools that wait for approval, and roles. */
export function AccessView({ state, route, act, version }: AccessViewProps) {
  const tools = state.servers.map(({ name, tools: count }) => `${name} ${count}`).join('\n');
  return (
    <>
      <WaitingCalls state={state} act={act} />
      <Approvals act={act} version={`${version}\n${tools}`} />
      <RoleAccess route={route} version={tools} />
    </>
  );
}

function Approvals({ act, version }: { readonly act: Act; readonly version: string }) {
  const { response, problem } = useReport<PinsView>('pins', version);
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals">Approvals of tools</h2>
      {!response && <p class="note">{problem ?? 'One moment …'}</p>}
      {response && (
        <p class="note">
          Trust is “{response.mode}”: {counted(response.trusted, 'tool')} trusted, {response.total} held back.
        </p>
      )}
      <ul class="rows" aria-label="Tools that are held back">
        {response?.pins.map((pin) => (
          <Pin key={`${pin.server} ${pin.tool}`} pin={pin} act={act} />
        ))}
      </ul>
    </section>
  );
}

function Pin({
  pin: { server, tool, trust, digest, findings, diff, isCut },
  act,
}: {
  readonly pin: PinView;
  readonly act: Act;
}) {
  return (
    <li class="row">
      <div class="card-head">
        <code>
          <ForeignText text={`${server}.${tool}`} />
        </code>
        <span class={`badge badge-${trust === 'changed' ? 'bad' : 'warn'}`}>
          {trust === 'changed' ? '✕ changed since it was approved' : '◌ not approved yet'}
        </span>
      </div>
      {findings.length > 0 && <p class="error">Found in its text: {findings.join(', ')}</p>}
      <DiffText text={diff} label={`Text of ${server}.${tool}`} />
      {isCut && (
        <p class="error">
          This is too long to be shown here, so it cannot be approved here. Read all of it with “mcpx pins diff”.
        </p>
      )}
      {act && !isCut && (
        <div class="buttons">
          <button type="button" onClick={() => act({ action: 'approve', server, tool, digest })}>
            Approve<span class="visually-hidden"> {`${server}.${tool}`}</span>
          </button>
        </div>
      )}
    </li>
  );
}
