import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { ServerView, UsageRow } from '../../../src/dashboard/page-messages.js';
import { formatBytes, formatCount, formatDuration } from '../format.js';
import { memo } from '../memo.js';
import { ForeignText } from '../parts/foreign-text.js';
import { Sparkline } from '../parts/sparkline.js';
import { StateBadge } from '../parts/state-badge.js';
import { durationText } from '../parts/usage-chart.js';
import { useWhileDrawn } from '../use-while-drawn.js';

/** A server with its use in the last hour. */
export interface ServerEntry {
  readonly server: ServerView;
  readonly usage: UsageRow | undefined;
  readonly href: string;
  readonly isSelected: boolean;
}

const columns = {
  calls: { label: 'Calls, 1 h', value: ({ usage }) => usage?.calls },
  errors: { label: 'Errors', value: ({ usage }) => usage?.errors },
  p95: { label: 'p95', value: ({ usage }) => usage?.p95Ms },
  tools: { label: 'Tools', value: ({ server }) => server.tools },
  memory: { label: 'Memory', value: ({ server }) => server.memoryBytes },
  restarts: { label: 'Restarts', value: ({ server }) => server.restarts },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly value: (entry: ServerEntry) => number | undefined }>
>;
type Column = keyof typeof columns;

/** Highest value first; without a known column as they are. */
export function sortedBy(column: string, entries: readonly ServerEntry[]): readonly ServerEntry[] {
  if (!Object.hasOwn(columns, column)) return entries;
  const { value } = columns[column as Column];
  return entries.toSorted((one, other) => (value(other) ?? -1) - (value(one) ?? -1));
}

interface ServerTableProps {
  readonly entries: readonly ServerEntry[];
  readonly sort: string;
  readonly onSort: (column: string) => void;
  /** By the daemon's clock. */
  readonly now: number;
}

/** One line a server. */
export function ServerTable({ entries, sort, onSort, now }: ServerTableProps) {
  return (
    <table class="long-table server-table" aria-label="Servers">
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col">State</th>
          {(Object.entries(columns) as [Column, { label: string }][]).map(([name, { label }]) => (
            <th key={name} scope="col" class="figure" aria-sort={sort === name ? 'descending' : undefined}>
              <button type="button" class="sort" onClick={() => onSort(sort === name ? '' : name)}>
                {label}
                <span aria-hidden="true">{sort === name ? ' ▾' : ''}</span>
              </button>
            </th>
          ))}
          <th scope="col" class="figure">
            Up
          </th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.server.name} {...entry} up={upText(entry.server, now)} />
        ))}
      </tbody>
    </table>
  );
}

function upText({ startedAt }: ServerView, now: number): string {
  return startedAt === undefined ? '–' : formatDuration(Math.max(now - startedAt, 0));
}

interface RowProps extends ServerEntry {
  readonly up: string;
}

function Row(latest: RowProps) {
  const element = useRef<HTMLTableRowElement>(null);
  return <DrawnRow {...useWhileDrawn(element, latest)} element={element} />;
}

interface DrawnRowProps extends RowProps {
  readonly element: RefObject<HTMLTableRowElement | null>;
}

/** Most updates concern other servers. */
const DrawnRow = memo(({ server, usage, href, isSelected, up, element }: DrawnRowProps) => {
  const { name, tools, memoryBytes, restarts, lastError, state } = server;
  return (
    <tr ref={element} class={isSelected ? 'selected' : undefined}>
      <td class="tool">
        <a href={href} aria-current={isSelected ? 'true' : undefined}>
          <ForeignText text={name} maxLength={200} />
        </a>
      </td>
      <td>
        <StateBadge server={server} />
      </td>
      <td class="figure spark-cell" data-label="Calls, 1 h">
        {usage?.points && <Sparkline values={usage.points} />}
        <span>{formatCount(usage?.calls ?? 0)}</span>
      </td>
      <td class={(usage?.errors ?? 0) > 0 ? 'figure error' : 'figure'} data-label="Errors">
        {formatCount(usage?.errors ?? 0)}
      </td>
      <td class="figure" data-label="p95">
        {durationText(usage?.p95Ms)}
      </td>
      <td class="figure" data-label="Tools">
        {tools}
      </td>
      <td class="figure" data-label="Memory">
        {memoryBytes === undefined ? '–' : formatBytes(memoryBytes)}
      </td>
      <td class="figure" data-label="Restarts">
        {restarts}
      </td>
      <td class="figure" data-label="Up">
        {up}
      </td>
      <td class={lastError === undefined || state === 'running' ? 'why without' : 'why error'}>
        {lastError !== undefined && state !== 'running' && <ForeignText text={lastError} maxLength={300} />}
      </td>
    </tr>
  );
});
