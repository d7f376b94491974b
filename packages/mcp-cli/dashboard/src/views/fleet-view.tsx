import type { FleetView } from '../../../src/dashboard/page-messages.js';
import { counted, formatTime } from '../format.js';
import { ForeignText } from '../parts/foreign-text.js';
import { type Tone, toneOf } from '../parts/state-badge.js';
import { routeTo } from '../use-route.js';

const phases: Readonly<Record<FleetView['phase'], { readonly label: string; readonly tone: Tone }>> = {
  joining: { label: '◌ joining', tone: 'warn' },
  joined: { label: '● joined', tone: 'good' },
  'cut-off': { label: '◐ cut off', tone: 'warn' },
  failed: { label: '✕ not a part of it', tone: 'bad' },
  left: { label: '○ leaving', tone: 'quiet' },
};

/** Nodes of the fleet. Their texts are untrusted. */
export function FleetNodesView({ fleet }: { readonly fleet: FleetView }) {
  const { label, tone } = phases[fleet.phase];
  return (
    <>
      <p>
        This node is <strong>{fleet.node}</strong> in the fleet <strong>{fleet.fleet}</strong>:{' '}
        <span class={`badge badge-${tone}`}>{label}</span>
        {!fleet.isBusConnected && (
          <span class="note"> The NATS server cannot be reached. Servers of this node work.</span>
        )}
      </p>
      {fleet.error !== undefined && (
        <p class="note">
          <ForeignText text={fleet.error} />
        </p>
      )}
      {fleet.alarms.length > 0 && <Alarms alarms={fleet.alarms} />}
      <NodeTable nodes={fleet.nodes} />
      <ServerTable fleet={fleet} />
    </>
  );
}

function Alarms({ alarms }: Pick<FleetView, 'alarms'>) {
  return (
    <section aria-labelledby="fleet-alarms">
      <h2 id="fleet-alarms">✕ Forbidden to this node</h2>
      <p class="note">The permissions on the NATS server are wrong, or another node goes by this one's name.</p>
      <ul>
        {alarms.toReversed().map(({ at, operation, subject }) => (
          <li key={`${at} ${operation} ${subject}`}>
            {formatTime(at)} {operation} <ForeignText text={subject} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NodeTable({ nodes }: Pick<FleetView, 'nodes'>) {
  const lost = nodes.filter(({ state }) => state === 'unreachable').length;
  return (
    <table>
      <caption>
        {counted(nodes.length, 'node')}
        {lost > 0 && <strong class="error">, {lost} lost</strong>}
      </caption>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">State</th>
          <th scope="col" class="figure">
            Servers
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ name, isOwn, state, servers }) => (
          <tr key={name}>
            <td>
              <ForeignText text={name} /> {isOwn && <span class="note">this node</span>}
            </td>
            <td>
              <span class={`badge badge-${state === 'alive' ? 'good' : 'bad'}`}>
                {state === 'alive' ? '● alive' : '✕ unreachable'}
              </span>
            </td>
            <td class="figure" data-label="Servers">
              {servers}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ServerTable({ fleet: { node: here, servers, moreServers } }: { readonly fleet: FleetView }) {
  if (servers.length === 0) return <p class="note">No node offers a server.</p>;
  return (
    <>
      <table>
        <caption>Their servers, and what they are called here</caption>
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Server</th>
            <th scope="col">Placement</th>
            <th scope="col">State</th>
            <th scope="col" class="figure">
              Tools
            </th>
            <th scope="col">Called here</th>
          </tr>
        </thead>
        <tbody>
          {servers.map(({ node, server, placement, state, tools, source, isOwner }) => (
            <tr key={`${node} ${server}`}>
              <td>
                <ForeignText text={node} />
              </td>
              <td>
                {node === here ? (
                  <a href={routeTo('servers', server)}>
                    <ForeignText text={server} />
                  </a>
                ) : (
                  <ForeignText text={server} />
                )}
              </td>
              <td data-label="Placement">
                {placement}
                {isOwner && <span class="note"> has it</span>}
              </td>
              <td>
                <span class={`badge badge-${state === 'unreachable' ? 'bad' : toneOf(state)}`}>
                  <ForeignText text={state} />
                </span>
              </td>
              <td class="figure" data-label="Tools">
                {tools ?? '–'}
              </td>
              <td data-label="Called here">{source === undefined ? '–' : <ForeignText text={source} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {moreServers > 0 && <p class="note">{counted(moreServers, 'more server')} are not shown.</p>}
    </>
  );
}
