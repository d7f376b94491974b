import type { CallView } from '../../../src/dashboard/page-messages.js';
import { formatDuration, formatTime } from '../format.js';
import { memo } from '../memo.js';
import { ForeignText } from '../parts/foreign-text.js';
import { Outcome } from '../parts/outcome-badge.js';
import { type Route, routeTo } from '../use-route.js';

/** Rows that move together. */
const groupSize = 20;

interface CallTableProps {
  /** Newest first. */
  readonly calls: readonly CallView[];
  readonly route: Route;
  /** Id of the element that says whether the list is held. */
  readonly describedBy: string;
}

/** New calls change the first and the last group only; the browser moves the others without drawing them again. */
export function CallTable({ calls, route: { query, item }, describedBy }: CallTableProps) {
  return (
    <table class="long-table call-table" aria-describedby={describedBy}>
      <caption class="visually-hidden">The latest calls through the daemon, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Tool</th>
          <th scope="col">Outcome</th>
          <th scope="col" class="figure">
            Took
          </th>
          <th scope="col">Role</th>
          <th scope="col">Client</th>
        </tr>
      </thead>
      {groupsOf(calls).map(([group, members]) => (
        <CallGroup
          key={group}
          calls={members}
          query={query}
          opened={members.some(({ id }) => String(id) === item) ? item : undefined}
        />
      ))}
    </table>
  );
}

/** By ranges of ids, so that a call stays in its group. */
function groupsOf(calls: readonly CallView[]): readonly (readonly [number, readonly CallView[]])[] {
  const groups = new Map<number, CallView[]>();
  for (const call of calls) {
    const number = Math.floor(call.id / groupSize);
    const members = groups.get(number);
    if (members) members.push(call);
    else groups.set(number, [call]);
  }
  return [...groups];
}

interface CallGroupProps {
  readonly calls: readonly CallView[];
  readonly query: Route['query'];
  /** Id of the call that is open, if it is one of these. */
  readonly opened: string | undefined;
}

const CallGroup = memo(
  ({ calls, query, opened }: CallGroupProps) => (
    <tbody>
      {calls.map((call) => (
        <CallRow key={call.id} call={call} query={query} isOpen={String(call.id) === opened} />
      ))}
    </tbody>
  ),
  { calls: hasSameItems },
);

function hasSameItems<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

interface CallRowProps {
  readonly call: CallView;
  readonly query: Route['query'];
  readonly isOpen: boolean;
}

/** A call changes only when it ends. */
const CallRow = memo(({ call, query, isOpen }: CallRowProps) => {
  const { id, at, tool, durationMs, role, client } = call;
  return (
    <tr class={isOpen ? 'chosen' : undefined}>
      <td>{formatTime(at)}</td>
      <td class="tool">
        <a href={routeTo('calls', String(id), query)} aria-current={isOpen ? 'true' : undefined}>
          <code>
            <ForeignText text={tool} />
          </code>
        </a>
      </td>
      <td>
        <Outcome call={call} />
        {call.record !== undefined && <span class="note"> recorded</span>}
      </td>
      <td class="figure">{durationMs === undefined ? '–' : formatDuration(durationMs)}</td>
      <td data-label="Role" class={role === undefined ? 'without' : undefined}>
        {role === undefined ? '–' : <ForeignText text={role} />}
      </td>
      <td data-label="Client" class={client === undefined ? 'without' : undefined}>
        {client === undefined ? '–' : <ForeignText text={client} />}
      </td>
    </tr>
  );
});
